package telegram_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/faketelegram"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

var errFull = errors.New("the store is full")

// store keeps what was let in as the gateway does: once by id, and with the cursor.
type store struct {
	mu      sync.Mutex
	items   []channels.Inbound
	seen    map[string]bool
	cursors map[string]string
	calls   int
	changed chan struct{}
	// before is asked before anything is stored; its error stores nothing.
	before func(ctx context.Context, call int, items []channels.Inbound) error
}

func newStore() *store {
	return &store{seen: map[string]bool{}, cursors: map[string]string{}, changed: make(chan struct{})}
}

// Accept implements [channels.Sink].
func (s *store) Accept(ctx context.Context, items []channels.Inbound, cursor *channels.Cursor) error {
	s.mu.Lock()
	s.calls++
	call := s.calls
	s.mu.Unlock()
	if s.before != nil {
		if err := s.before(ctx, call, items); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cursor != nil {
		if s.cursors[cursor.Name] != cursor.From {
			return channels.ErrFenced
		}
		s.cursors[cursor.Name] = cursor.To
	}
	for i := range items {
		if key := items[i].Address.Account + "/" + items[i].ID; !s.seen[key] {
			s.seen[key] = true
			s.items = append(s.items, items[i])
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

// Position implements [channels.Sink].
func (s *store) Position(_ context.Context, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursors[name], nil
}

func (s *store) all() []channels.Inbound {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]channels.Inbound(nil), s.items...)
}

// wait returns the items once there are n.
func (s *store) wait(t *testing.T, n int) []channels.Inbound {
	t.Helper()
	ctx := limited(t)
	for {
		s.mu.Lock()
		items, changed := append([]channels.Inbound(nil), s.items...), s.changed
		s.mu.Unlock()
		if len(items) >= n {
			return items
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("%d items are stored, want %d: %q", len(items), n, texts(items))
		}
	}
}

func texts(items []channels.Inbound) []string {
	all := make([]string, len(items))
	for i := range items {
		all[i] = items[i].Text
	}
	return all
}

// limited is a context that ends long before the test run does.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

type everyone struct{}

func (everyone) Authorize(context.Context, channels.Inbound) channels.Decision {
	return channels.Decision{Allow: true}
}

// logs is a log that many may write to and wait for.
type logs struct {
	mu      sync.Mutex
	b       bytes.Buffer
	changed chan struct{}
}

// Write implements [io.Writer].
func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
	return l.b.Write(p)
}

// until waits for something that comes with a line of the log.
func (l *logs) until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx := limited(t)
	for {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		if cond() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("%s: not seen: %s", what, l)
		}
	}
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// bench is a channel at work on a server.
type bench struct {
	srv   *faketelegram.Server
	bot   *faketelegram.Bot
	store *store
	log   *logs
	ch    *telegram.Channel
	stop  func()
}

// newBench runs a channel until the test ends; change may alter the options, and
// harm the server, before it starts.
func newBench(t *testing.T, change func(*telegram.Options, *bench)) *bench {
	t.Helper()
	b := &bench{srv: faketelegram.New(t), store: newStore(), log: &logs{changed: make(chan struct{})}}
	b.bot = b.srv.Bot()
	opt := b.options()
	if change != nil {
		change(&opt, b)
	}
	b.start(t, opt)
	return b
}

func (b *bench) options() telegram.Options {
	token := b.bot.Token()
	return telegram.Options{
		Token: func() string { return token }, APIURL: b.srv.URL(), Log: zerolog.New(b.log),
	}
}

func (b *bench) start(t *testing.T, opt telegram.Options) {
	t.Helper()
	ch, err := telegram.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	in := channels.NewIngress(b.store, everyone{}, opt.Log)
	go func() { done <- ch.Run(ctx, in) }()
	b.ch = ch
	b.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(b.stop)
}

// confirmed waits until the server has nothing left.
func (b *bench) confirmed(t *testing.T) {
	t.Helper()
	if err := b.bot.AwaitConfirmed(limited(t)); err != nil {
		t.Fatalf("not confirmed: %+v: %v", b.bot.Unconfirmed(), err)
	}
}

// healthy waits until Health tells the state.
func (b *bench) healthy(t *testing.T, state channels.HealthState) {
	t.Helper()
	b.log.until(t, "health "+string(state), func() bool { return b.ch.Health().State == state })
}

// until waits for something that the server can see.
func (b *bench) until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	if err := b.srv.Until(limited(t), cond); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// keepsToken fails the test if the token is anywhere it must not be.
func (b *bench) keepsToken(t *testing.T, token string) {
	t.Helper()
	_, secret, _ := strings.Cut(token, ":")
	for where, text := range map[string]string{"the log": b.log.String(), "the health": b.ch.Health().Reason} {
		if strings.Contains(text, secret) {
			t.Errorf("the token is in %s: %s", where, text)
		}
	}
}

// private are the chat and the sender of a message in a direct chat, as fields.
const private = `"chat":{"id":42,"type":"private","first_name":"Ada"},"from":{"id":42,"first_name":"Ada","last_name":"L"}`
