package ongoing_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent/ongoing"
	"parley/pkg/session"
)

// TestTheTurnThatAsksGoesOn: the turn that has its own chat forgotten is neither ended nor waited for; one that
// begins meanwhile waits, and does not run.
func TestTheTurnThatAsksGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w ongoing.Works
		chat := ongoing.Of{Chat: "c1"}
		asks, asked, err := w.Begin(t.Context(), ongoing.Of{Chat: "c1", Session: "s1"}, "turn 1")
		if err != nil {
			t.Fatal(err)
		}
		other, over, err := w.Begin(t.Context(), ongoing.Of{Chat: "c1", Session: "s2"}, "turn 2")
		if err != nil {
			t.Fatal(err)
		}
		release := w.Hold(asks, chat)
		if asks.Err() != nil || !errors.Is(context.Cause(other), session.ErrForgotten) {
			t.Errorf("the turn that asks: %v, the other one: %v", asks.Err(), context.Cause(other))
		}
		late := make(chan error, 1)
		go func() {
			_, _, err := w.Begin(t.Context(), ongoing.Of{Chat: "c1", Session: "s1"}, "turn 3")
			late <- err
		}()
		soon, cancel := context.WithTimeout(asks, time.Second)
		defer cancel()
		if err := w.Turns(soon, chat); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with the other turn: %v", err)
		}
		over()
		if err := errors.Join(w.Turns(asks, chat), w.All(asks, chat)); err != nil {
			t.Error(err)
		}
		if len(late) != 0 {
			t.Error("a turn begins while the chat is held")
		}
		release(true)
		if err := <-late; !errors.Is(err, session.ErrForgotten) {
			t.Errorf("the late turn: %v", err)
		}
		if _, _, err := w.Begin(t.Context(), ongoing.Of{Chat: "c1", Session: "s1"}, "turn 4"); !errors.Is(err, session.ErrForgotten) {
			t.Errorf("a turn that was read before the forget: %v", err)
		}
		asked()
		if err := w.All(t.Context(), chat); err != nil {
			t.Error(err)
		}
	})
}
