package engine

import (
	"context"
	"fmt"

	"parley/pkg/session"
)

// What cannot be read any more is set aside and listed as failed.

// loseItems sets damaged inbox records aside and lists them as failed. With the
// head of an interrupted turn goes the whole turn: its calls must not run again
// under another name.
func (e *Engine) loseItems(ctx context.Context, chat uint64, bad []*recordError) error {
	return e.write(ctx, func(t *tx) error {
		c, err := t.chat(chat)
		if err != nil {
			c = &chatRec{} // healed when its next item is handed out
		}
		for _, b := range bad {
			seq := num(b.key, 1)
			if err := t.setAside(b.bucket, b.key); err != nil {
				return err
			}
			c.addFailed(t.lostItem(fmt.Sprintf("%s-%d", chatID(chat), seq), session.ErrCorrupt.Error()))
			if err := t.loseTurn(c, numKey(chat, seq), session.ErrCorrupt.Error()); err != nil {
				return err
			}
		}
		if err != nil {
			return nil //nolint:nilerr // the record is damaged and is not written back
		}
		return t.put(bkChats, numKey(chat), c)
	})
}

// loseTurn ends the interrupted turn with this head and lists its items as failed at c.
func (t *tx) loseTurn(c *chatRec, head []byte, reason string) error {
	chat := num(head, 0)
	seqs := append(t.startOf(chat, num(head, 1)), num(head, 1))
	t.each(bkSteps, head, func(k, v []byte) bool {
		if payload, err := unseal(bkSteps, k, v); err == nil {
			if rec, err := decode[stepRec](bkSteps, k, payload); err == nil {
				seqs = append(seqs, rec.Taken...)
			}
		}
		return true
	})
	for _, seq := range seqs {
		item, err := get[session.Item](t, bkInbox, numKey(chat, seq))
		if err != nil {
			continue
		}
		c.addFailed(t.lostItem(item.ID, reason))
		if err := t.del(bkInbox, numKey(chat, seq)); err != nil {
			return err
		}
	}
	return t.delAll(bkSteps, head)
}

func (t *tx) lostItem(id, reason string) session.FailedItem {
	return session.FailedItem{ID: id, Outcome: session.OutcomeFailed, Reason: reason, Time: t.now}
}
