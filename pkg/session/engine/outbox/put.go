package outbox

import (
	"context"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// Put queues messages, each id once, most of them for the chat home.
func (o *Outbox) Put(x *table.Tx, home uint64, msgs []channels.Outbound, encoded [][]byte) error {
	for i := range msgs {
		if err := o.PutOne(x, home, &msgs[i], encoded[i]); err != nil {
			return err
		}
	}
	return nil
}

// PutOne queues a message, unless its id was queued before.
func (o *Outbox) PutOne(x *table.Tx, home uint64, msg *channels.Outbound, encoded []byte) error {
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
	if chat != home {
		if err := rules.Touch(x, chat); err != nil {
			return err
		}
	}
	x.Added++
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
	encoded, err := table.EncodeOutbox([]channels.Outbound{msg})
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
		return o.PutOne(x, 0, &msg, encoded[0])
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
