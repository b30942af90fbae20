package main_test

import (
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestTheOperatorsWordIsShown: a question that the operator just decided is no longer
// open, whether or not a gateway is there to heed it.
func TestTheOperatorsWordIsShown(t *testing.T) {
	t.Parallel()
	for verb, want := range map[string]struct{ state, holds, other string }{
		"approve": {"approved", "two\n", "deny"}, "deny": {"refused", "one\n", "approve"},
	} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			g := w.start("chat")
			for _, line := range []string{"one", "two"} {
				g.say(`/tool write_file {"path":"a.md","content":"` + line + `\n"}`)
			}
			for !strings.Contains(g.line(), "[n] Deny") {
				continue
			}
			_ = g.cmd.Process.Signal(syscall.SIGTERM)
			g.end()
			list, _, _ := w.run("approvals", "list")
			id := regexp.MustCompile(`(?m)^[A-Z0-9]{8}\b`).FindString(list)
			out, errs, code := w.run("approvals", verb, id)
			if code != 0 || !strings.HasPrefix(out, id+"  "+want.state+"  write_file  console:local") || strings.Contains(out, "open") {
				t.Errorf("%d: %s%s", code, out, errs)
			}
			if out, errs, code := w.run("approvals", want.other, id); code != 1 || !strings.Contains(errs, "was "+want.state+" before") {
				t.Errorf("the other word after it: %d: %s%s", code, out, errs)
			}
			if out, errs, code := w.run("approvals", verb, id); code != 0 || !strings.Contains(out, want.state) {
				t.Errorf("the same word again: %d: %s%s", code, out, errs)
			}
			next := w.start("chat")
			for !strings.Contains(next.line(), "by the operator") {
				continue
			}
			_ = next.in.Close()
			if code := next.end(); code != 0 || w.holds() != want.holds {
				t.Errorf("ended with %d, the file holds %q", code, w.holds())
			}
		})
	}
}
