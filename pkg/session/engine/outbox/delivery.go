package outbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

var _ channels.Delivery = (*delivery)(nil)

// delivery is one attempt at the oldest message of a chat's outbox.
type delivery struct {
	o       *Outbox
	key     []byte
	rec     table.OutRecord
	info    channels.DeliveryInfo
	stored  *verdict    // nil when it was read from the store
	offered bool        // a lane may take it before it is stored; only the committer uses this
	more    bool        // more waited behind it when it was settled
	certain atomic.Bool // it is stored
	over    atomic.Bool
	settled atomic.Bool
}

// next hands out a chat's oldest message, if there is one for this account.
func (o *Outbox) next(ctx context.Context, own account, chat uint64, h func(context.Context, *delivery) error) (bool, error) {
	if ctx.Err() != nil || o.w.State.Held() != "" {
		return false, ctx.Err()
	}
	left, ok := o.held.leaves(chat)
	if !ok {
		return false, nil
	}
	defer left()
	if d := o.takeEarly(own, chat); d != nil {
		return d.hand(ctx, h)
	}
	d, err := o.load(ctx, own, chat)
	if err != nil || d == nil {
		return false, err
	}
	if d.rec.Mark != 0 && d.rec.Mark != o.w.State.Epoch() {
		// Another process marked it: it may be on the platform.
		if err := d.update(ctx, func(t *table.Tx, rec *table.OutRecord) error {
			rec.Mark, rec.Unknown = o.w.State.Epoch(), true
			rec.Ambiguities++
			t.Meta.Ambiguous++
			return nil
		}); err != nil {
			return false, err
		}
	}
	return d.hand(ctx, h)
}

// hand gives the delivery to its handler; true when more waits behind it.
func (d *delivery) hand(ctx context.Context, h func(context.Context, *delivery) error) (bool, error) {
	d.info.Parts, d.info.Receipts = d.rec.Parts, d.rec.Receipts
	d.info.Marked, d.info.Unknown, d.info.Ambiguities = d.rec.Mark != 0, d.rec.Unknown, d.rec.Ambiguities
	seq := table.Num(d.key, 1)
	if d.stored == nil {
		d.certain.Store(true)
		d.o.noteBusy(seq)
	}
	err := h(ctx, d)
	d.over.Store(true)
	if d.settled.Load() {
		return d.more, nil
	}
	if err == nil {
		err = errors.New("the delivery was not settled")
	}
	if d.certain.Load() && surelyNotSent(err) {
		d.o.noteIdle(seq)
	}
	return false, err
}

// durable waits until a delivery that was handed out early is stored.
func (d *delivery) durable(ctx context.Context) error {
	if d.certain.Load() {
		return nil
	}
	select {
	case <-d.stored.reached:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if d.stored.err != nil {
		return fmt.Errorf("delivery %s: %w", d.rec.Outbound.ID, d.stored.err)
	}
	d.certain.Store(true)
	d.o.noteBusy(table.Num(d.key, 1))
	return nil
}

// surelyNotSent says whether a handler's error means that the platform does not have
// the part. An error without a class leaves that open.
func surelyNotSent(err error) bool {
	se, ok := errors.AsType[*channels.SendError](err)
	if !ok {
		return false
	}
	return se.Class != channels.SendAmbiguous
}

// load reads a chat's oldest message, or gives nil.
func (o *Outbox) load(ctx context.Context, own account, chat uint64) (*delivery, error) {
	var d *delivery
	var bad []*table.RecordError
	lostBy := own.channel
	err := o.w.View(func(t *table.Tx) error {
		if table.IsSuspended(t, chat) || table.IsGone(t, chat) {
			return nil
		}
		k, v := t.First(table.Outbox, table.NumKey(chat))
		if k == nil {
			return nil
		}
		key := bytes.Clone(k)
		payload, err := table.Unseal(table.Outbox, key, v)
		var rec *table.OutRecord
		if err == nil {
			rec, err = table.Decode[table.OutRecord](table.Outbox, key, payload)
		}
		if err != nil {
			bad = append(bad, &table.RecordError{Bucket: table.Outbox, Key: key})
			if c, missing := table.ReadChat(t, chat); missing == nil {
				lostBy = c.Address.Channel
			}
			return err
		}
		found := &delivery{o: o, key: key, rec: *rec}
		found.describe(t, chat)
		if to := found.info.Outbound.Address; accountOf(to) != own {
			o.Signal(to, chat, urgencyOut(&rec.Outbound), rec.Outbound.Asked)
			return nil
		}
		d = found
		return nil
	})
	o.w.SetAsideWith(ctx, bad, func(t *table.Tx) { o.drains.Undelivered(t, lostBy) })
	return d, err
}

// describe tells the message, and its present address.
func (d *delivery) describe(t *table.Tx, chat uint64) {
	to := d.rec.Outbound.Address
	if at, err := table.AddressOf(t, chat); err == nil {
		to = at // it may have moved since
	}
	d.info.Outbound = d.rec.Outbound
	d.info.Outbound.Address = to
	d.info.Edits = finishedBy(t, &d.rec, chat, to)
}

// update changes the stored delivery. It fails when the delivery is not this
// attempt's any more.
func (d *delivery) update(ctx context.Context, f func(*table.Tx, *table.OutRecord) error) error {
	var rec table.OutRecord
	err := d.persist(ctx, func(t *table.Tx) error {
		if err := d.fence(t); err != nil {
			return err
		}
		rec = d.rec
		if err := f(t, &rec); err != nil {
			return err
		}
		return t.Put(table.Outbox, d.key, rec)
	})
	if err == nil {
		d.rec = rec
	}
	return err
}

// fence checks that the delivery is still this attempt's.
func (d *delivery) fence(t *table.Tx) error {
	if d.over.Load() || d.settled.Load() || !t.Has(table.Outbox, d.key) || table.IsGone(t, table.Num(d.key, 0)) {
		return fmt.Errorf("delivery %s: %w", d.rec.Outbound.ID, session.ErrFenced)
	}
	return nil
}

// persist writes the known state of a delivery. A receipt in hand must not be lost
// because the disk is full for a while: it is tried again until ctx ends.
func (d *delivery) persist(ctx context.Context, run func(*table.Tx) error) error {
	pauses := backoff.New(lane.MinPause, lane.MaxPause/6)
	for {
		err := d.o.w.Do(ctx, run)
		if !errors.Is(err, session.ErrStore) || errors.Is(err, kv.ErrClosed) {
			return err
		}
		timer := time.NewTimer(pauses.Next())
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-d.o.done:
			timer.Stop()
			return err
		}
	}
}

