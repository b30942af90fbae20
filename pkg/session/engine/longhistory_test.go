package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// converse gives a chat some entries of a size, in one turn, and returns its session.
func converse(t *testing.T, e *local.Engine, chat string, entries, size int) (id string) {
	t.Helper()
	messages := make([]providers.Message, entries)
	for i := range messages {
		messages[i] = providers.Message{Role: providers.RoleUser, Content: fmt.Sprint(i, strings.Repeat(" word", size/5))}
	}
	put(t, e, message(chat, chat, "hello"))
	run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
		id = turn.Info().Session
		return true, turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Messages: messages})
	})
	return id
}

// TestALongHistoryIsForgottenInPieces forgets conversations for a caller that does not
// wait for the end: they cannot be found any more, and the housekeeping, of a later
// process too, removes the rest.
func TestALongHistoryIsForgottenInPieces(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		entries, size int
		left          bool
	}{
		"short":         {entries: 100, size: 50},
		"many entries":  {entries: 1200, size: 50, left: true},
		"large entries": {entries: 40, size: 600_000, left: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			e := open(t, dir)
			id := converse(t, e, "long", tt.entries, tt.size)
			other := converse(t, e, "other", 3, 50)
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if err := e.Sessions().Forget(gone, id); tt.left != errors.Is(err, context.Canceled) {
				t.Fatalf("Forget: %v", err)
			}
			if _, err := e.Sessions().Get(t.Context(), id); !errors.Is(err, session.ErrNotFound) {
				t.Errorf("the session is found: %v", err)
			}
			must(t, e.Close())
			report := checkStore(t, dir)
			if left := report.Entries > 3; left != tt.left {
				t.Errorf("one transaction left %d entries", report.Entries)
			}
			e = open(t, dir)
			t.Cleanup(func() { must(t, e.Close()) })
			engine.LookAfter(e.Engine)
			report, err := e.Check(t.Context())
			if err = errors.Join(err, report.Err()); err != nil || report.Entries != 3 {
				t.Errorf("%d entries are left in the end, %v", report.Entries, err)
			}
			if all, err := tail(t, e, other); err != nil || len(all) != 3 {
				t.Errorf("the other chat has %d entries, %v", len(all), err)
			}
		})
	}
}

// TestForgetWaitsForTheWholeHistory is for a caller that waits: when Forget returns,
// all of it is gone.
func TestForgetWaitsForTheWholeHistory(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	t.Cleanup(func() { must(t, e.Close()) })
	id := converse(t, e, "long", 1200, 50)
	must(t, e.Sessions().Forget(t.Context(), id))
	report, err := e.Check(t.Context())
	if err = errors.Join(err, report.Err()); err != nil || report.Entries != 0 {
		t.Errorf("%d entries are left, %v", report.Entries, err)
	}
}

// TestAllHoldsFewLargeEntries forgets a conversation at its first entry: a reader that
// holds no more than a few entries does not see the last one.
func TestAllHoldsFewLargeEntries(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	t.Cleanup(func() { must(t, e.Close()) })
	id := converse(t, e, "long", 20, 600_000)
	read := 0
	err := e.Sessions().All(t.Context(), id, func(session.Entry) error {
		read++
		if read > 1 {
			return nil
		}
		return e.Sessions().Forget(t.Context(), id)
	})
	if !errors.Is(err, session.ErrNotFound) || read > 4 {
		t.Errorf("%d entries were held at once, %v", read, err)
	}
}
