package events_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/events"
)

// short are events by their names and what tells them apart.
func short(lines []string) string {
	cut := make([]string, len(lines))
	for i, l := range lines {
		cut[i] = strings.Join(strings.Fields(l)[:2], " ")
	}
	return strings.Join(cut, ", ")
}

func deliver(h *events.Hub, id string) { h.Delivered(at("1"), id, events.Message{ID: id}) }

func done(turn *events.Turn, id, awaits string) { turn.Done(events.Done{Turn: id}, awaits) }

// TestTheNextTurnWaitsForTheMessage of the turn before: its events follow the message and the
// end of that one, whichever of them the hub hears of first.
func TestTheNextTurnWaitsForTheMessage(t *testing.T) {
	t.Parallel()
	const first, second = "turn {t1, token {a}, message {m1, done {t1", "turn {t2, token {b}"
	for name, c := range map[string]struct {
		tell func(h *events.Hub)
		want string
	}{
		"the next turn runs": {func(h *events.Hub) {
			say(h, "1", "t2", "b")
			deliver(h, "m1")
		}, first + ", " + second},
		"the next turn is over": {func(h *events.Hub) {
			done(say(h, "1", "t2", "b"), "t2", "m2")
			deliver(h, "m1")
			deliver(h, "m2")
		}, first + ", " + second + ", message {m2, done {t2"},
		"the next turn has no message": {func(h *events.Hub) {
			done(say(h, "1", "t2", "b"), "t2", "")
			deliver(h, "m1")
		}, first + ", " + second + ", done {t2"},
		"two turns wait": {func(h *events.Hub) {
			done(say(h, "1", "t2", "b"), "t2", "m2")
			done(say(h, "1", "t3"), "t3", "m3")
			deliver(h, "m1")
			deliver(h, "m2")
			deliver(h, "m3")
		}, first + ", " + second + ", message {m2, done {t2, turn {t3, message {m3, done {t3"},
		"the next turn begins anew": {func(h *events.Hub) {
			say(h, "1", "t2").Abandon()
			say(h, "1", "t2", "b")
			deliver(h, "m1")
		}, first + ", turn {t2, " + second},
		"the message cannot be delivered": {func(h *events.Hub) {
			say(h, "1", "t2", "b")
			h.Delivered(at("1"), "m1", events.Notice{Code: "not_delivered"})
		}, "turn {t1, token {a}, notice {not_delivered, done {t1, " + second},
	} {
		h := events.New(events.Options{})
		before := h.Mark(at("1"))
		done(say(h, "1", "t1", "a"), "t1", "m1")
		c.tell(h)
		lines, ids := drain(t, h, "1", before)
		if d := cmp.Diff(c.want, short(lines)); d != "" {
			t.Errorf("%s: %s", name, d)
			continue
		}
		for i := range ids {
			rest, _ := drain(t, h, "1", ids[i])
			if d := cmp.Diff(lines[i+1:], withoutEnd(rest)); d != "" {
				t.Errorf("%s: after %s: %s", name, lines[i], d)
			}
		}
	}
}

// TestAWaitingTurnIsFound by its message, and by a reader that comes while it waits.
func TestAWaitingTurnIsFound(t *testing.T) {
	t.Parallel()
	h := events.New(events.Options{})
	done(say(h, "1", "t1", "a"), "t1", "m1")
	h.Begin(at("1"), events.TurnBegun{Turn: "t2", Message: "i2"}).Token("b")
	mark, ok := h.MarkOf(at("1"), "i2")
	if !ok {
		t.Fatal("the turn of the message is not known")
	}
	anew := h.Mark(at("1"))
	deliver(h, "m1")
	for _, after := range []string{mark, anew} {
		lines, _ := drain(t, h, "1", after)
		if d := cmp.Diff("message {m1, done {t1, turn {t2, token {b}", short(withoutEnd(lines))); d != "" {
			t.Error(d)
		}
	}
	lines, _ := drain(t, h, "1", h.Mark(at("1")))
	if d := cmp.Diff("turn {t2, token {b}", short(withoutEnd(lines))); d != "" {
		t.Errorf("behind the wait: %s", d)
	}
}

// TestAMessageThatNeverComes holds the next turn's events for a time and a size. Then the
// readers are told to read the chat anew: no order of events is made up.
func TestAMessageThatNeverComes(t *testing.T) {
	t.Parallel()
	for name, pass := range map[string]func(*events.Turn){
		"time": func(*events.Turn) { <-time.After(time.Minute) },
		"size": func(turn *events.Turn) {
			for range 100 {
				turn.Token(strings.Repeat("long ", 2_000))
			}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := events.New(events.Options{})
			r, err := h.Follow(at("1"), "")
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			done(say(h, "1", "t1", "a"), "t1", "never")
			if _, err := r.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			turn := h.Begin(at("1"), events.TurnBegun{Turn: "t2", Chat: "1"})
			pass(turn)
			now, cancel := context.WithTimeout(t.Context(), time.Second) // time is no help against size
			defer cancel()
			if _, err := r.Next(now); !errors.Is(err, events.ErrReset) {
				t.Errorf("%s: %v", name, err)
			}
			lines, _ := drain(t, h, "1", h.Mark(at("1")))
			if len(lines) == 0 || !strings.HasPrefix(lines[0], "turn {t2") {
				t.Errorf("%s: %.200q", name, lines)
			}
			turn.Abandon()
			<-time.After(time.Hour)
		})
	}
}

// TestWaitingEventsAreBounded for all chats together, and leave no trace in the count.
func TestWaitingEventsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := events.New(events.Options{})
		for i := range 400 {
			chat := string(rune('a'+i%26)) + strings.Repeat("x", i/26)
			here := channels.Address{Channel: "web", Chat: chat}
			h.Begin(here, events.TurnBegun{Turn: "t1"}).Done(events.Done{Turn: "t1"}, "never")
			turn := h.Begin(here, events.TurnBegun{Turn: "t2"})
			for range 30 {
				turn.Token(strings.Repeat("long ", 2_000))
			}
			turn.Abandon()
		}
		if h.Size() > events.MaxAll+400*(64<<10) {
			t.Errorf("%d bytes", h.Size())
		}
		<-time.After(time.Hour)
		if h.Size() != 0 || h.Chats() != 0 {
			t.Errorf("%d bytes of %d chats after an hour", h.Size(), h.Chats())
		}
	})
}
