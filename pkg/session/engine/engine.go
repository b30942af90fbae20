package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/session"
	"parley/pkg/session/engine/credentials"
	"parley/pkg/session/engine/drain"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/outbox"
	"parley/pkg/session/engine/pairing"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/upkeep"
	"parley/pkg/session/engine/writer"
	"parley/pkg/session/kv"
)

// Options say how an engine works over its store.
type Options struct {
	Log zerolog.Logger
	// ReadOnly makes an engine in which every write fails.
	ReadOnly bool
	// Snapshot takes a snapshot of the store, each SnapshotEvery (0: 1 h, negative: no
	// snapshots) with changes; nil: no snapshots.
	Snapshot      func(context.Context) error
	SnapshotEvery time.Duration
	// NoteDamage is told of a page that is damaged, for the next start; nil: it is not noted.
	NoteDamage func(error) error
	// Retain is how long accepted ids, receipts and ended turns are kept; at least 48 h.
	Retain time.Duration
	// Trouble is told why when writes begin to fail, and nil when they work again. It
	// must not block. A nil Trouble drops the reports.
	Trouble func(error)
	// Lanes is how many chats are at work at once in the inbox, and in the outbox of each
	// account; 0: 4096.
	Lanes int
	// Now is the clock; nil: [time.Now].
	Now func() time.Time
}

func (o *Options) defaults() {
	if o.SnapshotEvery == 0 {
		o.SnapshotEvery = time.Hour
	}
	o.Retain = max(o.Retain, minRetain)
	if o.NoteDamage == nil {
		o.NoteDamage = func(error) error { return nil }
	}
	if o.Trouble == nil {
		o.Trouble = func(error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// Engine is a [session.Engine] over a store. [Open] makes one.
type Engine struct {
	o     Options
	store kv.Store
	w     *writer.Writer

	recovered bool // the first transaction marks the suspects of an unclean end; only the writer uses it

	in     *inbox
	out    *outbox.Outbox
	pairs  *pairing.Pairs
	tokens *credentials.Tokens
	moves  moveBook
	runs   lane.Runs // of the inbox and the outbox
	keeper *upkeep.Keeper
	drains drain.Watch

	stop    context.CancelFunc // ends the engine's own goroutines
	done    <-chan struct{}    // closed with them
	workers sync.WaitGroup
}

var _ session.Engine = (*Engine)(nil)

// Damage is the damage that a full read found, nil in normal use.
func (e *Engine) Damage() error { return e.w.State.Damage() }

// Suspect asks for a full read of the store after an error that only a damaged page, or
// a bug, can cause. Other errors are no cause for it.
func (e *Engine) Suspect(cause error) { e.w.Suspect(cause) }

// Held is the reason for which no item is handed out, "" in normal use. It reads no store.
func (e *Engine) Held() string { return e.w.State.Held() }

// Status counts waiting messages and failures.
func (e *Engine) Status(_ context.Context) (session.Status, error) {
	var st session.Status
	err := e.w.View(func(t *table.Tx) error {
		count := func(b table.Bucket) (n int) {
			t.Each(b, nil, func(_, _ []byte) bool { n++; return true })
			return n
		}
		st.Waiting, st.Sending, st.OpenTasks, st.Suspects = count(table.Inbox), count(table.Outbox), count(table.Open), count(table.Suspects)
		return nil
	})
	m := e.w.State.Meta()
	st.Commits, _ = e.w.State.Commits()
	if err := e.w.State.WriteError(); err != nil {
		st.WriteError = err.Error()
	}
	st.Ambiguous, st.Unsettled, st.Refused = m.Ambiguous, m.Unsettled, m.Refused
	st.Quarantined, st.Corrupt = m.Quarantined, m.Corrupt
	st.Held = e.w.State.Held()
	return st, err
}

// Close ends Run and RunOutbox and waits for their handlers, though not for long; then
// it stops accepting, waits for the writes under way, marks the store as cleanly closed
// and closes it. A second call has no effect.
func (e *Engine) Close() error {
	e.stop()
	e.workers.Wait()
	e.runs.Close()
	if e.o.ReadOnly {
		return e.store.Close()
	}
	if !e.w.Close() {
		return nil
	}
	err := e.markClean()
	return errors.Join(err, e.store.Close())
}

// markClean is the last transaction: deliveries that surely were not begun lose their
// mark, and the next start counts no crash. A process without writes leaves the file as
// it found it.
func (e *Engine) markClean() error {
	return e.w.Last(func(t *table.Tx) error {
		t.Changed = true
		t.Meta.Clean = true
		e.keeper.Stamp(t)
		return e.out.Unmark(t)
	})
}

// Verify reads every record. Its error says that the store is damaged.
func (e *Engine) Verify(context.Context) error {
	var seen table.Walked
	err := e.w.View(func(t *table.Tx) error { return table.Walk(t, &seen) })
	if err == nil && len(seen.Bad) > 0 {
		err = table.Damagedf("%d of %d records: %v", len(seen.Bad), seen.Records, seen.Bad[0])
	}
	return err
}

// ReleaseHold lets a held store work again: waiting items are run and messages sent. It
// is [session.ErrNotFound] when the store is not held.
func (e *Engine) ReleaseHold(ctx context.Context) error {
	return e.w.Do(ctx, func(t *table.Tx) error {
		if t.Meta.Held == "" {
			return fmt.Errorf("a hold: %w", session.ErrNotFound)
		}
		t.Changed = true
		t.Meta.Held = ""
		t.OnCommit = append(t.OnCommit, e.resync)
		return nil
	})
}

// resync looks again at everything that waits: a failed commit may have reached the disk.
func (e *Engine) resync() {
	e.in.resync()
	e.out.Resync()
}
