package agent_test

import (
	"strings"
	"testing"

	"parley/pkg/agent"
	"parley/pkg/policy"
	"parley/pkg/tools"
	"parley/pkg/tools/composed"
)

// TestASequenceIsAskedForLikeItsSteps: once, before the first, and for at least as much
// as each of them by itself.
func TestASequenceIsAskedForLikeItsSteps(t *testing.T) {
	t.Parallel()
	note := composed.Step{Tool: "note"}
	at := func(url string) composed.Step {
		return composed.Step{Tool: "fetch", Arguments: map[string]any{"url": url}}
	}
	for name, c := range map[string]struct {
		steps []composed.Step
		rules map[string]policy.AskRule
		asks  bool
	}{
		"notes":                             {[]composed.Step{note, note}, nil, false},
		"a page, then a note":               {[]composed.Step{at("https://a.example"), note}, nil, true},
		"a page":                            {[]composed.Step{at("https://a.example")}, nil, false},
		"a page that a page names":          {[]composed.Step{at("https://a.example"), at("{{1}}")}, nil, true},
		"a second page":                     {[]composed.Step{at("https://a.example"), at("https://b.example")}, nil, true},
		"what is always asked for, by name": {[]composed.Step{note}, map[string]policy.AskRule{"note": policy.AskSideEffects}, true},
		"what is waived as a whole": {
			[]composed.Step{at("https://a.example"), note}, map[string]policy.AskRule{"all": policy.AskNever}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg := tools.NewToolRegistry()
			for _, tool := range []tools.Tool{noter(), pager()} {
				reg.Register(tool)
			}
			reg.Register(composed.New(composed.Spec{Name: "all", Description: "x", Steps: c.steps}, reg.Annotations))
			w := newWorld(t, plan(calling("all {}")), nil, withOptions(asking), withOptions(func(o *agent.Options) {
				o.Tools, o.Approvals.Tools = reg, c.rules
			}))
			w.write("1", "1", "go")
			if !c.asks {
				w.expectText("done")
				w.settled()
				if all := strings.Join(w.transcript("1"), "\n"); strings.Contains(all, `"error":true`) {
					t.Error(all)
				}
				return
			}
			q := w.question("step 1: " + c.steps[0].Tool)
			w.press("1", "1", q, "Allow once")
			w.expect()
			w.expectText("done")
			w.settled()
			if all := strings.Join(w.transcript("1"), "\n"); strings.Contains(all, `"error":true`) {
				t.Error(all)
			}
		})
	}
}
