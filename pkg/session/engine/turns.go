package engine

import (
	"context"
	"fmt"

	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// TurnOf finds a turn by the item that it began with.
func (s chats) TurnOf(ctx context.Context, item string) (session.TurnFact, error) {
	var f session.TurnFact
	err := s.e.w.View(func(t *table.Tx) error {
		seen, err := table.Get[table.SeenRecord](t, table.Seen, table.IDKey(item))
		if err != nil {
			return fmt.Errorf("item %s: %w", item, err)
		}
		key := table.NumKey(seen.Chat, seen.Seq)
		f.Turn, f.Chat = table.TurnID(seen.Chat, seen.Seq), table.ChatID(seen.Chat)
		if t.Has(table.Inbox, key) {
			return nil
		}
		rec, err := table.Get[table.TurnRecord](t, table.Turns, key)
		if err != nil {
			return fmt.Errorf("turn %s: %w", f.Turn, err)
		}
		f.Ended, f.Session, f.Outcome, f.Reason = true, table.SessionID(rec.Session), rec.Outcome, rec.Reason
		f.Program, _ = table.Get[session.Program](t, table.Programs, key) // a damaged one counts as none
		return nil
	})
	s.e.w.SetAsideIf(ctx, err)
	return f, err
}

// ProgramOf is the program that asked for a turn.
func (s chats) ProgramOf(ctx context.Context, chat, turn string) (session.Program, error) {
	var found session.Program
	err := s.e.w.View(func(t *table.Tx) error {
		key, ok := table.TurnKey(table.ChatNum(t, chat), turn)
		if !ok {
			return fmt.Errorf("turn %s: %w", turn, session.ErrNotFound)
		}
		rec, err := table.Get[session.Program](t, table.Programs, key)
		if err != nil {
			return fmt.Errorf("turn %s: %w", turn, err)
		}
		found = *rec
		return nil
	})
	s.e.w.SetAsideIf(ctx, err)
	return found, err
}

// ForgetTurn deletes what a program asked of a turn.
func (s chats) ForgetTurn(ctx context.Context, chat, turn string) error {
	return s.e.w.Do(ctx, func(t *table.Tx) error { return rules.ForgetTurn(t, chat, turn) })
}
