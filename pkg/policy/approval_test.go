package policy_test

import (
	"slices"
	"testing"

	"parley/pkg/policy"
)

func TestWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	write := policy.Deed{Tool: "write_file", Writes: true}
	overwrite := policy.Deed{Tool: "write_file", Writes: true, Destructive: true}
	command := policy.Deed{Tool: "run_command", Writes: true, Destructive: true, Destroys: true, Executes: true}
	fetch := policy.Deed{Tool: "web_fetch", NewDestination: true}
	rm := command
	rm.Always = true
	several := policy.Deed{
		Tool:   "publish",
		Writes: true,
		Steps:  []policy.Deed{{Tool: "note", Writes: true}, {Tool: "web_fetch", NewDestination: true, Tainted: true}},
	}
	few := several
	few.Steps = several.Steps[:1]
	tainted := func(d policy.Deed) policy.Deed { d.Tainted = true; return d }
	named := func(tool string, r policy.AskRule) policy.Approvals {
		return policy.Approvals{Tools: map[string]policy.AskRule{tool: r}}
	}
	all := func(r policy.AskRule) policy.Approvals { return policy.Approvals{Default: r} }
	for name, c := range map[string]struct {
		rules policy.Approvals
		deed  policy.Deed
		asks  bool
	}{
		"a new file":                           {all(policy.AskDestructive), write, false},
		"a new file, without a word":           {policy.Approvals{}, write, false},
		"an overwritten file":                  {policy.Approvals{}, overwrite, true},
		"a command":                            {policy.Approvals{}, command, true},
		"a page":                               {policy.Approvals{}, fetch, false},
		"a read":                               {all(policy.AskSideEffects), policy.Deed{Tool: "read_file"}, false},
		"a new file after a page":              {policy.Approvals{}, tainted(write), true},
		"a read after a page":                  {policy.Approvals{}, tainted(policy.Deed{Tool: "read_file"}), false},
		"a new address after a page":           {policy.Approvals{}, tainted(fetch), true},
		"a new address after a page, strictly": {all(policy.AskSideEffects), tainted(fetch), true},
		"a new file, strictly":                 {all(policy.AskSideEffects), write, true},
		"never, a new file after a page":       {all(policy.AskNever), tainted(write), false},
		"never, an overwritten file":           {all(policy.AskNever), overwrite, true},
		"never, a command":                     {all(policy.AskNever), command, true},
		"never, by name":                       {named("write_file", policy.AskNever), tainted(overwrite), false},
		"never, another name":                  {named("edit_file", policy.AskNever), overwrite, true},
		"never, by name, a command":            {named("run_command", policy.AskNever), command, false},
		"never, by name, rm":                   {named("run_command", policy.AskNever), rm, true},
		"steps, of which one reaches a new address after a page": {policy.Approvals{}, several, true},
		"steps that nobody is asked about":                       {policy.Approvals{}, few, false},
		"a step that is asked for by name":                       {named("note", policy.AskSideEffects), few, true},
		"a step that is asked for by name, never else": {
			policy.Approvals{Default: policy.AskNever, Tools: map[string]policy.AskRule{"note": policy.AskSideEffects}},
			few, true,
		},
		"never, by the name of the whole": {named("publish", policy.AskNever), several, false},
		"strictly, by name":               {named("write_file", policy.AskSideEffects), write, true},
	} {
		if why := c.rules.Asks(c.deed); why.Asks() != c.asks {
			t.Errorf("%s: asks because %q", name, why.Text)
		}
	}
	for name, d := range map[string]policy.Deed{"command": command, "rm": rm} {
		if d.Grantable() {
			t.Errorf("%s can be granted in advance", name)
		}
	}
	if !overwrite.Grantable() {
		t.Error("writing cannot be granted in advance")
	}
	rules := policy.Approvals{Tools: map[string]policy.AskRule{"a": policy.AskNever, "b": policy.AskNever, "c": policy.AskDestructive}}
	got := rules.Waived([]string{"a", "b", "c"}, func(tool string) bool { return tool != "b" })
	if !slices.Equal(got, []string{"a"}) {
		t.Errorf("waived %q", got)
	}
}
