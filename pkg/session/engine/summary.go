package engine

import (
	"context"
	"fmt"

	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// Summarise stores a summary that was made after its turn.
func (s sessions) Summarise(ctx context.Context, late session.LateSummary) (bool, error) {
	n, err := table.ParseID("c", late.Chat)
	if err != nil {
		return false, err
	}
	stored := false
	err = s.e.w.Do(ctx, func(t *table.Tx) error {
		stored = false
		chat, err := table.ReadChat(t, n)
		if err != nil {
			return fmt.Errorf("chat %s: %w", late.Chat, err)
		}
		if err := rules.SpendLate(t, n, late.Turn, late.Spent); err != nil {
			return err
		}
		if late.Summary == nil || table.SessionID(chat.Session) != late.Session || chat.CompactedTo >= late.To {
			return nil
		}
		if err := rules.AppendEntry(t, chat, rules.SummaryEntry(late.Turn, late.Summary)); err != nil {
			return err
		}
		chat.CompactedTo = min(late.To, chat.Entries)
		stored = true
		return t.Put(table.Chats, table.NumKey(n), chat)
	})
	return stored && err == nil, err
}
