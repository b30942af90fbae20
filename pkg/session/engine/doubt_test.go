package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/engine"
	"parley/pkg/session/kv"
)

// doubtful is a store of which a commit fails whenever lost has an error for it, and reaches the disk and fails
// all the same whenever late has one.
type doubtful struct {
	kv.Store

	lost, late chan error
}

func (s doubtful) Update(f func(kv.Tx) error) error {
	err := s.Store.Update(func(k kv.Tx) error {
		err := f(k)
		select {
		case failed := <-s.lost:
			return errors.Join(err, failed)
		default:
			return err
		}
	})
	select {
	case failed := <-s.late:
		return errors.Join(err, failed)
	default:
		return err
	}
}

// all are the values of a channel that is closed.
func all(from <-chan string) (got []string) {
	for s := range from {
		got = append(got, s)
	}
	return got
}

// TestATextOfACommitInDoubtIsShown: a text that is delivered by being stored reaches the disk with a commit that
// fails. It is shown once, after the next commit; and so is one that is stored by the second attempt.
func TestATextOfACommitInDoubtIsShown(t *testing.T) {
	t.Parallel()
	file, err := bolt.Open(t.Context(), bolt.Options{Dir: t.TempDir(), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	s := doubtful{file, make(chan error, 1), make(chan error, 1)}
	e, err := engine.Open(t.Context(), s, engine.Options{Log: zerolog.Nop(), SnapshotEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	shown := make(chan string, 9)
	defer e.Outbox().AtOnce("test", "bot", func(o *channels.Outbound) (show func(), ok bool) {
		id := o.ID
		return func() { shown <- id }, true
	})()
	ctx, stop := context.WithCancel(t.Context())
	ended, turns := make(chan error, 2), make(chan session.Turn)
	go func() {
		ended <- e.Outbox().RunOutbox(ctx, "test", "bot", func(context.Context, channels.Delivery) error {
			return errors.New("a text takes the whole way")
		})
	}()
	out := channels.Outbound{ID: "answer", Address: message("a", "", "").Address, Text: "answer"}
	go func() {
		ended <- e.Inbox().Run(ctx, func(_ context.Context, turn session.Turn) error {
			turns <- turn
			<-turns
			return nil
		})
	}()
	say := func(id string) {
		t.Helper()
		if err := e.Inbox().Append(t.Context(), []session.Item{message("a", id, "hi")}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for !engine.Sends(e, out.Address) {
		engine.Barrier(t.Context(), e)
	}
	say("1")
	turn := <-turns
	engine.Barrier(t.Context(), e)
	commit := func(id string, fails chan<- error) {
		t.Helper()
		out.ID = id
		fails <- errors.New("the disk failed")
		err := turn.Commit(t.Context(), session.Commit{Outcome: session.OutcomeAnswered, Outbox: []channels.Outbound{out}})
		if !errors.Is(err, session.ErrStore) {
			t.Errorf("the commit: %v", err)
		}
	}
	commit("lost", s.lost)
	commit("lost", s.lost)
	commit("answer", s.late)
	if r, err := e.Outbox().Receipt(t.Context(), out.ID); err != nil || r.MessageID != out.ID {
		t.Errorf("the message is stored as delivered, but %v, %v", r, err)
	}
	turns <- turn
	say("2") // the store can be written again
	engine.Barrier(t.Context(), e)
	second := <-turns
	s.lost <- errors.New("the disk failed")
	out.ID = "second"
	for _, want := range []error{session.ErrStore, nil} {
		err := second.Commit(t.Context(), session.Commit{Outcome: session.OutcomeAnswered, Outbox: []channels.Outbound{out}})
		if !errors.Is(err, want) {
			t.Errorf("the commit: %v, want %v", err, want)
		}
	}
	turns <- second
	engine.Barrier(t.Context(), e)
	close(shown)
	if got := all(shown); !slices.Equal(got, []string{"answer", "second"}) {
		t.Errorf("shown are %q: each message that is stored is shown, once", got)
	}
	stop()
	if err := errors.Join(<-ended, <-ended); err != nil {
		t.Error(err)
	}
}
