package check

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"parley/pkg/providers"
)

// Subject is a model to be checked.
type Subject struct {
	// Name is the operator's name for it, Model the server's.
	Name, Model string
	Provider    providers.LLMProvider
	// Images says that the model is configured to take pictures; without it none is sent.
	Images bool
}

// Ability is something that a model may be able to do.
type Ability string

// The abilities, in the order of the table.
const (
	Answers  Ability = "answers"
	Streams  Ability = "streams"
	Calls    Ability = "calls"    // well-formed ones of the right tool
	Pieces   Ability = "pieces"   // a call's arguments arrive while they are written
	AtOnce   Ability = "at once"  // several calls in one answer
	Results  Ability = "results"  // it uses what a tool gave
	Required Ability = "required" // tool_choice forces a call
	Named    Ability = "named"    // tool_choice forces a call of one tool
	None     Ability = "none"     // tool_choice prevents calls
	Pictures Ability = "pictures"
	Thinks   Ability = "thinks" // its reasoning comes apart from its text
	Usage    Ability = "usage"  // it counts tokens
)

// Abilities are all of them, in order.
func Abilities() []Ability {
	return []Ability{Answers, Streams, Calls, Pieces, AtOnce, Results, Required, Named, None, Pictures, Thinks, Usage}
}

// Verdict is what a run showed of an ability.
type Verdict string

// The verdicts. An ability that was not asked for has [Unasked].
const (
	Yes     Verdict = "yes"
	No      Verdict = "no"
	Unasked Verdict = "-"
)

// Report is the outcome of a check.
type Report struct {
	Name, Model string
	Verdicts    map[Ability]Verdict
	// Err is the first error that a question ended with, nil if all were answered.
	Err error
}

// WellFormed says whether the model called tools as it was asked to and used the
// results.
func (r *Report) WellFormed() bool {
	return r.Verdicts[Calls] == Yes && r.Verdicts[Results] == Yes
}

// Call checks by one small question whether a model answers and calls a tool. It returns
// early when ctx ends.
func Call(ctx context.Context, s *Subject) Report {
	x := newExam(s)
	x.first(ctx)
	return x.report
}

// Model checks a model. It returns early when ctx ends.
func Model(ctx context.Context, s *Subject) Report {
	x := newExam(s)
	if x.sums(ctx) {
		x.choices(ctx)
	}
	if x.report.Verdicts[Answers] == Yes {
		x.picture(ctx)
	}
	return x.report
}

// exam is a check under way.
type exam struct {
	subject *Subject
	report  Report
	usage   bool // all answers counted their tokens
}

func newExam(s *Subject) *exam {
	x := &exam{
		subject: s, usage: true,
		report: Report{Name: s.Name, Model: s.Model, Verdicts: map[Ability]Verdict{}},
	}
	for _, a := range Abilities() {
		x.report.Verdicts[a] = Unasked
	}
	return x
}

// reply is an answer with its events counted.
type reply struct {
	*providers.LLMResponse
	texts int         // pieces of text
	calls map[int]int // pieces of each call
}

// give records a verdict.
//
//nolint:revive // the verdict itself, no switch
func (x *exam) give(a Ability, ok bool) {
	x.report.Verdicts[a] = No
	if ok {
		x.report.Verdicts[a] = Yes
	}
}

// ask asks one question; ok is false if it has no answer.
func (x *exam) ask(ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition, choice any) (r reply, ok bool) {
	r.calls = map[int]int{}
	options := map[string]any{"max_tokens": maxAnswer}
	if choice != nil {
		options["tool_choice"] = choice
	}
	resp, err := providers.Stream(ctx, x.subject.Provider, messages, tools, x.subject.Model, options, func(e providers.StreamEvent) {
		switch e := e.(type) {
		case providers.TextDelta:
			r.texts++
		case providers.ToolCallDelta:
			r.calls[e.Index]++
		case providers.Restart:
			r.texts = 0
			clear(r.calls)
		}
	})
	if err != nil {
		if x.report.Err == nil {
			x.report.Err = err
		}
		return r, false
	}
	r.LLMResponse = resp
	x.usage = x.usage && resp.Usage.TotalTokens > 0
	x.give(Usage, x.usage)
	x.give(Thinks, x.report.Verdicts[Thinks] == Yes || resp.Reasoning != "")
	return r, true
}

// maxAnswer is the limit of an answer in tokens: enough for a model that thinks first.
const maxAnswer = 2000

