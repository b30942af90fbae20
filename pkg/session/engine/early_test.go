package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// TestTurnBeginsWhileItsMessageIsSynced: the turn of an idle chat is handed out before
// its message is durable, and its writes wait for the message.
func TestTurnBeginsWhileItsMessageIsSynced(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	handed, commit := make(chan session.TurnInfo, 4), make(chan struct{})
	ran := make(chan error, 1)
	go func() {
		ran <- e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
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
func shared(t *testing.T, e *local.Engine, item session.Item) (stored <-chan error, release func()) {
	t.Helper()
	return together(t, e, func() error { return e.Inbox().Append(t.Context(), []session.Item{item}, nil) })
}

// together makes a write in a transaction that is not committed until release is
// called, with the writes of behind.
func together(t *testing.T, e *local.Engine, write func() error, behind ...func()) (stored <-chan error, release func()) {
	t.Helper()
	first, next := engine.Stall(t.Context(), e.Engine)
	<-first
	result := make(chan error, 1)
	queued := engine.Queued(e.Engine)
	go func() { result <- write() }()
	for engine.Queued(e.Engine) == queued {
		runtime.Gosched()
	}
	_, release = engine.Stall(t.Context(), e.Engine) // behind the write, in its transaction
	for _, f := range behind {
		f()
	}
	next()
	return result, release
}

// waitIdle waits until no chat has a turn.
func waitIdle(e *local.Engine) {
	for !engine.NoTurns(e.Engine) {
		runtime.Gosched()
	}
}

// TestMessageIsHandedOutWhileItIsSynced: a message that leaves at once is handed
// out before it is durable, and its plan waits for that.
func TestMessageIsHandedOutWhileItIsSynced(t *testing.T) {
	t.Parallel()
	s := newSpeaker(t)
	stored, release := together(t, s.e, func() error { return s.say(t.Context(), "answer") })
	d := <-s.handed // its transaction has not been committed
	planned := make(chan error, 1)
	go func() { planned <- d.Plan(t.Context(), []string{"answer"}) }()
	select {
	case err := <-planned:
		t.Errorf("the plan ended before its transaction: %v", err)
	case err := <-stored:
		t.Errorf("the message is durable before its transaction: %v", err)
	default:
	}
	release()
	if err := errors.Join(<-stored, <-planned, d.Settle(t.Context(), channels.Outcome{State: channels.Delivered})); err != nil {
		t.Error(err)
	}
	close(s.next)
	s.end()
}

// TestMessageThatWasNotStoredDoesNotLeave: a delivery of a transaction that failed
// cannot be planned, and leaves once when it was stored after all.
func TestMessageThatWasNotStoredDoesNotLeave(t *testing.T) {
	t.Parallel()
	s := newSpeaker(t)
	stored, release := together(t, s.e, func() error { return s.say(t.Context(), "answer") }, func() { engine.Spoil(t.Context(), s.e.Engine) })
	early := <-s.handed
	release()
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if err := early.Plan(t.Context(), []string{"answer"}); !errors.Is(err, session.ErrFenced) {
		t.Errorf("a plan for what was not stored: %v", err)
	}
	if err := early.Settle(t.Context(), channels.Outcome{State: channels.Delivered}); !errors.Is(err, session.ErrFenced) {
		t.Errorf("an end of what was not stored: %v", err)
	}
	s.next <- struct{}{}
	again := <-s.handed
	if id := again.Info().Outbound.ID; id != early.Info().Outbound.ID {
		t.Errorf("%s was handed out after %s", id, early.Info().Outbound.ID)
	}
	if err := errors.Join(again.Plan(t.Context(), []string{"answer"}),
		again.Settle(t.Context(), channels.Outcome{State: channels.Delivered})); err != nil {
		t.Error(err)
	}
	close(s.next)
	s.end()
}

// speaker is a store with a turn that says something now and then.
type speaker struct {
	e      *local.Engine
	turn   session.Turn
	handed chan channels.Delivery // deliveries that are to leave
	next   chan struct{}          // releases the delivery that was handed out
	end    func()
}

func newSpeaker(t *testing.T) *speaker {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &speaker{e: open(t, t.TempDir()), handed: make(chan channels.Delivery), next: make(chan struct{})}
	turns, ran := make(chan session.Turn), make(chan error, 2)
	go func() {
		ran <- s.e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			turns <- turn
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	put(t, s.e, message("a", "1", "hello"))
	s.turn = <-turns
	go func() {
		ran <- s.e.Outbox().RunOutbox(ctx, "test", "bot", func(_ context.Context, d channels.Delivery) error {
			s.handed <- d
			<-s.next
			return nil
		})
	}()
	for !engine.Sends(s.e.Engine, s.turn.Info().Address) {
		runtime.Gosched()
	}
	s.end = func() {
		cancel()
		if err := errors.Join(<-ran, <-ran); err != nil {
			t.Error(err)
		}
	}
	return s
}

func (s *speaker) say(ctx context.Context, id string) error {
	out := channels.Outbound{ID: id, Address: s.turn.Info().Address, Text: id}
	return s.turn.Record(ctx, session.Step{Kind: session.StepShown, Outbox: []channels.Outbound{out}, Await: true})
}

// fullAtAppend: a turn that began before its message turned out not to be stored leaves
// no record behind, and the message is answered when it comes again.
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
		ran <- s.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
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
	if err := s.Inbox().Append(ctx, []session.Item{second}, nil); !errors.Is(err, session.ErrStore) {
		return fmt.Errorf("an append to a full disk: %w", err)
	}
	if got := <-began; got != "2" {
		return fmt.Errorf("the turn of %s began early, want 2", got)
	}
	if err := s.disk.free(); err != nil {
		return err
	}
	// Another message takes the place that the second one would have had.
	if err := s.Inbox().Append(ctx, []session.Item{message("a", "3", "hello")}, nil); err != nil {
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
	if err := s.Inbox().Append(ctx, []session.Item{second}, nil); err != nil {
		return fmt.Errorf("the message comes again: %w", err)
	}
	if err := answered("2"); err != nil {
		return err
	}
	cancel(nil)
	return <-ran
}
