package outbox

import (
	"context"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// Prepared are messages that are ready for [Outbox.Put].
type Prepared struct {
	msgs    []channels.Outbound
	encoded [][]byte
	shows   []func() // nil for a message that is to be handed out
}

// Prepare does what can be done outside of the committer.
func (o *Outbox) Prepare(msgs []channels.Outbound) (Prepared, error) {
	encoded, err := table.EncodeOutbox(msgs)
	return Prepared{msgs, encoded, o.atOnce.shows(msgs)}, err
}

// Size is about how many bytes they store.
func (p *Prepared) Size() (n int) {
	for _, b := range p.encoded {
		n += len(b)
	}
	return n
}

// Put queues messages, each id once, most of them for the chat home. The record of a chat must be stored as it
// is to be, for a message that is delivered at once is kept with it.
func (o *Outbox) Put(x *table.Tx, home uint64, p Prepared) error {
	for i := range p.msgs {
		if err := o.put(x, home, &p.msgs[i], p.encoded[i], p.shows[i]); err != nil {
			return err
		}
	}
	return nil
}

func (o *Outbox) put(x *table.Tx, home uint64, msg *channels.Outbound, encoded []byte, show func()) error {
	id := table.IDKey(msg.ID)
	if x.Has(table.Sent, id) {
		return nil
	}
	chat, err := rules.ChatFor(x, msg.Address, home)
	if err != nil {
		return err
	}
	seq, err := x.Next()
	if err != nil {
		return err
	}
	if chat != home {
		if err := rules.Touch(x, chat); err != nil {
			return err
		}
	}
	x.Added++
	if show != nil && o.showsNow(x, chat, msg.Address) {
		return deliver(o, x, chat, seq, msg, show)
	}
	var mark uint64
	if o.sendsNow(x, chat, msg) {
		mark = x.Epoch
		// Noted before the commit: from then on a lane may take it. When the
		// transaction fails the note says nothing, for no such delivery is marked.
		o.noteIdle(seq)
	}
	key := table.NumKey(chat, seq)
	if err := x.PutRaw(table.Outbox, key, table.OutPayload(encoded, mark)); err != nil {
		return err
	}
	if err := x.Put(table.Sent, id, &table.SentRecord{Chat: chat, Seq: seq, Time: x.Now}); err != nil {
		return err
	}
	if mark != 0 {
		o.sendEarly(x, key, msg)
		return nil
	}
	x.OnCommit = append(x.OnCommit, func() { o.Signal(msg.Address, chat, urgencyOut(msg), msg.Asked) })
	return nil
}

// Tell queues a message beside all turns, unless its id was queued before, behind another change in the
// same transaction.
func (o *Outbox) Tell(ctx context.Context, msg channels.Outbound, change func(*table.Tx) error) error {
	if err := table.Storable(msg.ID, msg.Address); err != nil {
		return fmt.Errorf("message %s: %w", msg.ID, err)
	}
	p, err := o.Prepare([]channels.Outbound{msg})
	if err != nil {
		return err
	}
	return o.w.Do(ctx, func(x *table.Tx) error {
		if err := change(x); err != nil {
			return err
		}
		if err := o.handOn(x, &msg); err != nil {
			return err
		}
		return o.Put(x, 0, p)
	})
}

// handOn gives the message that another one finishes to the chat of that: its own chat may be forgotten.
func (*Outbox) handOn(x *table.Tx, msg *channels.Outbound) error {
	key := table.IDKey(msg.Finishes)
	of, err := table.Get[table.SentRecord](x, table.Sent, key)
	if msg.Finishes == "" || err != nil {
		return nil //nolint:nilerr // it was not sent, and there is no message to finish
	}
	if of.Chat, err = rules.ChatFor(x, msg.Address, 0); err != nil {
		return err
	}
	return x.Put(table.Sent, key, of)
}
