package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/test/faketelegram"
)

// TestExampleErrors: whatever keeps a call from running, the model is told the
// type of it, and the audit log has it.
func TestExampleErrors(t *testing.T) {
	t.Parallel()
	eachMode(t, exampleErrors)
}

func exampleErrors(t *testing.T, s settings) {
	t.Helper()
	tg := faketelegram.New(t)
	ada, bert := tg.User("Ada"), tg.User("Bert")
	owner, reader := tg.Private(ada), tg.Private(bert)
	w := newOwned(t, tg, owner, s, map[string]any{"disabled": []string{"calculator"}, "timeout": "1s"}, map[string]act{
		"write":     calls("write_file", `{"path": "a.txt", "content": "mine"}`),
		"calculate": calls("calculator", `{"expression": "1+1"}`),
		"invent":    calls("no_such_tool", `{}`),
		"escape":    calls("read_file", `{"path": "../../state/store"}`),
		"guess":     calls("read_file", `{"file": "a.txt"}`),
		"hang":      calls("hang", `{"n": 20000}`),
		"overwrite": calls("write_file", `{"path": "a.txt", "content": "yours"}`),
	})
	for _, tt := range []struct {
		text string
		chat *faketelegram.Chat
		tool string
		want []string // the type, and the further words for the model
	}{
		{"write", reader, "write_file", []string{"permission_denied"}},
		{"calculate", owner, "calculator", []string{"disabled", "calculator"}},
		{"invent", owner, "no_such_tool", []string{"not_found", "no_such_tool"}},
		{"escape", owner, "read_file", []string{"security_violation"}},
		{"guess", owner, "read_file", []string{"invalid_arguments", "path", "file"}},
		{"hang", owner, "hang", []string{"timeout", `"details":{"timeout":1}`}},
	} {
		tt.chat.Say(tt.text)
		w.says(tt.chat, append([]string{`"error":true,"type":"` + tt.want[0] + `"`}, tt.want[1:]...)...)
		w.audited(tt.tool, tt.want[0])
	}
	w.keeps("a.txt", "before")
	owner.Say("overwrite")
	owner.Press(w.questions(owner, 1)[0].ID, "Deny")
	w.says(owner, "Denied by Ada: write_file was not run")
	owner.Say("and now?")
	w.says(owner, "heard: and now?")
	all := w.model.Requests()
	told := persons(all[len(all)-1])
	if !slices.ContainsFunc(told, func(text string) bool {
		return strings.HasPrefix(text, "[approval ") && strings.Contains(text, `{"error":true,"type":"approval_denied"`)
	}) {
		t.Errorf("the model was told %q", told)
	}
	w.audited("write_file", "denied")
	if got := w.holds("a.txt"); got != "before" {
		t.Errorf("the file holds %q", got)
	}
}
