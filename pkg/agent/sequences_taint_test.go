package agent_test

import (
	"context"
	"strings"
	"testing"

	"parley/pkg/agent"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/tools"
	"parley/pkg/tools/composed"
)

// TestContentThatASequenceBringsIn: a step that reads where an earlier result points
// may bring in content of others. A person is asked about a later write, in the same
// sequence, in one around it and in the rest of the turn.
func TestContentThatASequenceBringsIn(t *testing.T) {
	t.Parallel()
	type text struct {
		Text string `json:"text"`
	}
	where := fn{
		name: "where", an: tools.Annotations{ReadOnly: true, Level: tools.LevelRead},
		run: func(context.Context, map[string]any) *tools.ToolResult {
			return tools.NewToolResult("inbox/x")
		},
	}
	plain := fn{
		name: "plain", an: tools.Annotations{ReadOnly: true, Level: tools.LevelRead},
		run: func(context.Context, map[string]any) *tools.ToolResult {
			return tools.NewToolResult("4")
		},
	}
	read := tools.NewExamined("read", "", tools.Annotations{ReadOnly: true, Level: tools.LevelRead},
		func(_ context.Context, in text) (tools.Examination, error) {
			return tools.Examination{Taints: strings.HasPrefix(in.Text, "inbox/")}, nil
		},
		func(context.Context, text) (any, error) { return "content", nil })
	step := func(tool string, text ...string) composed.Step {
		s := composed.Step{Tool: tool}
		if len(text) > 0 {
			s.Arguments = map[string]any{"text": text[0]}
		}
		return s
	}
	find := []composed.Step{step("where"), step("read", "{{1}}")}
	for name, c := range map[string]struct {
		sequences map[string][]composed.Step
		calls     []string
		asks      bool
	}{
		"known before": {map[string][]composed.Step{"all": {step("read", "inbox/x"), step("note", "{{1}}")}}, []string{"all {}"}, true},
		"known by a result": {
			map[string][]composed.Step{"all": {step("where"), step("read", "{{1}}"), step("note", "{{2}}")}},
			[]string{"all {}"},
			true,
		},
		"in a sequence of it": {map[string][]composed.Step{"find": find, "all": {step("find"), step("note", "x")}}, []string{"all {}"}, true},
		"by way of a parameter": {map[string][]composed.Step{
			"given": {step("read", "{{path}}"), step("note", "{{1}}")},
			"all":   {step("where"), {Tool: "given", Arguments: map[string]any{"path": "{{1}}"}}},
		}, []string{"all {}"}, true},
		"later in the turn":    {map[string][]composed.Step{"find": find}, []string{"find {}", "note {}"}, true},
		"nothing from outside": {map[string][]composed.Step{"all": {step("read", "notes"), step("note", "{{1}}")}}, []string{"all {}"}, false},
		"a result is no content": {
			map[string][]composed.Step{"all": {step("where"), step("plain", "{{1}}"), step("note", "{{2}}")}},
			[]string{"all {}"},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg := tools.NewToolRegistry()
			for _, tool := range []tools.Tool{where, plain, read, noter()} {
				reg.Register(tool)
			}
			for _, name := range []string{"find", "more", "given", "all"} {
				if steps := c.sequences[name]; steps != nil {
					spec := composed.Spec{Name: name, Description: "x", Steps: steps}
					if name == "given" {
						spec.Parameters = map[string]string{"path": "a path"}
					}
					reg.Register(composed.New(spec, reg.Annotations))
				}
			}
			var answers []func([]providers.Message) (*providers.LLMResponse, error)
			for _, each := range c.calls {
				answers = append(answers, calling(each))
			}
			w := newWorld(t, plan(answers...), nil, withOptions(asking), withOptions(func(o *agent.Options) {
				o.Tools, o.Approvals.Tools = reg, map[string]policy.AskRule{}
			}))
			w.write("1", "1", "go")
			o := w.expect()
			w.settled()
			if asked := len(o.Buttons) > 0; asked != c.asks || !asked && strings.Contains(strings.Join(w.transcript("1"), "\n"), `"error":true`) {
				t.Errorf("asked %v: %q\n%s", asked, o.Text, strings.Join(w.transcript("1"), "\n"))
			}
		})
	}
}

// TestALetterThatComesWhileASequenceRuns: a step that would be asked about is not run
// then, unless the operator waived the sequence or somebody allowed it.
func TestALetterThatComesWhileASequenceRuns(t *testing.T) {
	t.Parallel()
	surprised := fn{name: "surprised", run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		tools.BringsOutside(ctx)
		return tools.NewToolResult("a letter that has come meanwhile")
	}}
	calm := fn{name: "calm", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("calm") }}
	look := fn{
		name: "look",
		an:   tools.Annotations{ReadOnly: true},
		run:  func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("seen") },
	}
	steps := func(names ...string) (out []composed.Step) {
		for _, tool := range names {
			out = append(out, composed.Step{Tool: tool})
		}
		return out
	}
	for name, c := range map[string]struct {
		steps []composed.Step
		rules map[string]policy.AskRule
		runs  bool
	}{
		"a write":                   {steps("surprised", "note"), nil, false},
		"a look":                    {steps("surprised", "look"), nil, true},
		"no letter":                 {steps("calm", "note"), nil, true},
		"the sequence is waived":    {steps("surprised", "note"), map[string]policy.AskRule{"all": policy.AskNever}, true},
		"the step is waived":        {steps("surprised", "note"), map[string]policy.AskRule{"note": policy.AskNever}, true},
		"another step is waived":    {steps("surprised", "note"), map[string]policy.AskRule{"surprised": policy.AskNever}, false},
		"the write before it comes": {steps("note", "surprised"), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg := tools.NewToolRegistry()
			for _, tool := range []tools.Tool{surprised, calm, look, noter()} {
				reg.Register(tool)
			}
			reg.Register(composed.New(composed.Spec{Name: "all", Description: "x", Steps: c.steps}, reg.Annotations))
			w := newWorld(t, plan(calling("all {}")), nil, withOptions(asking), withOptions(func(o *agent.Options) {
				o.Tools, o.Approvals.Tools = reg, c.rules
			}))
			w.write("1", "1", "go")
			w.expectText("done")
			w.settled()
			told := strings.Join(w.transcript("1"), "\n")
			if ran := !strings.Contains(told, "a person has to allow this call"); ran != c.runs {
				t.Errorf("ran %v:\n%s", ran, told)
			}
		})
	}
}