// Info is the state when the delivery was handed over.
func (d *delivery) Info() channels.DeliveryInfo { return d.info }

// Plan stores how the text is cut and marks part 0. One part needs no plan, and
// no write where it is marked.
func (d *delivery) Plan(ctx context.Context, parts []string) error {
	if err := d.durable(ctx); err != nil {
		return err
	}
	if len(parts) == 1 && d.rec.Mark != 0 {
		return nil
	}
	return d.update(ctx, func(t *table.Tx, rec *table.OutRecord) error {
		rec.Parts, rec.Mark = parts, t.Epoch
		return nil
	})
}

// Advance stores a receipt and marks the next part.
func (d *delivery) Advance(ctx context.Context, part int, r channels.Receipt) error {
	if part != len(d.rec.Receipts) {
		return fmt.Errorf("delivery %s: part %d has no turn: %d are accepted", d.rec.Outbound.ID, part, len(d.rec.Receipts))
	}
	return d.update(ctx, func(t *table.Tx, rec *table.OutRecord) error {
		rec.Receipts = append(rec.Receipts[:part:part], r)
		rec.Mark, rec.Unknown, rec.Ambiguities = t.Epoch, false, 0
		return nil
	})
}

// Ambiguous counts an attempt with an unknown end.
func (d *delivery) Ambiguous(ctx context.Context, _ int) error {
	return d.update(ctx, func(t *table.Tx, rec *table.OutRecord) error {
		rec.Unknown = true
		rec.Ambiguities++
		t.Meta.Ambiguous++
		return nil
	})
}

// Settle ends the delivery.
func (d *delivery) Settle(ctx context.Context, end channels.Outcome) error {
	chat, seq := table.Num(d.key, 0), table.Num(d.key, 1)
	more := false
	err := d.persist(ctx, func(t *table.Tx) error {
		if err := d.fence(t); err != nil {
			return err
		}
		sent := &table.SentRecord{Chat: chat, Seq: seq, State: end.State, Reason: end.Reason, Receipts: d.rec.Receipts, Time: t.Now}
		switch end.State {
		case channels.Delivered:
			sent.Receipts = append(slices.Clip(sent.Receipts), end.Receipt)
		case channels.Refused:
			t.Meta.Refused++
		case channels.Unsettled:
			t.Meta.Unsettled++
		}
		if end.Suspend {
			if err := rules.Suspend(t, chat); err != nil {
				return err
			}
		}
		if err := t.Delete(table.Outbox, d.key); err != nil {
			return err
		}
		if end.State != channels.Delivered {
			d.o.drains.Undelivered(t, d.info.Outbound.Address.Channel)
		}
		if end.Kept {
			if err := keep(t, chat, seq, &d.rec.Outbound, end.Receipt.Time); err != nil {
				return err
			}
		}
		next, _ := t.First(table.Outbox, table.NumKey(chat))
		more = next != nil
		return t.Put(table.Sent, table.IDKey(d.rec.Outbound.ID), sent)
	})
	if err == nil {
		d.more = more
		d.settled.Store(true)
		d.o.receipts.settled(d.rec.Outbound.ID)
	}
	return err
}

// keep stores a delivered message with its chat, where its channel has no memory.
func keep(t *table.Tx, chat, seq uint64, o *channels.Outbound, delivered time.Time) error {
	c, err := table.ReadChat(t, chat)
	if err != nil {
		return nil //nolint:nilerr // a message must leave the queue also where its chat is damaged
	}
	rec := &table.ShownRecord{
		ID: o.ID, After: c.Entries, Text: o.Text, Finishes: o.Finishes, Unasked: o.Unasked, Time: delivered,
	}
	if o.File != nil {
		rec.File = o.File.Name
	}
	return t.Put(table.Shown, table.NumKey(c.Session, seq), rec)
}
