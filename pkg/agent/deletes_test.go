package agent_test

import (
	"slices"
	"strings"
	"testing"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/tools"
)

// deleted is that the owner takes back the message with the given number.
func (w *world) deleted(of int) channels.Inbound {
	w.t.Helper()
	in := w.edited("1", "1", of, "")
	in.Kind, in.Original = channels.KindDelete, in.MessageID
	return in
}

func TestAMessageThatWaitsIsTakenBack(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]option{
		"before it joins the running turn": nil,
		"before it starts the next turn":   {withOptions(queued)},
		"where edits are answered":         {withOptions(answering)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGate()
			w := newWorld(t, script(gated), []tools.Tool{g.tool()}, opts...)
			w.write("1", "1", "go")
			<-g.entered
			w.write("1", "1", "my password")
			gone := w.deleted(2)
			w.accept(gone)
			late := w.edited("1", "1", 2, "my pass word")
			late.Original = late.MessageID
			again := late
			again.ID, again.Kind, again.Original, again.Text = "2", channels.KindMessage, "", "my password"
			w.accept(late, again, gone)
			close(g.open)
			w.expectText("seen: go")
			w.settled()
			if got := w.transcript("1"); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "pass") }) {
				t.Errorf("what was taken back is in the history: %q", got)
			}
		})
	}
}

func TestADeletionOfWhatIsBeingAnsweredOrWas(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()}, withOptions(answering))
	w.write("1", "1", "go")
	<-g.entered
	w.accept(w.deleted(1))
	close(g.open)
	w.expectText("seen: go")
	w.settled()
	w.accept(w.deleted(1))
	w.write("1", "1", "on")
	w.expectText("seen: go, on")
	w.settled()
}

// TestWhatOvertakesItsMessage: an edit that comes first is the message, a deletion that
// comes first leaves none, and both leave another account's message alone.
func TestWhatOvertakesItsMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(gated), nil)
	edit := w.edited("1", "1", 98, "better")
	edit.Original = "98"
	gone := w.deleted(99)
	w.accept(gone)
	w.settled()
	w.accept(edit)
	w.expectText("seen: better")
	original := func(id, account string) channels.Inbound {
		in := edit
		in.ID, in.MessageID, in.Kind, in.Original, in.Text = id, id, channels.KindMessage, "", "old"
		in.Address.Account = account
		return in
	}
	w.accept(original("98", ""), original("99", ""))
	w.settled()
	w.write("1", "1", "next")
	w.expectText("seen: better, next")
	w.settled()
	for _, id := range []string{"98", "99"} {
		other := original(id, "of "+id)
		w.accept(other)
		if _, err := w.eng.Sessions().Lookup(t.Context(), other.Address); err != nil {
			t.Errorf("message %s of another account was swallowed: %v", id, err)
		}
	}
}

// TestACommandIsTakenBack: one that waits is as if it had not been sent; one that was
// obeyed stays obeyed, and answered.
func TestACommandIsTakenBack(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()})
	w.write("1", "1", "go")
	<-g.entered
	w.write("1", "1", "/new")
	w.accept(w.deleted(2))
	close(g.open)
	w.expectText("seen: go")
	w.settled()
	w.write("1", "1", "on")
	w.expectText("seen: go, on")

	asked := make(chan struct{}, 1)
	w = newWorld(t, hanging(asked), nil, withOptions(func(o *agent.Options) { o.WhileBusy = turn.Queue }))
	w.write("1", "1", "hang")
	<-asked
	w.write("1", "1", "/stop")
	w.expectText("Stopped.")
	w.accept(w.deleted(2))
	w.settled()
}
