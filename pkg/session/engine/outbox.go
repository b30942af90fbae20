package engine

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/table"
)

// account is the owner of the outbox that a scheduler empties.
type account struct{ channel, account string }

func accountOf(a channels.Address) account { return account{channel: a.Channel, account: a.Account} }

func (e *Engine) outRunner(a channels.Address) *lane.Scheduler {
	e.lanes.mu.Lock()
	defer e.lanes.mu.Unlock()
	return e.lanes.outbox[accountOf(a)]
}

func (e *Engine) signalOutbox(a channels.Address, chat uint64, u lane.Urgency, asked time.Time) {
	if s := e.outRunner(a); s != nil {
		s.Signal(chat, u, asked)
	}
}

// urgencyOut is that of a message.
func urgencyOut(o *channels.Outbound) lane.Urgency {
	switch o.Unasked {
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
func (e *Engine) sendsNow(x *table.Tx, chat uint64, o *channels.Outbound) bool {
	s := e.outRunner(o.Address)
	if x.Meta.Held != "" || s == nil || table.IsSuspended(x, chat) || urgencyOut(o) != lane.ForPerson && !s.Calm() {
		return false
	}
	k, _ := x.First(table.Outbox, table.NumKey(chat))
	return k == nil
}

// noteIdle remembers a delivery that is marked and surely was not sent.
func (e *Engine) noteIdle(seq uint64) {
	e.idleMu.Lock()
	defer e.idleMu.Unlock()
	e.idle[seq] = true
}

// noteBusy forgets that: the delivery is being sent.
func (e *Engine) noteBusy(seq uint64) {
	e.idleMu.Lock()
	defer e.idleMu.Unlock()
	delete(e.idle, seq)
}

// unmark takes the mark from deliveries that surely were not sent: a clean end
// leaves no doubt about them.
func (e *Engine) unmark(t *table.Tx) error {
	e.idleMu.Lock()
	idle := maps.Clone(e.idle)
	e.idleMu.Unlock()
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
		if err != nil || rec.Mark != e.w.State.Epoch() || rec.Unknown {
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
func (s outbox) RunOutbox(ctx context.Context, channel, acct string, h func(context.Context, channels.Delivery) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	own := account{channel: channel, account: acct}
	sched := lane.New(ctx, s.e.o.Lanes, func(ctx context.Context, chat uint64, p lane.Pass) (bool, error) {
		return s.e.nextDelivery(ctx, own, chat, func(ctx context.Context, d *delivery) error {
			d.info.Awaited, d.info.Newest = p.Awaited, p.Newest
			return h(ctx, d)
		})
	})
	s.e.lanes.mu.Lock()
	if s.e.lanes.outbox[own] != nil {
		s.e.lanes.mu.Unlock()
		return fmt.Errorf("outbox of %s %s: %w", channel, acct, errRunning)
	}
	if err := s.e.lanes.enter(); err != nil {
		s.e.lanes.mu.Unlock()
		return err
	}
	defer s.e.lanes.leave()
	s.e.lanes.outbox[own] = sched
	s.e.lanes.mu.Unlock()

	err := s.e.signalChats(table.Outbox, sched)
	if err == nil {
		select {
		case <-ctx.Done():
		case <-s.e.done:
		}
	}
	s.e.lanes.mu.Lock()
	delete(s.e.lanes.outbox, own)
	s.e.lanes.mu.Unlock()
	cancel()
	sched.Stop()
	return err
}
