package engine

import (
	"context"
	"fmt"

	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// A record that cannot be read any more is set aside and listed as failed.

// loseItems sets damaged inbox records aside and lists them as failed. With the
// head of an interrupted turn goes the whole turn: its calls must not run again
// under another name.
func (ib *inbox) loseItems(ctx context.Context, chat uint64, bad []*table.RecordError) error {
	return ib.w.Do(ctx, func(t *table.Tx) error {
		c, err := table.ReadChat(t, chat)
		if err != nil {
			c = &table.ChatRecord{} // healed when its next item is handed out; its channel is unknown
		}
		for _, b := range bad {
			seq := table.Num(b.Key, 1)
			if err := t.SetAside(b.Bucket, b.Key); err != nil {
				return err
			}
			c.AddFailed(rules.LostItem(t, fmt.Sprintf("%s-%d", table.ChatID(chat), seq), session.ErrCorrupt.Error()))
			ib.drains.Unanswered(t, c.Address.Channel, seq, session.ItemMessage)
			if err := rules.LoseTurn(t, c, table.NumKey(chat, seq), session.ErrCorrupt.Error()); err != nil {
				return err
			}
		}
		if err != nil {
			return nil //nolint:nilerr // the record is damaged and is not written back
		}
		return t.Put(table.Chats, table.NumKey(chat), c)
	})
}
