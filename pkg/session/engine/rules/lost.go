package rules

import (
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// LoseTurn ends the interrupted turn with this head and lists its items as failed at c.
func LoseTurn(t *table.Tx, c *table.ChatRecord, head []byte, reason string) error {
	chat := table.Num(head, 0)
	seqs := append(StartOf(t, chat, table.Num(head, 1)), table.Num(head, 1))
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
		c.AddFailed(LostItem(t, item.ID, reason))
		if err := t.Delete(table.Inbox, table.NumKey(chat, seq)); err != nil {
			return err
		}
	}
	return t.DeleteAll(table.Steps, head)
}

// LostItem is an item that is listed as failed.
func LostItem(t *table.Tx, id, reason string) session.FailedItem {
	return session.FailedItem{ID: id, Outcome: session.OutcomeFailed, Reason: reason, Time: t.Now}
}

// StartOf names the items that started an earlier attempt, if it recorded anything.
func StartOf(t *table.Tx, chat, head uint64) []uint64 {
	rec, err := table.Get[table.StepRecord](t, table.Steps, table.NumKey(chat, head, 0))
	if err != nil {
		return nil
	}
	return rec.Start
}
