package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// account is whose outbox a scheduler empties.
type account struct{ channel, account string }

func accountOf(a channels.Address) account { return account{channel: a.Channel, account: a.Account} }

func (e *Engine) outRunner(a channels.Address) *scheduler {
	e.lanes.mu.Lock()
	defer e.lanes.mu.Unlock()
	return e.lanes.outbox[accountOf(a)]
}

func (e *Engine) signalOutbox(a channels.Address, chat uint64) {
	if s := e.outRunner(a); s != nil {
		s.signal(chat)
	}
}

// sendsNow says whether a message that is put now will be handed out at once,
// so that it may be stored as being sent and needs no commit of its own for that.
func (e *Engine) sendsNow(x *tx, chat uint64, a channels.Address) bool {
	if x.marked == nil {
		x.marked = map[uint64]bool{}
	}
	if x.marked[chat] || x.meta.Held != "" || e.outRunner(a) == nil || x.isSuspended(chat) {
		return false
	}
	k, _ := x.first(bkOutbox, numKey(chat))
	return k == nil
}

// noteIdle remembers a delivery that is marked and surely was not sent.
func (e *Engine) noteIdle(seq uint64) {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	e.idle[seq] = true
}

// noteBusy forgets that: the delivery is being sent.
func (e *Engine) noteBusy(seq uint64) {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	delete(e.idle, seq)
}

// unmark takes the mark from deliveries that surely were not sent: a clean end
// leaves no doubt about them.
func (e *Engine) unmark(t *tx) error {
	e.stateMu.Lock()
	idle := maps.Clone(e.idle)
	e.stateMu.Unlock()
	if len(idle) == 0 {
		return nil
	}
	var keys [][]byte
	t.each(bkOutbox, nil, func(k, _ []byte) bool {
		if idle[num(k, 1)] {
			keys = append(keys, bytes.Clone(k))
		}
		return true
	})
	for _, k := range keys {
		rec, err := get[outRec](t, bkOutbox, k)
		if err != nil || rec.Mark != e.epoch || rec.Unknown {
			continue
		}
		rec.Mark = 0
		if err := t.put(bkOutbox, k, rec); err != nil {
			return err
		}
	}
	return nil
}

// RunOutbox hands out the deliveries of one account until ctx ends or the
// engine is closed. Only one for each account is possible at a time.
func (e *Engine) RunOutbox(ctx context.Context, channel, acct string, h func(context.Context, channels.Delivery) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	own := account{channel: channel, account: acct}
	s := newScheduler(ctx, func(ctx context.Context, chat uint64) (bool, error) {
		return e.nextDelivery(ctx, own, chat, h)
	})
	e.lanes.mu.Lock()
	if e.lanes.outbox[own] != nil {
		e.lanes.mu.Unlock()
		return fmt.Errorf("outbox of %s %s: %w", channel, acct, errRunning)
	}
	if err := e.lanes.enter(); err != nil {
		e.lanes.mu.Unlock()
		return err
	}
	defer e.lanes.leave()
	e.lanes.outbox[own] = s
	e.lanes.mu.Unlock()

	err := e.signalChats(bkOutbox, s)
	if err == nil {
		select {
		case <-ctx.Done():
		case <-e.done:
		}
	}
	e.lanes.mu.Lock()
	delete(e.lanes.outbox, own)
	e.lanes.mu.Unlock()
	cancel()
	s.stop()
	return err
}

// delivery is one attempt at the oldest message of a chat's outbox.
type delivery struct {
	e       *Engine
	key     []byte
	rec     outRec
	info    channels.DeliveryInfo
	over    atomic.Bool
	settled atomic.Bool
}

// nextDelivery hands out a chat's oldest message, if there is one for this account.
func (e *Engine) nextDelivery(ctx context.Context, own account, chat uint64, h func(context.Context, channels.Delivery) error) (bool, error) {
	if ctx.Err() != nil || e.held() != "" {
		return false, ctx.Err()
	}
	d, err := e.loadDelivery(ctx, own, chat)
	if err != nil || d == nil {
		return false, err
	}
	if d.rec.Mark != 0 && d.rec.Mark != e.epoch {
		// Another process marked it: it may be on the platform.
		if err := d.update(ctx, func(t *tx, rec *outRec) error {
			rec.Mark, rec.Unknown = e.epoch, true
			rec.Ambiguities++
			t.meta.Ambiguous++
			return nil
		}); err != nil {
			return false, err
		}
	}
	d.info.Parts, d.info.Receipts = d.rec.Parts, d.rec.Receipts
	d.info.Marked, d.info.Unknown, d.info.Ambiguities = d.rec.Mark != 0, d.rec.Unknown, d.rec.Ambiguities
	seq := num(d.key, 1)
	e.noteBusy(seq)
	err = h(ctx, d)
	d.over.Store(true)
	if d.settled.Load() {
		return true, nil
	}
	if err == nil {
		err = errors.New("the delivery was not settled")
	}
	if surelyNotSent(err) {
		e.noteIdle(seq)
	}
	return false, err
}

// surelyNotSent says whether a handler's error means that the platform does not
// have the part. What says nothing leaves that open.
func surelyNotSent(err error) bool {
	se, ok := errors.AsType[*channels.SendError](err)
	if !ok {
		return false
	}
	return se.Class != channels.SendAmbiguous
}

