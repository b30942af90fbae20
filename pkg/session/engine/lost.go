package engine

import (
	"context"
	"fmt"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// What cannot be read any more is set aside and listed as failed.

// loseItems sets damaged inbox records aside and lists them as failed. With the
// head of an interrupted turn goes the whole turn: its calls must not run again
// under another name.
func (e *Engine) loseItems(ctx context.Context, chat uint64, bad []*table.RecordError) error {
	return e.write(ctx, func(t *table.Tx) error {
		c, err := table.ReadChat(t, chat)
		if err != nil {
			c = &table.ChatRecord{} // healed when its next item is handed out
		}
		for _, b := range bad {
			seq := table.Num(b.Key, 1)
			if err := t.SetAside(b.Bucket, b.Key); err != nil {
				return err
			}
			c.AddFailed(lostItem(t, fmt.Sprintf("%s-%d", table.ChatID(chat), seq), session.ErrCorrupt.Error()))
			if err := loseTurn(t, c, table.NumKey(chat, seq), session.ErrCorrupt.Error()); err != nil {
				return err
			}
		}
		if err != nil {
			return nil //nolint:nilerr // the record is damaged and is not written back
		}
		return t.Put(table.Chats, table.NumKey(chat), c)
	})
}

// loseTurn ends the interrupted turn with this head and lists its items as failed at c.
func loseTurn(t *table.Tx, c *table.ChatRecord, head []byte, reason string) error {
	chat := table.Num(head, 0)
	seqs := append(startOf(t, chat, table.Num(head, 1)), table.Num(head, 1))
	t.Each(table.Steps, head, func(k, v []byte) bool {
		if payload, err := table.Unseal(table.Steps, k, v); err == nil {
			if rec, err := table.Decode[table.StepRecord](table.Steps, k, payload); err == nil {
				seqs = append(seqs, rec.Taken...)
			}
		}
		return true
	})
	for _, seq := range seqs {
		item, err := table.Get[session.Item](t, table.Inbox, table.NumKey(chat, seq))
		if err != nil {
			continue
		}
		c.AddFailed(lostItem(t, item.ID, reason))
		if err := t.Delete(table.Inbox, table.NumKey(chat, seq)); err != nil {
			return err
		}
	}
	return t.DeleteAll(table.Steps, head)
}

func lostItem(t *table.Tx, id, reason string) session.FailedItem {
	return session.FailedItem{ID: id, Outcome: session.OutcomeFailed, Reason: reason, Time: t.Now}
}
