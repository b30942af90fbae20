package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/loopchat/server"
	"parley/internal/test/rig"
)

// asks lets the rig's model answer.
func asks() brain {
	b := rig.NewBrain()
	return func(req fakemodel.Request) fakemodel.Answer {
		resp, _ := b.Decide(req.Messages)
		return fakemodel.Answer{LLMResponse: *resp}
	}
}

// unharmed fails on the faults that the platform's ledger holds against the gateway.
func (w *world) unharmed() {
	w.t.Helper()
	if r := w.chat.Report(); r.Answered != r.Asked || r.Duplicates+r.Inversions+r.Misrouted+r.Phantoms > 0 {
		w.t.Errorf("the platform saw %+v", r)
	}
}

func TestABurstOf500MessagesInOneChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asks(), settings{})
	questions := make([]server.Question, 500)
	for i := range questions {
		questions[i] = server.Question{Chat: "chat", Text: fmt.Sprint("message ", i)}
	}
	if err := server.WaitAnswered(w.ctx, w.chat.AskAll(questions)...); err != nil {
		t.Fatal(err)
	}
	w.unharmed()
	if mb := w.peak(); mb > 100 && raceFlags != "-race" {
		t.Errorf("the gateway took %d MiB", mb)
	}
}

func TestFiftyChatsWorkBesideOneThatHangs(t *testing.T) {
	t.Parallel()
	b := asks()
	hung := make(chan struct{}, 10)
	silent := fakemodel.Say("never")
	silent.Fault.Silence = true
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		if lastUser(req) == "hang" {
			hung <- struct{}{}
			return silent
		}
		return b(req)
	}, settings{})
	w.say("stuck", "hang")
	<-hung
	var questions []server.Question
	for range 4 {
		for chat := range 50 {
			script := rig.Script{Rounds: [][]rig.ScriptCall{{{Tool: "lookup", Args: map[string]any{"text": "x"}}}}}
			questions = append(questions, server.Question{Chat: fmt.Sprint("chat", chat), Text: script.Text()})
		}
	}
	if err := server.WaitAnswered(w.ctx, w.chat.AskAll(questions)...); err != nil {
		t.Fatal(err)
	}
	w.unharmed()
	w.say("stuck", "/stop")
	w.expect("stuck", 1, "Stopped.")
}

// TestManyLargeMessages fills a chat with messages of a megabyte each.
func TestManyLargeMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		return fakemodel.Say(fmt.Sprintf("heard %.10s in %d messages", lastUser(req), len(persons(req))))
	}, settings{})
	const n = 30
	for i := range n {
		w.say("chat", fmt.Sprintf("large%05d ", i)+strings.Repeat("word ", 200_000))
		w.told("chat", i+1)
	}
	if got := w.texts("chat")[n-1]; got[:16] != "heard large00029" {
		t.Errorf("told %q", got)
	}
	w.say("chat", "a small one")
	w.told("chat", n+1)
	if mb := w.peak(); mb > 200 && raceFlags != "-race" {
		t.Errorf("the gateway took %d MiB", mb)
	}
}
