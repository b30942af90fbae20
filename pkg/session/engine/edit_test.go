package engine_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// known is a message that an edit can name.
func known(chat, id, text string) session.Item {
	it := message(chat, id, text)
	it.Inbound.Kind, it.Inbound.MessageID = channels.KindMessage, id
	return it
}

func edited(chat, id, of, text string) session.Item {
	it := known(chat, id, text)
	it.Inbound.Kind, it.Inbound.MessageID, it.Edit = channels.KindEdit, of, session.EditDrop
	return it
}

// attempts runs turns that the test ends: with nil by a commit, else with its error.
func attempts(t *testing.T, e *local.Engine) (began <-chan string, end chan<- error) {
	t.Helper()
	texts, ends, ran := make(chan string), make(chan error), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		ran <- e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			texts <- turn.Info().Items[0].Inbound.Text
			if err := <-ends; err != nil {
				return err
			}
			return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	})
	return texts, ends
}

// behind queues an append behind the queued writes, in one transaction with them.
func behind(t *testing.T, e *local.Engine, item session.Item) <-chan error {
	t.Helper()
	stored, queued := make(chan error, 1), engine.Queued(e.Engine)
	go func() { stored <- e.Inbox().Append(t.Context(), []session.Item{item}, nil) }()
	for engine.Queued(e.Engine) == queued {
		runtime.Gosched()
	}
	return stored
}

// TestEditOfATurnThatWasAbandoned: a turn that began early, in a transaction that
// failed, has no hold on its message any more.
func TestEditOfATurnThatWasAbandoned(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	began, end := attempts(t, e)
	put(t, e, message("a", "1", "hello"))
	<-began
	end <- nil
	waitIdle(e)

	stalled, release := engine.Stall(t.Context(), e.Engine)
	<-stalled
	first := behind(t, e, known("a", "2", "old"))
	engine.Spoil(t.Context(), e.Engine)
	second := behind(t, e, edited("a", "3", "2", "new"))
	release()
	if got := <-began; got != "old" {
		t.Fatalf("the turn that began early has %q", got)
	}
	for _, stored := range []<-chan error{first, second} {
		if err := <-stored; err != nil {
			t.Fatal(err)
		}
	}
	end <- nil // refused: its message was not stored when it began
	if got := <-began; got != "new" {
		t.Errorf("the turn has %q, want the edit", got)
	}
	end <- nil
	waitIdle(e)
}

// TestEditOfATurnThatHasEnded: an attempt that gave up has no hold on its
// message either, also while it is being put away.
func TestEditOfATurnThatHasEnded(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	began, end := attempts(t, e)
	put(t, e, known("a", "1", "old"))
	<-began
	stalled, release := engine.Stall(t.Context(), e.Engine)
	<-stalled
	end <- errors.New("the model is out")
	for engine.Queued(e.Engine) == 0 { // the attempt waits for its writes
		runtime.Gosched()
	}
	stored := behind(t, e, edited("a", "2", "1", "new"))
	release()
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if got := <-began; got != "new" {
		t.Errorf("the next attempt has %q, want the edit", got)
	}
	end <- nil
	waitIdle(e)
}

// TestEditOfADamagedLedger: where the items of an interrupted turn are unknown, none
// that may be its own is reworded.
func TestEditOfADamagedLedger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone := errors.New("not now")
	closing(t, dir, func(e *local.Engine) {
		put(t, e, known("a", "1", "old"))
		run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
			return true, errors.Join(gone, turn.Record(ctx, session.Step{Kind: session.StepAnswer, Round: 1, Await: true}))
		})
	})
	spoil(t, dir, "steps", 0)
	for _, id := range []string{"2", "3"} { // the damaged step is in its place, then set aside
		closing(t, dir, func(e *local.Engine) {
			put(t, e, edited("a", id, "1", "new"))
			run(t, e, func(_ context.Context, turn session.Turn) (bool, error) {
				if got := turn.Info().Items[0].Inbound.Text; got != "old" || turn.Info().Lost < 3 {
					t.Errorf("the turn has %q and is lost %d times", got, turn.Info().Lost)
				}
				return true, gone
			})
		})
	}
}