// loadDelivery reads a chat's oldest message; nil when there is none to hand out here.
func (e *Engine) loadDelivery(ctx context.Context, own account, chat uint64) (*delivery, error) {
	var d *delivery
	var bad []*recordError
	err := e.view(func(t *tx) error {
		if t.isSuspended(chat) {
			return nil
		}
		k, v := t.first(bkOutbox, numKey(chat))
		if k == nil {
			return nil
		}
		key := bytes.Clone(k)
		payload, err := unseal(bkOutbox, key, v)
		var rec *outRec
		if err == nil {
			rec, err = decode[outRec](bkOutbox, key, payload)
		}
		if err != nil {
			bad = append(bad, &recordError{bucket: bkOutbox, key: key})
			return err
		}
		to := rec.Outbound.Address
		if c, err := t.chat(chat); err == nil {
			to = c.Address // it may have moved since
		}
		if accountOf(to) != own {
			e.signalOutbox(to, chat)
			return nil
		}
		d = &delivery{e: e, key: key, rec: *rec}
		d.info.Outbound = rec.Outbound
		d.info.Outbound.Address = to
		d.info.Edits = t.finishedBy(rec, chat, to)
		return nil
	})
	e.setAsideLater(ctx, bad)
	return d, err
}

// update changes the stored delivery. It fails when the delivery is not this
// attempt's any more.
func (d *delivery) update(ctx context.Context, f func(*tx, *outRec) error) error {
	if d.over.Load() || d.settled.Load() {
		return fmt.Errorf("delivery %s: %w", d.rec.Outbound.ID, session.ErrFenced)
	}
	var rec outRec
	err := d.persist(ctx, func(t *tx) error {
		if !t.has(bkOutbox, d.key) {
			return fmt.Errorf("delivery %s: %w", d.rec.Outbound.ID, session.ErrFenced)
		}
		rec = d.rec
		if err := f(t, &rec); err != nil {
			return err
		}
		return t.put(bkOutbox, d.key, rec)
	})
	if err == nil {
		d.rec = rec
	}
	return err
}

// persist writes what is known of a delivery. A receipt in hand must not be
// lost because the disk is full for a while: it is tried again until ctx ends.
func (d *delivery) persist(ctx context.Context, run func(*tx) error) error {
	pause := minPause
	for {
		err := d.e.write(ctx, run)
		if !errors.Is(err, session.ErrStore) || errors.Is(err, errClosed) {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-d.e.done:
			timer.Stop()
			return err
		}
		pause = min(2*pause, maxPause/6)
	}
}

// Info is the state when the delivery was handed over.
func (d *delivery) Info() channels.DeliveryInfo { return d.info }

// Plan stores how the text is cut and marks part 0.
func (d *delivery) Plan(ctx context.Context, parts []string) error {
	return d.update(ctx, func(t *tx, rec *outRec) error {
		rec.Parts, rec.Mark = parts, t.epoch
		return nil
	})
}

// Advance stores a receipt and marks the next part.
func (d *delivery) Advance(ctx context.Context, part int, r channels.Receipt) error {
	if part != len(d.rec.Receipts) {
		return fmt.Errorf("delivery %s: part %d has no turn: %d are accepted", d.rec.Outbound.ID, part, len(d.rec.Receipts))
	}
	return d.update(ctx, func(t *tx, rec *outRec) error {
		rec.Receipts = append(rec.Receipts[:part:part], r)
		rec.Mark, rec.Unknown, rec.Ambiguities = t.epoch, false, 0
		return nil
	})
}

// Ambiguous counts an attempt with an unknown end.
func (d *delivery) Ambiguous(ctx context.Context, _ int) error {
	return d.update(ctx, func(t *tx, rec *outRec) error {
		rec.Unknown = true
		rec.Ambiguities++
		t.meta.Ambiguous++
		return nil
	})
}

// Settle ends the delivery.
func (d *delivery) Settle(ctx context.Context, o channels.Outcome) error {
	if d.over.Load() || d.settled.Load() {
		return fmt.Errorf("delivery %s: %w", d.rec.Outbound.ID, session.ErrFenced)
	}
	chat, seq := num(d.key, 0), num(d.key, 1)
	err := d.persist(ctx, func(t *tx) error {
		if !t.has(bkOutbox, d.key) {
			return fmt.Errorf("delivery %s: %w", d.rec.Outbound.ID, session.ErrFenced)
		}
		sent := sentRec{Chat: chat, Seq: seq, State: o.State, Reason: o.Reason, Receipts: d.rec.Receipts, Time: t.now}
		switch o.State {
		case channels.Delivered:
			sent.Receipts = append(slices.Clip(sent.Receipts), o.Receipt)
		case channels.Refused:
			t.meta.Refused++
		case channels.Unsettled:
			t.meta.Unsettled++
		}
		if o.Suspend {
			if err := t.putIndex(bkSuspended, numKey(chat)); err != nil {
				return err
			}
		}
		if err := t.del(bkOutbox, d.key); err != nil {
			return err
		}
		return t.put(bkSent, idKey(d.rec.Outbound.ID), sent)
	})
	d.settled.Store(err == nil)
	if err == nil {
		d.e.receipts.settled(d.rec.Outbound.ID)
	}
	return err
}
