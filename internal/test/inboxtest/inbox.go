package inboxtest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/fakehttp"
	"parley/pkg/channels"
)

// patience bounds every wait; a test that passes ends long before.
const patience = 20 * time.Second

// ErrFull is an error of a store for [Inbox.Before].
var ErrFull = errors.New("the store is full")

// Inbox keeps items as the gateway does: once by id, and with the cursor.
type Inbox struct {
	// Before is asked before a write; with an error the write does not happen. It is
	// set before the channel runs.
	Before func(ctx context.Context, call int, items []channels.Inbound) error

	changed fakehttp.Changes
	mu      sync.Mutex
	items   []channels.Inbound
	seen    map[string]bool
	cursors map[string]string
	calls   int
}

// New makes an empty inbox.
func New() *Inbox { return &Inbox{seen: map[string]bool{}, cursors: map[string]string{}} }

// Accept implements [channels.Sink].
func (b *Inbox) Accept(ctx context.Context, items []channels.Inbound, cursor *channels.Cursor) error {
	b.mu.Lock()
	b.calls++
	call := b.calls
	b.mu.Unlock()
	if b.Before != nil {
		if err := b.Before(ctx, call, items); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if cursor != nil {
		if b.cursors[cursor.Name] != cursor.From {
			return channels.ErrFenced
		}
		b.cursors[cursor.Name] = cursor.To
	}
	for i := range items {
		if key := items[i].Address.Account + "/" + items[i].ID; !b.seen[key] {
			b.seen[key] = true
			b.items = append(b.items, items[i])
		}
	}
	b.changed.Wake()
	return nil
}

// Position implements [channels.Sink].
func (b *Inbox) Position(_ context.Context, name string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cursors[name], nil
}

// Cursors are the cursors by name.
func (b *Inbox) Cursors() map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.cursors)
}

// MoveTo moves a cursor, as another process would.
func (b *Inbox) MoveTo(name, position string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cursors[name] = position
}

// Calls is how often Accept was called.
func (b *Inbox) Calls() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls
}

// All are the items in the order in which they came.
func (b *Inbox) All() []channels.Inbound {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.items)
}

// Await returns the items once there are n.
func (b *Inbox) Await(tb testing.TB, n int) []channels.Inbound {
	tb.Helper()
	if err := b.changed.Until(Limited(tb), func() bool { return len(b.All()) >= n }); err != nil {
		tb.Fatalf("%d items are stored, want %d: %q", len(b.All()), n, Texts(b.All()))
	}
	return b.All()
}

// Texts are the texts of items.
func Texts(items []channels.Inbound) []string {
	all := make([]string, len(items))
	for i := range items {
		all[i] = items[i].Text
	}
	return all
}

// Limited is a context that ends long before the test run does.
func Limited(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	tb.Cleanup(cancel)
	return ctx
}

// Everyone lets everybody in.
type Everyone struct{}

// Authorize implements [channels.Authorizer].
func (Everyone) Authorize(context.Context, channels.Inbound) channels.Decision {
	return channels.Decision{Allow: true}
}

// Run runs a channel until the test ends, or until stop, which waits for its end.
func Run(tb testing.TB, ch channels.Channel, sink channels.Sink, auth channels.Authorizer, log zerolog.Logger) (stop func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	done := make(chan error, 1)
	in := channels.NewIngress(sink, auth, log)
	go func() { done <- ch.Run(ctx, in) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			tb.Errorf("Run: %v", err)
		}
	})
	tb.Cleanup(stop)
	return stop
}
