package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// Opener opens the engine with its state in dir, for the first time or again.
type Opener func(t testing.TB, dir string) session.Engine

// Crasher is an engine that can be given up without being closed.
type Crasher interface {
	// Crash leaves the store as a killed process would.
	Crash()
}

// patience is how long the suite waits for something that must happen.
const patience = time.Minute

// Run runs the whole suite.
func Run(t *testing.T, open Opener) {
	t.Helper()
	groups := []struct {
		name  string
		tests []test
	}{
		{"inbox", inboxTests()},
		{"edits", editTests()},
		{"overtaking", overtakingTests()},
		{"deletes", deleteTests()},
		{"albums", albumTests()},
		{"turn", turnTests()},
		{"recovery", recoveryTests()},
		{"outbox", outboxTests()},
		{"receipts", receiptTests()},
		{"drained", drainedTests()},
		{"sessions", sessionTests()},
		{"conversations", conversationTests()},
		{"latest", latestTests()},
		{"background", backgroundTests()},
		{"jobs", jobTests()},
		{"facts", factTests()},
		{"reading", readingTests()},
		{"agents", agentTests()},
		{"pairs", pairTests()},
		{"approvals", approvalTests()},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			for _, tt := range g.tests {
				t.Run(tt.name, func(t *testing.T) {
					t.Parallel()
					tt.run(newBench(t, open))
				})
			}
		})
	}
}

type test struct {
	name string
	run  func(b *bench)
}

// bench is an engine under test.
type bench struct {
	*testing.T
	open Opener
	dir  string
	e    session.Engine
	// notes counts those to paired people.
	notes int
}

func newBench(t *testing.T, open Opener) *bench {
	t.Helper()
	b := &bench{T: t, open: open, dir: t.TempDir()}
	b.e = open(t, b.dir)
	t.Cleanup(func() { b.must(b.e.Close()) })
	return b
}

// reopen closes the engine in order and opens it again.
func (b *bench) reopen() {
	b.Helper()
	b.must(b.e.Close())
	b.e = b.open(b.T, b.dir)
}

// crash gives the engine up and opens the store again.
func (b *bench) crash() {
	b.Helper()
	c, ok := b.e.(Crasher)
	if !ok {
		b.Skip("the engine cannot crash: it has no method Crash")
	}
	c.Crash()
	b.e = b.open(b.T, b.dir)
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) wantErr(err, want error) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Fatalf("got error %v, want %v", err, want)
	}
}

func (b *bench) append(items ...session.Item) {
	b.Helper()
	b.must(b.e.Inbox().Append(b.Context(), items, nil))
}

func addr(chat string) channels.Address {
	return channels.Address{Channel: "test", Account: "bot", Chat: chat}
}

// item is a message in a chat.
func item(chat, id string) session.Item {
	return textItem(chat, id, "text of "+id)
}

func textItem(chat, id, text string) session.Item {
	in := channels.Inbound{ID: id, Kind: channels.KindMessage, Address: addr(chat), Text: text}
	return session.Item{ID: "test/bot/" + id, Kind: session.ItemMessage, Address: addr(chat), Inbound: &in}
}

func items(chat string, n int) []session.Item {
	out := make([]session.Item, n)
	for i := range out {
		out[i] = item(chat, fmt.Sprintf("%s-%03d", chat, i))
	}
	return out
}

func ids(list []session.Item) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].ID
	}
	return out
}

// handed is something that the engine handed out; the handler waits for the
// test to say how it ends.
type handed[T any] struct {
	what T
	end  chan<- error
}

// worker is a running Run or RunOutbox.
type worker[T any] struct {
	b    *bench
	got  chan handed[T]
	stop func() error
}

func work[T any](b *bench, run func(ctx context.Context, h func(context.Context, T) error) error) *worker[T] {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	w := &worker[T]{b: b, got: make(chan handed[T])}
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, func(ctx context.Context, what T) error {
			end := make(chan error)
			select {
			case w.got <- handed[T]{what: what, end: end}:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case err := <-end:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	stopped := false
	w.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-ended
	}
	b.Cleanup(func() { _ = w.stop() })
	return w
}

// turns runs the inbox.
func (b *bench) turns() *worker[session.Turn] {
	b.Helper()
	return work(b, b.e.Inbox().Run)
}

// running lets h take turns until stop, which waits for the end of Run.
func (b *bench) running(h func(context.Context, session.Turn) error) (stop func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.e.Inbox().Run(ctx, h) }()
	return func() {
		b.Helper()
		cancel()
		b.must(<-ended)
	}
}

// deliveries runs the outbox of the test's account.
func (b *bench) deliveries() *worker[channels.Delivery] {
	b.Helper()
	return work(b, func(ctx context.Context, h func(context.Context, channels.Delivery) error) error {
		return b.e.Outbox().RunOutbox(ctx, "test", "bot", h)
	})
}

// next waits for the next thing that is handed out.
func (w *worker[T]) next() handed[T] {
	w.b.Helper()
	select {
	case h := <-w.got:
		return h
	case <-time.After(patience):
		w.b.Fatal("nothing was handed out")
		panic("unreachable")
	}
}

// none checks that no item is handed out, at a moment when a wrong one would have been:
// after another write has gone the whole way.
func (w *worker[T]) none(settle time.Duration) {
	w.b.Helper()
	select {
	case h := <-w.got:
		w.b.Fatalf("unexpectedly handed out: %+v", h.what)
	case <-time.After(settle):
	}
}

// answer commits the turn with an answer and the given messages.
func (b *bench) answer(h handed[session.Turn], c session.Commit) {
	b.Helper()
	if c.Outcome == "" {
		c.Outcome = session.OutcomeAnswered
	}
	b.must(h.what.Commit(b.Context(), c))
	h.end <- nil
}

// settle ends a delivery as delivered.
func (b *bench) settle(h handed[channels.Delivery], messageID string) {
	b.Helper()
	b.must(h.what.Settle(b.Context(), channels.Outcome{
		State: channels.Delivered, Receipt: channels.Receipt{MessageID: messageID},
	}))
	h.end <- nil
}

func outbound(chat, id string) channels.Outbound {
	return channels.Outbound{ID: id, Address: addr(chat), Text: "text of " + id}
}

func (b *bench) status() session.Status {
	b.Helper()
	st, err := b.e.Status(b.Context())
	b.must(err)
	return st
}
