package bolt

import (
	"context"
	"errors"
	"fmt"

	"parley/pkg/session"
)

// Zone is the time zone of a chat.
func (e *Engine) Zone(_ context.Context, chat string) (string, error) {
	zone := ""
	err := e.view(func(t *tx) error {
		n := t.homeOf(chat)
		if n == 0 {
			return nil
		}
		payload, err := t.raw(bkZones, numKey(n))
		if errors.Is(err, session.ErrNotFound) {
			return nil
		}
		zone = string(payload)
		return err
	})
	return zone, err
}

// SetZone keeps it.
func (e *Engine) SetZone(ctx context.Context, chat, zone string) error {
	return e.write(ctx, func(t *tx) error {
		n := t.homeOf(chat)
		if n == 0 {
			return fmt.Errorf("chat %s: %w", chat, session.ErrNotFound)
		}
		return t.putRaw(bkZones, numKey(n), []byte(zone))
	})
}

// spentRec is what a chat used on one day.
type spentRec map[session.Purpose]session.Usage

func spentKey(chat uint64, day string) []byte { return append(numKey(chat), day...) }

// Spending is what a chat used on a day.
func (e *Engine) Spending(_ context.Context, chat, day string) (map[session.Purpose]session.Usage, error) {
	out := map[session.Purpose]session.Usage{}
	err := e.view(func(t *tx) error {
		n := t.homeOf(chat)
		if n == 0 {
			return nil
		}
		rec, err := get[spentRec](t, bkSpent, spentKey(n, day))
		if errors.Is(err, session.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		out = *rec
		return nil
	})
	return out, err
}

// spend counts what was used.
func (t *tx) spend(chat uint64, s *session.Spent) error {
	if s == nil || chat == 0 {
		return nil
	}
	key := spentKey(chat, s.Day)
	rec, err := get[spentRec](t, bkSpent, key)
	if err != nil {
		rec = &spentRec{}
	}
	u := (*rec)[s.Purpose]
	u.Turns += s.Usage.Turns
	u.Input += s.Usage.Input
	u.Output += s.Usage.Output
	u.Money += s.Usage.Money
	(*rec)[s.Purpose] = u
	return t.put(bkSpent, key, rec)
}
