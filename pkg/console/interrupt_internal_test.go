package console

import (
	"errors"
	"os"
	"testing"

	"parley/pkg/events"
)

// TestCtrlCAfterTheStopLeaves, also while the turn of /stop itself is under way, and stops the next answer.
func TestCtrlCAfterTheStopLeaves(t *testing.T) {
	t.Parallel()
	c := New(Options{
		In: os.Stdin, Out: os.Stdout, LookupEnv: func(string) (string, bool) { return "", false }, Chat: "local",
		Busy: func() bool { return true },
	})
	m, post := c.model, newPostbox(nil)
	m.post = post
	stops := func() bool {
		m.interrupt()
		return len(post.posts) > 0 && (<-post.posts).inbound.Text == stopCommand
	}
	m.event(events.TurnBegun{Turn: "1", Text: "hello"}, true)
	if !stops() || m.leaves {
		t.Fatal("Ctrl-C does not stop the answer")
	}
	for _, when := range []func(){
		func() {},
		func() { m.event(events.Done{Turn: "1", Stop: events.StopStopped}, true) },
		func() { m.event(events.TurnBegun{Turn: "2", Text: stopCommand}, true) },
		func() { m.event(events.Done{Turn: "2", Stop: events.StopEnd}, true) },
	} {
		when()
		if stops() || !m.leaves || !errors.Is(m.left, ErrInterrupted) {
			t.Error("Ctrl-C after the stop does not leave")
		}
		m.leaves = false
	}
	m.event(events.TurnBegun{Turn: "3", Text: "drink water"}, false)
	if !stops() || m.leaves {
		t.Error("Ctrl-C does not stop the next answer")
	}
	m.send("more")
	<-post.posts
	if !stops() || m.leaves {
		t.Error("Ctrl-C does not stop the answer to the next message")
	}
}
