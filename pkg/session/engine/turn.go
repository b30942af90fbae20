package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/pkg/session"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// start is how a turn began.
type start struct {
	early bool         // before its message was durable
	loan  *writer.Loan // of the records of a chat that began with it
}

// turn is one attempt at the items at the head of a chat's inbox.
type turn struct {
	ib   *inbox
	chat uint64
	head uint64
	info session.TurnInfo
	// suspect is the chat's entry among the suspects, nil for most.
	suspect *table.SuspectRecord

	start

	arrivals chan struct{}
	newest   atomic.Uint64 // the last item that arrived
	more     bool          // items that were not taken wait behind the turn's
	hold     time.Duration // how much longer the album is waited for that was met
	// over is set when the attempt has ended: later writes are fenced.
	over      atomic.Bool
	committed atomic.Bool

	claims claims // the items of which the turn has a copy

	mu    sync.Mutex // orders the turn's writes
	limit batch
	taken []uint64 // the items that belong to the turn
	// joined are the platform's ids of the messages that joined in this attempt.
	joined []string
	steps  uint32 // recorded so far

	errMu sync.Mutex
	err   error // of the first write that failed
}

var errNoCommit = errors.New("the turn was not committed")

func (ib *inbox) newTurn(chat uint64) *turn {
	return &turn{ib: ib, chat: chat, arrivals: make(chan struct{}, 1)}
}

// nextTurn hands out a chat's next turn, if there is one.
func (ib *inbox) nextTurn(ctx context.Context, chat uint64, p lane.Pass, h func(context.Context, session.Turn) error) (bool, error) {
	if ctx.Err() != nil || ib.w.State.Held() != "" {
		ib.lanes.remove(chat)
		return false, ctx.Err()
	}
	// No turn runs under the clean mark of the last process: if this one dies of
	// it, that has to count.
	if !ib.w.State.Begun() {
		if err := ib.w.Do(ctx, func(t *table.Tx) error { t.Changed = true; return nil }); err != nil {
			return false, err
		}
	}
	t := ib.lanes.turnOf(chat, ib.newTurn)
	defer func() {
		t.over.Store(true)
		ib.lanes.remove(chat)
		t.loan.End()
	}()
	ctx, unbind := t.loan.Bind(ctx)
	defer unbind()
	if !t.early {
		if found, err := t.load(ctx); err != nil || !found {
			return false, err
		}
	}
	t.info.Awaited, t.info.Newest = p.Awaited, p.Newest
	release, err := ib.beginSuspect(ctx, t)
	if err != nil {
		return false, err
	}
	defer release()
	err = h(ctx, t)
	if t.committed.Load() {
		return t.more, nil
	}
	if err == nil {
		err = errNoCommit
	}
	// The writes that the attempt still has on their way are stored or refused before
	// another one reads the store.
	t.over.Store(true)
	ib.w.Settle(ctx)
	if !errors.Is(err, context.Canceled) && !errors.Is(err, session.ErrForgotten) {
		ib.o.Log.Warn().Err(err).Str("turn", t.info.ID).Msg("a turn ended without a commit and will be handed out again")
	}
	return false, err
}

// load reads the chat's next turn, or reports false.
func (t *turn) load(ctx context.Context) (bool, error) {
	ib, chat := t.ib, t.chat
	var bad, badSteps []*table.RecordError
	var heal *session.Item
	err := t.take(&t.taken, func(x *table.Tx) error {
		if bad = t.loadItems(x); len(bad) > 0 || len(t.info.Items) == 0 {
			return nil
		}
		c, err := table.ReadChat(x, chat)
		if err != nil {
			heal = &t.info.Items[0]
			return err
		}
		t.describe(x, c)
		t.loadSuspect(x)
		badSteps = t.loadSteps(x)
		return nil
	})
	ib.w.SetAside(ctx, badSteps)
	if t.hold > 0 {
		ib.lookLater(chat, t.hold)
	}
	switch {
	case len(bad) > 0:
		return false, errors.Join(ib.loseItems(ctx, chat, bad), fmt.Errorf("chat %s: %w", table.ChatID(chat), session.ErrCorrupt))
	case errors.Is(err, session.ErrCorrupt) && heal != nil:
		a := heal.Address
		return false, errors.Join(err, ib.w.Do(ctx, func(x *table.Tx) error { return rules.HealChat(x, chat, a) }))
	case err != nil || len(t.info.Items) == 0:
		return false, err
	}
	// An item that came while the items were read is behind them only if it was not
	// read.
	select {
	case <-t.arrivals:
	default:
	}
	if t.more || t.newest.Load() > t.last() {
		t.signal()
	}
	return true, nil
}

// describe fills in the turn's facts besides its items.
func (t *turn) describe(x *table.Tx, c *table.ChatRecord) {
	t.info.ID = table.TurnID(t.chat, t.head)
	t.info.Chat, t.info.Session, t.info.Address = table.ChatID(t.chat), table.SessionID(c.Session), c.Address
	t.info.Zone, t.info.Model = rules.FactOf(x, table.Zones, t.chat, c), rules.FactOf(x, table.Models, t.chat, c)
	t.info.Arrivals = t.arrivals
}

// arrived says that an item was put behind the turn's, or is being read with them.
func (t *turn) arrived(seq uint64) {
	if t.early && seq == t.head {
		return
	}
	t.newest.Store(seq)
	t.signal()
}

func (t *turn) signal() {
	select {
	case t.arrivals <- struct{}{}:
	default:
	}
}