// first asks for two sums; ok is false if that has no answer.
func (x *exam) first(ctx context.Context) (messages []providers.Message, first reply, ok bool) {
	messages = []providers.Message{
		{Role: providers.RoleSystem, Content: textSystem},
		{Role: providers.RoleUser, Content: textSums},
	}
	first, ok = x.ask(ctx, messages, tools(), "auto")
	x.give(Answers, ok)
	if !ok {
		x.plain(ctx)
		return nil, first, false
	}
	x.give(Calls, wellFormed(first.ToolCalls))
	return messages, first, true
}

// sums asks for two sums, and for the answer with their results. It returns whether
// further questions with tools make sense.
func (x *exam) sums(ctx context.Context) bool {
	messages, first, ok := x.first(ctx)
	if !ok {
		return false
	}
	if len(first.ToolCalls) == 0 {
		x.give(Streams, first.texts > 1)
		return true
	}
	x.give(Pieces, first.calls[0] > 1)
	x.give(AtOnce, len(first.ToolCalls) > 1)
	messages = append(messages, first.Message())
	for i := range first.ToolCalls {
		c := &first.ToolCalls[i]
		messages = append(messages, providers.Message{
			Role: providers.RoleTool, ToolCallID: c.ID, Name: c.Name, Content: oddity,
		})
	}
	second, ok := x.ask(ctx, messages, tools(), "auto")
	if ok {
		x.give(Streams, second.texts > 1)
	}
	x.give(Results, ok && strings.Contains(second.Content, oddity))
	return true
}

// plain asks without tools, where a server refused the question with them.
func (x *exam) plain(ctx context.Context) {
	var failure *providers.Error
	if !errors.As(x.report.Err, &failure) || failure.Kind != providers.KindInvalid {
		return
	}
	x.give(Calls, false)
	r, ok := x.ask(ctx, []providers.Message{{Role: providers.RoleUser, Content: textHello}}, nil, nil)
	x.give(Answers, ok)
	x.give(Streams, ok && r.texts > 1)
}

// wellFormed says whether all calls are of the tool that was asked for, with its arguments.
func wellFormed(calls []providers.ToolCall) bool {
	for i := range calls {
		c := &calls[i]
		_, a := c.Arguments["a"].(float64)
		_, b := c.Arguments["b"].(float64)
		if c.ID == "" || c.Name != toolAdd || c.BadArguments != "" || !a || !b {
			return false
		}
	}
	return len(calls) > 0
}

// choices asks with each form of tool_choice.
func (x *exam) choices(ctx context.Context) {
	hello := []providers.Message{{Role: providers.RoleSystem, Content: textSystem}, {Role: providers.RoleUser, Content: textHello}}
	r, ok := x.ask(ctx, hello, tools(), "required")
	x.give(Required, ok && len(r.ToolCalls) > 0)
	r, ok = x.ask(ctx, hello, tools(), map[string]any{"name": toolMultiply})
	x.give(Named, ok && len(r.ToolCalls) > 0 && r.ToolCalls[0].Name == toolMultiply)
	hello[1].Content = textSums
	r, ok = x.ask(ctx, hello, tools(), "none")
	x.give(None, ok && len(r.ToolCalls) == 0 && r.Content != "")
}

// picture shows the model a red square.
func (x *exam) picture(ctx context.Context) {
	if !x.subject.Images {
		return
	}
	square := redSquare()
	r, ok := x.ask(ctx, []providers.Message{{
		Role: providers.RoleUser, Content: textPicture,
		Images: []providers.Image{{
			MIME: "image/png", Path: "square.png", Size: int64(len(square)),
			Open: func() (io.ReadCloser, int64, error) {
				return io.NopCloser(bytes.NewReader(square)), int64(len(square)), nil
			},
		}},
	}}, nil, nil)
	x.give(Pictures, ok && strings.Contains(strings.ToLower(r.Content), colour))
}

// The names of the tools of the prompt, the result of each call, and the colour of the
// picture. The result is odd on purpose: a model that uses it repeats a number that it
// cannot have computed.
const (
	oddity       = "7351"
	colour       = "red"
	toolAdd      = "add"
	toolMultiply = "multiply"
)

// tools are the tools of the prompt.
func tools() []providers.ToolDefinition {
	number := map[string]any{"type": "number"}
	parameters := map[string]any{
		"type": "object", "properties": map[string]any{"a": number, "b": number}, "required": []string{"a", "b"},
	}
	var defs []providers.ToolDefinition
	for _, t := range [][2]string{{toolAdd, textAdd}, {toolMultiply, textMultiply}} {
		defs = append(defs, providers.ToolDefinition{Type: "function", Function: providers.FunctionDefinition{
			Name: t[0], Description: t[1], Parameters: parameters,
		}})
	}
	return defs
}
