package outbox

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/drain"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// Outbox hands out the messages that wait. [New] makes one.
type Outbox struct {
	w    *writer.Writer
	runs *lane.Runs
	most int // lanes of an account
	done <-chan struct{}

	mu    sync.Mutex
	lanes map[account]*lane.Scheduler
	sends map[uint64]*delivery // by chat, what begins early and was not taken yet
	idle  map[uint64]bool      // sequence numbers of deliveries that are marked and surely not sent

	atOnce   atOnce
	held     held
	receipts receipts
	drains   *drain.Watch
}

var _ session.Outbox = (*Outbox)(nil)

// New makes the outbox of a store. It has a number of lanes for each account (0: 4096),
// enters its loops in runs, tells drains of messages that fail, and ends with done.
func New(w *writer.Writer, runs *lane.Runs, drains *drain.Watch, lanes int, done <-chan struct{}) *Outbox {
	return &Outbox{
		w: w, runs: runs, drains: drains, most: lanes, done: done,
		lanes: map[account]*lane.Scheduler{}, sends: map[uint64]*delivery{}, idle: map[uint64]bool{},
	}
}

// account is the owner of the outbox that a scheduler empties.
type account struct{ channel, account string }

func accountOf(a channels.Address) account { return account{channel: a.Channel, account: a.Account} }

func (o *Outbox) runner(a channels.Address) *lane.Scheduler {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lanes[accountOf(a)]
}

// Signal says that a chat may have messages at an address, and how urgent they are.
func (o *Outbox) Signal(a channels.Address, chat uint64, u lane.Urgency, asked time.Time) {
	if s := o.runner(a); s != nil {
		s.Signal(chat, u, asked)
	}
}

// urgencyOut is that of a message.
func urgencyOut(msg *channels.Outbound) lane.Urgency {
	switch msg.Unasked {
	case "":
		return lane.ForPerson
	case channels.ByJob:
		return lane.ForJob
	default:
		return lane.ForResult
	}
}

// sendsNow says whether a message that is put now will be handed out at once,
// so that it may be stored as being sent and needs no commit of its own for that.
func (o *Outbox) sendsNow(x *table.Tx, chat uint64, msg *channels.Outbound) bool {
	s := o.runner(msg.Address)
	if x.Meta.Held != "" || s == nil || table.IsSuspended(x, chat) || urgencyOut(msg) != lane.ForPerson && !s.Calm() {
		return false
	}
	k, _ := x.First(table.Outbox, table.NumKey(chat))
	return k == nil
}

// noteIdle remembers a delivery that is marked and surely was not sent.
func (o *Outbox) noteIdle(seq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.idle[seq] = true
}

// noteBusy forgets that: the delivery is being sent.
func (o *Outbox) noteBusy(seq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.idle, seq)
}

// Unmark takes the mark from deliveries that surely were not sent: a clean end
// leaves no doubt about them.
func (o *Outbox) Unmark(t *table.Tx) error {
	o.mu.Lock()
	idle := maps.Clone(o.idle)
	o.mu.Unlock()
	if len(idle) == 0 {
		return nil
	}
	var keys [][]byte
	t.Each(table.Outbox, nil, func(k, _ []byte) bool {
		if idle[table.Num(k, 1)] {
			keys = append(keys, bytes.Clone(k))
		}
		return true
	})
	for _, k := range keys {
		rec, err := table.Get[table.OutRecord](t, table.Outbox, k)
		if err != nil || rec.Mark != o.w.State.Epoch() || rec.Unknown {
			continue
		}
		rec.Mark = 0
		if err := t.Put(table.Outbox, k, rec); err != nil {
			return err
		}
	}
	return nil
}

// RunOutbox hands out the deliveries of one account until ctx ends or the
// engine is closed. Only one for each account is possible at a time.
func (o *Outbox) RunOutbox(ctx context.Context, channel, acct string, h func(context.Context, channels.Delivery) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	own := account{channel: channel, account: acct}
	sched := lane.New(ctx, o.most, func(ctx context.Context, chat uint64, p lane.Pass) (bool, error) {
		return o.next(ctx, own, chat, func(ctx context.Context, d *delivery) error {
			d.info.Awaited, d.info.Newest = p.Awaited, p.Newest
			return h(ctx, d)
		})
	})
	if !o.runs.Enter() {
		return writer.ErrClosed
	}
	defer o.runs.Leave()
	o.mu.Lock()
	if o.lanes[own] != nil {
		o.mu.Unlock()
		return fmt.Errorf("outbox of %s %s: %w", channel, acct, lane.ErrRunning)
	}
	o.lanes[own] = sched
	o.mu.Unlock()

	err := o.signalChats(sched)
	if err == nil {
		select {
		case <-ctx.Done():
		case <-o.done:
		}
	}
	o.mu.Lock()
	delete(o.lanes, own)
	o.mu.Unlock()
	cancel()
	sched.Stop()
	return err
}

// Resync looks again at everything that waits.
func (o *Outbox) Resync() {
	lookAtDoubts(o)
	o.mu.Lock()
	all := slices.Collect(maps.Values(o.lanes))
	o.mu.Unlock()
	for _, s := range all {
		_ = o.signalChats(s)
	}
}

// Runs says that the outbox of an account is being emptied.
func (o *Outbox) Runs(a channels.Address) bool { return o.runner(a) != nil }

// signalChats tells a scheduler of every chat that has messages.
func (o *Outbox) signalChats(s *lane.Scheduler) error {
	return o.w.View(func(t *table.Tx) error {
		rules.SignalQueue(t, table.Outbox, s, func(r *table.OutRecord) lane.Urgency { return urgencyOut(&r.Outbound) })
		return nil
	})
}
