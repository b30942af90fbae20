package approval

import (
	"bytes"
	"encoding/json"

	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// TextOf is all of a call that a person is asked to allow: the text of its
// examination, or its arguments in JSON.
func TextOf(ex *tools.Examination, arguments string) string {
	if ex.Text != "" {
		return ex.Text
	}
	return indented(arguments)
}

func indented(raw string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(raw), "", "  ") != nil {
		return raw
	}
	return b.String()
}

// DeedOf is a call in the words of policy. Tainted says that untrusted content came
// in before it, and isNamed whether a person has named an address.
func DeedOf(tool string, an *tools.Annotations, ex *tools.Examination, tainted bool, isNamed func(address string) bool) policy.Deed {
	d := policy.Deed{
		Tool: tool, Writes: !an.ReadOnly && !an.Speaks,
		Destructive: ex.Destructive, Destroys: an.Destructive, Executes: an.Executes, Always: ex.Always,
		NewDestination: ex.Destination != "" && !isNamed(ex.Destination),
		Tainted:        tainted || ex.Taints,
	}
	for i := range ex.Steps {
		s := &ex.Steps[i]
		d.Steps = append(d.Steps, DeedOf(s.Tool, &s.Annotations, &s.Examination, tainted, isNamed))
	}
	return d
}

// changed says whether a call would act differently from the text that the person was
// shown.
func changed(a *session.Approval, ex *tools.Examination) bool {
	return ex.State != a.Call.Fingerprint || TextOf(ex, a.Call.Arguments) != a.Text
}

// DecidedCall is the id of the call that a decision's turn makes.
func DecidedCall(a *session.Approval) string { return "approved_" + a.ID }

// answerOf is the answer that makes the stored call.
func answerOf(a *session.Approval) *providers.LLMResponse {
	args, err := providers.DecodeArguments(a.Call.Arguments)
	c := providers.ToolCall{ID: DecidedCall(a), Type: "function", Name: a.Call.Tool, Arguments: args, RawArguments: a.Call.Arguments}
	if err != nil {
		c.BadArguments = err.Error()
	}
	return &providers.LLMResponse{ToolCalls: []providers.ToolCall{c}, FinishReason: providers.FinishToolCalls}
}
