package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"parley/pkg/session"
)

// Zone is the time zone of a chat. A damaged one is as good as none.
func (s chats) Zone(ctx context.Context, chat string) (string, error) {
	zone := ""
	err := s.e.view(func(t *tx) error {
		payload, err := t.raw(bkZones, numKey(t.payer(t.chatNum(chat))))
		zone = string(payload)
		return err
	})
	return zone, s.e.orNone(ctx, err)
}

// zoneOf is the time zone of a chat whose record is at hand.
func (t *tx) zoneOf(n uint64, c *chatRec) string {
	if c.Address.Channel == session.AgentChannel {
		n = t.payer(n)
	}
	payload, err := t.raw(bkZones, numKey(n))
	if err != nil {
		return "" // a damaged one is as good as none
	}
	return string(payload)
}

// SetZone keeps it.
func (s chats) SetZone(ctx context.Context, chat, zone string) error {
	return s.e.write(ctx, func(t *tx) error {
		n := t.payer(t.chatNum(chat))
		if n == 0 {
			return fmt.Errorf("chat %s: %w", chat, session.ErrNotFound)
		}
		return t.putRaw(bkZones, numKey(n), []byte(zone))
	})
}

// orNone makes nothing of an error that says that there is no record, or that it
// is damaged, and sets that one aside.
func (e *Engine) orNone(ctx context.Context, err error) error {
	e.setAsideIf(ctx, err)
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrCorrupt) {
		return nil
	}
	return err
}

// spentRec is what a chat used on one day. It is stored as fields: the number of
// purposes, and of each its name, turns, input, output and money.
type spentRec map[session.Purpose]session.Usage

// MarshalBinary is the stored form.
func (s *spentRec) MarshalBinary() ([]byte, error) {
	b := appendNumbers(nil, uint64(len(*s)))
	for _, p := range slices.Sorted(maps.Keys(*s)) {
		u := (*s)[p]
		b = appendInts(appendTexts(b, string(p)), int64(u.Turns), int64(u.Input), int64(u.Output), u.Money)
	}
	return b, nil
}

// UnmarshalBinary reads the stored form.
func (s *spentRec) UnmarshalBinary(payload []byte) error {
	r := readFields(payload)
	*s = spentRec{}
	for i := r.number(); i > 0 && !r.bad; i-- {
		p := session.Purpose(r.next())
		(*s)[p] = session.Usage{Turns: int(r.int()), Input: int(r.int()), Output: int(r.int()), Money: r.int()}
	}
	return r.end()
}

func spentKey(chat uint64, day string) []byte { return append(numKey(chat), day...) }

// Spending is what a chat used on a day. Of a damaged record nothing is known.
func (s chats) Spending(ctx context.Context, chat, day string) (map[session.Purpose]session.Usage, error) {
	rec := &spentRec{}
	err := s.e.view(func(t *tx) error {
		found, err := get[spentRec](t, bkSpent, spentKey(t.payer(t.chatNum(chat)), day))
		if err == nil {
			rec = found
		}
		return err
	})
	return *rec, s.e.orNone(ctx, err)
}

// spend counts what was used in a chat.
func (t *tx) spend(chat uint64, s *session.Spent) error {
	if s == nil {
		return nil
	}
	n := t.payer(chat)
	if n == 0 {
		return nil
	}
	return t.addSpent(spentKey(n, s.Day), spentRec{s.Purpose: s.Usage})
}

// addSpent adds to what was used on a day.
func (t *tx) addSpent(key []byte, more spentRec) error {
	rec, err := get[spentRec](t, bkSpent, key)
	switch {
	case errors.Is(err, session.ErrNotFound):
		rec = &spentRec{}
		t.added++
	case errors.Is(err, session.ErrCorrupt):
		rec = &spentRec{}
		if err := t.setAside(bkSpent, key); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	for p, u := range more {
		sum := (*rec)[p]
		sum.Turns, sum.Input, sum.Output = plus(sum.Turns, u.Turns), plus(sum.Input, u.Input), plus(sum.Output, u.Output)
		sum.Money = plus(sum.Money, u.Money)
		(*rec)[p] = sum
	}
	return t.put(bkSpent, key, rec)
}

// plus adds what a model claims to have used: nothing makes a sum smaller.
func plus[N int | int64](sum, more N) N {
	return max(sum, sum+max(more, 0)) // one that is too large to count wraps around
}

// takeOverFacts adds to a chat what is kept of another one that becomes part of it.
func (t *tx) takeOverFacts(n, other uint64) error {
	if zone, err := t.raw(bkZones, numKey(other)); err == nil && !t.has(bkZones, numKey(n)) {
		if err := t.putRaw(bkZones, numKey(n), slices.Clone(zone)); err != nil {
			return err
		}
	}
	for _, key := range t.keys(bkSpent, numKey(other)) {
		rec, err := get[spentRec](t, bkSpent, key)
		if err != nil {
			continue // it goes with the chat
		}
		if err := t.addSpent(spentKey(n, string(key[chatKeyLen:])), *rec); err != nil {
			return err
		}
	}
	return errors.Join(t.delAll(bkZones, numKey(other)), t.delAll(bkSpent, numKey(other)))
}
