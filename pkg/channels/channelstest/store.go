package channelstest

import (
	"context"
	"sync"
	"testing"
	"time"

	"parley/pkg/channels"
)

// store is a [channels.Sink] in memory that keeps the contract of cursors. It keeps
// duplicates, so that a check sees a second delivery.
type store struct {
	mu      sync.Mutex
	items   []channels.Inbound
	cursors map[string]string
	changed chan struct{}
	// before is asked before a write; its error keeps the write from the store.
	before func(ctx context.Context, items []channels.Inbound) error
}

func newStore() *store {
	return &store{cursors: map[string]string{}, changed: make(chan struct{})}
}

// Accept implements [channels.Sink].
func (s *store) Accept(ctx context.Context, items []channels.Inbound, cursor *channels.Cursor) error {
	if s.before != nil {
		if err := s.before(ctx, items); err != nil {
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
	s.items = append(s.items, items...)
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

// wait returns the stored items once there are n of them.
func (s *store) wait(t *testing.T, n int) []channels.Inbound {
	t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		items, changed := s.items, s.changed
		s.mu.Unlock()
		if len(items) >= n {
			return items
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%d of %d messages were delivered", len(items), n)
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
