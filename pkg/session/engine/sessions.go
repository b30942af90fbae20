package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// Lookup finds the chat at an address.
func (s sessions) Lookup(_ context.Context, a channels.Address) (session.Info, error) {
	var info session.Info
	err := s.e.w.View(func(t *table.Tx) error {
		n, err := table.ChatAt(t, a)
		if err != nil {
			return fmt.Errorf("address %s %s: %w", a.Channel, a.Chat, err)
		}
		c, err := table.ReadChat(t, n)
		if err != nil {
			return err
		}
		info = table.InfoOf(t, n, c)
		return nil
	})
	return info, err
}

// Latest is when the chat at an address last had something.
func (s sessions) Latest(_ context.Context, a channels.Address) (time.Time, error) {
	var at time.Time
	err := s.e.w.View(func(t *table.Tx) error {
		n, err := table.ChatAt(t, a)
		if err == nil {
			at, err = rules.LatestOf(t, n)
		}
		if errors.Is(err, session.ErrCorrupt) {
			at, err = t.Now, nil
		}
		if err != nil {
			return fmt.Errorf("address %s %s: %w", a.Channel, a.Chat, err)
		}
		return nil
	})
	return at, err
}

// Get finds a session by id.
func (s sessions) Get(_ context.Context, id string) (session.Info, error) {
	var info session.Info
	err := s.e.w.View(func(t *table.Tx) error {
		var err error
		info, err = table.ReadSession(t, id)
		return err
	})
	return info, err
}

// Left returns the sessions that a chat left behind.
func (s sessions) Left(_ context.Context, chat string, limit int) (all []session.Info, err error) {
	n, err := table.ParseID("c", chat)
	if err != nil {
		return nil, err
	}
	err = s.e.w.View(func(t *table.Tx) error { all = rules.Left(t, n, limit); return nil })
	return all, err
}

// List returns sessions by id.
func (s sessions) List(_ context.Context, after string, limit int) ([]session.Info, error) {
	var out []session.Info
	err := s.e.w.View(func(t *table.Tx) (err error) {
		out, err = rules.SessionsAfter(t, after, limit)
		return err
	})
	return out, err
}

// Forget deletes a session. With the present session of a chat go those that it left
// behind, all that waits or is kept for the chat, and the chat itself; one that was left
// behind goes alone. With a task goes the conversation of its agent. A long history goes
// in several transactions, see forget.go: after the first one no reader finds it, and
// when the context ends the housekeeping removes the rest.
func (s sessions) Forget(ctx context.Context, id string) error {
	err := s.e.tokens.Along(ctx, func(t *table.Tx) error { return rules.ForgetConversation(t, id) })
	if err != nil {
		return err
	}
	if err := s.e.keeper.RemoveGone(ctx); err != nil {
		return fmt.Errorf("%s is forgotten, and the gateway removes the rest of it later: %w", id, err)
	}
	return nil
}

// ForgetEntry deletes a chat, or with an id only that session of it, see [rules.ForgetEntry]. It deletes the
// first piece of a long history; EndForgetting deletes the others.
func ForgetEntry(ctx context.Context, e *Engine, chat, id string) error {
	return e.tokens.Along(ctx, func(t *table.Tx) error { return rules.ForgetEntry(t, table.ChatNum(t, chat), id) })
}

// EndForgetting removes what is left of forgotten conversations, and returns when it is gone.
func EndForgetting(ctx context.Context, e *Engine) error { return e.keeper.RemoveGone(ctx) }

// Renew deletes a chat as ForgetEntry does, and begins it anew at its address with a message, see [rules.Renew], in
// one transaction. Where it is gone the message alone is queued; "" is none.
func Renew(ctx context.Context, e *Engine, chat, asked string, told channels.Outbound) error {
	err := e.out.Tell(ctx, told, func(t *table.Tx) error {
		fresh, err := rules.Renew(t, table.ChatNum(t, chat), asked)
		if fresh != 0 {
			t.OnCommit = append(t.OnCommit, (&arrival{ib: e.in, chat: fresh, item: &session.Item{}}).signal)
		}
		return err
	})
	return errors.Join(err, e.tokens.Along(ctx, func(*table.Tx) error { return nil }))
}

// HoldOutbox lets no message of a chat leave until release is called, see [outbox.Outbox.Hold].
func HoldOutbox(ctx context.Context, e *Engine, chat string) (release func()) {
	n, _ := table.ParseID("c", chat) // there is no chat 0
	return e.out.Hold(ctx, n)
}

// Addresses are those of a chat, the present one first, and the highest number that was given out.
func Addresses(e *Engine, chat string) (all []channels.Address, last uint64, err error) {
	err = e.w.View(func(t *table.Tx) error { all, last, err = rules.Addresses(t, chat); return err })
	return all, last, err
}
