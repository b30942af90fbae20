package e2e_test

import (
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
)

// TestAPanicOfAToolsOwnGoroutine ends the process: the next one reports the loss, once.
func TestAPanicOfAToolsOwnGoroutine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		switch {
		case len(results(req)) > 0:
			return fakemodel.Say("started")
		case strings.HasPrefix(lastUser(req), "[background task]"):
			return fakemodel.Say("NO_REPLY")
		default:
			return fakemodel.Call("reckless", `{"n":1000}`)
		}
	}, settings{})
	w.say("chat", "work")
	w.expect("chat", 1, "started")
	<-w.process.Done()
	w.start()
	if got := w.told("chat", 2); !strings.Contains(got[1], "was interrupted when the gateway stopped") {
		t.Errorf("told %q", got)
	}
	w.until("no task and nothing that waits", func() bool {
		s, err := w.gw.Status(w.ctx)
		return err != nil || s.Waiting == 0 && s.Sending == 0 && s.OpenTasks == 0
	})
	if got := w.texts("chat"); len(got) != 2 {
		t.Errorf("the chat was told %q", got)
	}
}