// loadItems reads the items that start the turn: exactly those of an earlier attempt
// that made records, else as many as the limits of a turn let in.
func (t *turn) loadItems(x *table.Tx) []*table.RecordError {
	k, _ := x.First(table.Inbox, table.NumKey(t.chat))
	if k == nil || table.IsGone(x, t.chat) {
		return nil
	}
	t.head = table.Num(k, 1)
	start := rules.StartOf(x, t.chat, t.head)
	return waitingFrom(x, t.chat, 0, func(w waiting) bool {
		if len(start) > 0 && !slices.Contains(start, w.seq) {
			return w.seq < slices.Max(start)
		}
		if hold := gathers(x, t.chat, &w); hold > 0 && len(start) == 0 {
			t.hold, t.more = hold, true
			return false
		}
		if !t.limit.takes(&w.item) {
			t.more = true
			return false
		}
		t.taken = append(t.taken, w.seq)
		t.info.Items = append(t.info.Items, w.item)
		return true
	})
}

// loadSteps reads the records of an earlier attempt. With a damaged step the work so
// far is unknown: the turn is handed out as lost for good, also once the damaged step,
// which is returned, was set aside.
func (t *turn) loadSteps(x *table.Tx) (bad []*table.RecordError) {
	var failed error
	x.Each(table.Steps, table.NumKey(t.chat, t.head), func(k, v []byte) bool {
		payload, err := table.Unseal(table.Steps, k, v)
		if err == nil {
			var rec *table.StepRecord
			if rec, err = table.Decode[table.StepRecord](table.Steps, k, payload); err == nil {
				err = t.addStep(x, rec)
			}
		}
		t.steps = stepNumber(k) + 1
		if err != nil {
			failed = err
		}
		if damage, ok := errors.AsType[*table.RecordError](err); ok {
			bad = append(bad, &table.RecordError{Bucket: damage.Bucket, Key: bytes.Clone(damage.Key), Why: damage.Why})
		}
		return true
	})
	if failed != nil || x.AnyBad(table.Steps, table.NumKey(t.chat, t.head)) {
		t.ib.o.Log.Error().Err(failed).Str("turn", t.info.ID).Msg("a recorded step is damaged: the turn does not run again")
		t.info.Lost = maxLost
	}
	return bad
}

// addStep takes over a recorded step; joined items are read from the inbox, where they still are.
func (t *turn) addStep(x *table.Tx, rec *table.StepRecord) error {
	for _, seq := range rec.Taken {
		item, err := table.Get[session.Item](x, table.Inbox, table.NumKey(t.chat, seq))
		if err != nil {
			return err
		}
		rec.Step.Items = append(rec.Step.Items, *item)
		if !slices.Contains(t.taken, seq) {
			t.limit.takes(item)
			t.taken = append(t.taken, seq)
		}
	}
	t.info.Steps = append(t.info.Steps, rec.Step)
	return nil
}

func stepNumber(key []byte) uint32 {
	n := table.Num(key, 2)
	return uint32(min(n, math.MaxUint32))
}

// Info has the start of the turn.
func (t *turn) Info() session.TurnInfo { return t.info }

// last is the highest item that belongs to the turn; the lock is held.
func (t *turn) last() uint64 { return slices.Max(t.taken) }

// Waiting looks at items behind the turn's own.
func (t *turn) Waiting(context.Context) (out []session.Item, err error) {
	t.mu.Lock()
	from := t.last() + 1
	t.mu.Unlock()
	err = t.ib.w.View(func(x *table.Tx) error {
		out = rules.Waiting(x, t.chat, from)
		return nil
	})
	return out, err
}

// Join takes waiting items and records them.
func (t *turn) Join(ctx context.Context, accept func(session.Item) bool) ([]session.Item, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	until, err := t.accepted(accept)
	if err != nil || until == 0 {
		return nil, err
	}
	var items []session.Item
	var seqs []uint64
	limit := t.limit
	err = t.take(&seqs, func(x *table.Tx) error {
		waitingFrom(x, t.chat, t.last()+1, func(w waiting) bool {
			if w.seq > until || !limit.fits(&w.item) {
				return false
			}
			limit.takes(&w.item)
			items, seqs = append(items, w.item), append(seqs, w.seq)
			return true
		})
		return nil
	})
	if err != nil || len(items) == 0 {
		return nil, err
	}
	t.limit = limit
	t.taken = append(t.taken, seqs...)
	t.joined = append(t.joined, messageIDs(items)...)
	return items, t.record(ctx, &table.StepRecord{Step: session.Step{Kind: session.StepJoined}, Taken: seqs})
}

// accepted asks about the waiting items, in order, and returns the last one before the
// first that is not accepted, or 0. It asks outside of the reading transaction, because
// accept may read the store too.
func (t *turn) accepted(accept func(session.Item) bool) (until uint64, err error) {
	var all []waiting
	err = t.ib.w.View(func(x *table.Tx) error {
		waitingFrom(x, t.chat, t.last()+1, func(w waiting) bool {
			if gathers(x, t.chat, &w) > 0 {
				return false
			}
			all = append(all, w)
			return len(all) < session.MaxTurnItems
		})
		return nil
	})
	for i := range all {
		if !accept(all[i].item) {
			break
		}
		until = all[i].seq
	}
	return until, err
}

// fits says whether an item could be taken, without counting it.
func (b *batch) fits(item *session.Item) bool {
	c := *b
	return c.takes(item)
}

// Fail makes every later write of the turn fail.
func (t *turn) Fail(err error) {
	t.errMu.Lock()
	defer t.errMu.Unlock()
	if t.err == nil {
		t.err = err
	}
}

func (t *turn) Failed() error {
	t.errMu.Lock()
	defer t.errMu.Unlock()
	return t.err
}

// usable says whether the attempt still has the turn.
func (t *turn) usable() error {
	if t.over.Load() || t.committed.Load() {
		return fmt.Errorf("turn %s: %w", t.info.ID, session.ErrFenced)
	}
	return t.Failed()
}
