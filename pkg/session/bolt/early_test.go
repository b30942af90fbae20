package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
)

// TestTurnBeginsWhileItsMessageIsSynced: the turn of an idle chat is handed out
// before its message is durable, and what it writes waits for the message.
func TestTurnBeginsWhileItsMessageIsSynced(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	handed, commit := make(chan session.TurnInfo, 4), make(chan struct{})
	ran := make(chan error, 1)
	go func() {
		ran <- e.Run(ctx, func(ctx context.Context, turn session.Turn) error {
			handed <- turn.Info()
			<-commit
			return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
		})
	}()
	put(t, e, message("a", "1", "hello"))
	first := <-handed
	commit <- struct{}{}
	waitIdle(e)

	stored, release := shared(t, e, message("a", "2", "again"))
	second := <-handed // the transaction of the message has not been committed
	commit <- struct{}{}
	select {
	case err := <-stored:
		t.Errorf("the append ended before its transaction: %v", err)
	default:
	}
	release()
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	waitIdle(e)
	if second.Session != first.Session || second.Chat != first.Chat || second.Address != first.Address || second.ID == first.ID ||
		len(second.Items) != 1 || second.Items[0].ID != "2" || second.Items[0].Inbound.Text != "again" {
		t.Errorf("the turn that began early is %+v, the one before was %+v", second, first)
	}
	cancel()
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

// shared appends an item in a transaction that is not committed until release is called.
func shared(t *testing.T, e *bolt.Engine, item session.Item) (stored <-chan error, release func()) {
	t.Helper()
	first, next := bolt.Stall(t.Context(), e)
	<-first
	result := make(chan error, 1)
	queued := bolt.Queued(e)
	go func() { result <- e.Append(t.Context(), []session.Item{item}, nil) }()
	for bolt.Queued(e) == queued {
		runtime.Gosched()
	}
	_, release = bolt.Stall(t.Context(), e) // behind the item, in its transaction
	next()
	return result, release
}

// waitIdle waits until no chat has a turn.
func waitIdle(e *bolt.Engine) {
	for !bolt.NoTurns(e) {
		runtime.Gosched()
	}
}

// fullAtAppend: a turn that began before its message turned out not to be
// stored leaves nothing behind, and the message is answered when it comes again.
func fullAtAppend(ctx context.Context, s store) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type attempt struct {
		id  string
		err error
	}
	began, ended := make(chan string, 8), make(chan attempt, 8)
	proceed := make(chan struct{})
	ran := make(chan error, 1)
	go func() {
		ran <- s.Run(ctx, func(ctx context.Context, turn session.Turn) error {
			id := turn.Info().Items[0].ID
			began <- id
			select {
			case <-proceed:
			case <-ctx.Done():
				return ctx.Err()
			}
			c := session.Commit{
				Outcome: session.OutcomeAnswered,
				Outbox:  []channels.Outbound{{ID: "answer to " + id, Address: turn.Info().Address, Text: "text"}},
			}
			err := turn.Commit(ctx, c)
			ended <- attempt{id, err}
			return err
		})
	}()
	answered := func(id string) error {
		if got := <-began; got != id {
			return fmt.Errorf("the turn of %s began, want %s", got, id)
		}
		proceed <- struct{}{}
		if got := <-ended; got.id != id || got.err != nil {
			return fmt.Errorf("the turn of %s: %s, %w", id, got.id, got.err)
		}
		return nil
	}
	if err := answered("1"); err != nil {
		return err
	}
	waitIdle(s.Engine)
	if err := s.disk.squeeze(); err != nil {
		return fmt.Errorf("squeeze: %w", err)
	}
	second := message("a", "2", strings.Repeat(large(), 40))
	if err := s.Append(ctx, []session.Item{second}, nil); !errors.Is(err, session.ErrStore) {
		return fmt.Errorf("an append to a full disk: %w", err)
	}
	if got := <-began; got != "2" {
		return fmt.Errorf("the turn of %s began early, want 2", got)
	}
	if err := s.disk.free(); err != nil {
		return err
	}
	// Another message takes the place that the second one would have had.
	if err := s.Append(ctx, []session.Item{message("a", "3", "hello")}, nil); err != nil {
		return fmt.Errorf("there is room again: %w", err)
	}
	proceed <- struct{}{}
	if got := <-ended; !errors.Is(got.err, session.ErrFenced) {
		return fmt.Errorf("a commit for a message that was not stored: %w", got.err)
	}
	if err := answered("3"); err != nil {
		return err
	}
	waitIdle(s.Engine)
	if err := s.Append(ctx, []session.Item{second}, nil); err != nil {
		return fmt.Errorf("the message comes again: %w", err)
	}
	if err := answered("2"); err != nil {
		return err
	}
	cancel(nil)
	return <-ran
}
