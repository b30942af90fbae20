package e2e_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/loopchat"
)

// held is a model that calls lookup for "go" and, before the answer that makes
// that call, waits until the test lets it on; else it says whom it heard.
type held struct {
	asked, open chan struct{}
	tool        string
}

func newHeld(tool string) *held {
	return &held{asked: make(chan struct{}, 100), open: make(chan struct{}), tool: tool}
}

func (h *held) answer(req fakemodel.Request) fakemodel.Answer {
	if lastUser(req) == "go" && len(results(req)) == 0 {
		h.asked <- struct{}{}
		<-h.open
		return fakemodel.Call(h.tool, `{"text":"x"}`)
	}
	return fakemodel.Say("heard: " + strings.Join(persons(req), ", "))
}

// stored waits until everything that was pushed is in the gateway's store.
func (w *world) stored() {
	w.t.Helper()
	w.until("the poll that confirms", func() bool { return w.chat.Unconfirmed() == 0 })
}

func TestWhatArrivesDuringATurn(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string][]string{
		"steer": {"heard: go, and this, and that"},
		"queue": {"heard: go", "heard: go, and this, and that"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			h := newHeld("lookup")
			w := newWorld(t, h.answer, settings{busy: mode})
			w.say("chat", "go")
			<-h.asked
			w.say("chat", "and this", "and that")
			w.stored()
			close(h.open)
			for i, text := range want {
				w.expect("chat", i+1, text)
			}
		})
	}
}

func TestANewerMessageInterrupts(t *testing.T) {
	t.Parallel()
	h := newHeld("lookup")
	w := newWorld(t, h.answer, settings{busy: "interrupt"})
	w.say("chat", "go")
	<-h.asked
	w.say("chat", "rather this")
	w.expect("chat", 1, "heard: go, rather this")
	close(h.open)
}

// TestAKillAfterMessagesJoined kills the gateway when two messages have joined a
// turn that has had an effect, while the model thinks about all of it.
func TestAKillAfterMessagesJoined(t *testing.T) {
	t.Parallel()
	asked, open := make(chan struct{}, 100), make(chan struct{})
	var killed atomic.Bool
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		said := persons(req)
		a := fakemodel.Say("heard: " + strings.Join(said, ", "))
		switch {
		case len(said) == 1 && lastUser(req) == "go":
			asked <- struct{}{}
			<-open
			return fakemodel.Call("effect", `{"text":"once"}`)
		case !killed.Load():
			asked <- struct{}{}
			a.Fault.Silence = true
		}
		return a
	}, settings{})
	w.say("chat", "go")
	<-asked
	w.say("chat", "and this", "and that")
	w.stored()
	close(open)
	<-asked
	killed.Store(true)
	w.kill()
	w.start()
	w.expect("chat", 1, "heard: go, and this, and that")
	if n := w.ran(); n != 1 {
		t.Errorf("the effect was had %d times", n)
	}
	w.say("chat", "go on")
	w.expect("chat", 2, "heard: go, and this, and that, go on")
}

// TestTwoPersonsOfAGroupShareATurn has people with equal rights write while a turn runs.
func TestTwoPersonsOfAGroupShareATurn(t *testing.T) {
	t.Parallel()
	h := newHeld("lookup")
	w := newWorld(t, h.answer, settings{})
	w.chat.Push(loopchat.Update{Chat: "group1", Sender: "anna", Text: "go", Mentioned: true})
	<-h.asked
	w.chat.Push(loopchat.Update{Chat: "group1", Sender: "bert", Text: "me too", Mentioned: true},
		loopchat.Update{Chat: "group1", Sender: "carl", Text: "not to the bot"},
		loopchat.Update{Chat: "group2", Sender: "anna", Text: "elsewhere", Mentioned: true})
	w.expect("group2", 1, "heard: elsewhere")
	w.stored()
	close(h.open)
	w.expect("group1", 1, "heard: go, me too")
}
