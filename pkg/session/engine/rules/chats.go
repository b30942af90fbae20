package rules

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// EnsureChat finds the chat at an address or creates it. A damaged address is
// set aside, and a new chat takes its place.
func EnsureChat(t *table.Tx, a channels.Address) (uint64, error) {
	n, err := table.ChatAt(t, a)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, session.ErrCorrupt):
		if err := t.SetAside(table.Addr, table.AddrKey(a)); err != nil {
			return 0, err
		}
	case !errors.Is(err, session.ErrNotFound):
		return 0, err
	case table.Orphan(t, a):
		return 0, fmt.Errorf("task %s: %w", a.Chat, session.ErrNotFound)
	}
	if n, err = t.Next(); err != nil {
		return 0, err
	}
	if err := t.PutRaw(table.Addr, table.AddrKey(a), table.NumKey(n)); err != nil {
		return 0, err
	}
	return n, newChat(t, n, a)
}

// newChat writes a chat's record with a fresh session.
func newChat(t *table.Tx, n uint64, a channels.Address) error {
	t.Fresh = append(t.Fresh, n)
	c := &table.ChatRecord{Address: a, Aliases: []channels.Address{a}}
	if err := newSession(t, n, c); err != nil {
		return err
	}
	return t.Put(table.Chats, table.NumKey(n), c)
}

// newSession gives a chat a fresh session; the caller stores the chat.
func newSession(t *table.Tx, n uint64, c *table.ChatRecord) error {
	s, err := t.Next()
	if err != nil {
		return err
	}
	c.Session, c.Entries, c.CompactedTo = s, 0, 0
	c.Created, c.Active, c.Failed = t.Now, t.Now, nil
	return t.Put(table.Sessions, []byte(table.SessionID(s)), &table.SessionRecord{Chat: n})
}

// HealChat replaces a damaged chat record by a fresh one at address a, so that the
// items in the chat can be answered. The old session stays readable.
func HealChat(t *table.Tx, n uint64, a channels.Address) error {
	if _, err := table.ReadChat(t, n); !errors.Is(err, session.ErrCorrupt) {
		return err
	}
	if err := t.SetAside(table.Chats, table.NumKey(n)); err != nil {
		return err
	}
	return newChat(t, n, a)
}

// Suspend says that a chat cannot be reached. Its jobs wait from then on.
func Suspend(t *table.Tx, chat uint64) error {
	if err := t.PutIndex(table.Suspended, table.NumKey(chat)); err != nil {
		return err
	}
	return relistJobs(t, chat)
}

// Reached says that a chat can be reached again, if it could not.
func Reached(t *table.Tx, chat uint64) error {
	if !table.IsSuspended(t, chat) {
		return nil
	}
	if err := t.Delete(table.Suspended, table.NumKey(chat)); err != nil {
		return err
	}
	return relistJobs(t, chat)
}

// ChatFor is the chat at a message's address. The chat at home is known by its
// own record even when the index entry of its address is damaged.
func ChatFor(t *table.Tx, a channels.Address, home uint64) (uint64, error) {
	n, err := table.ChatAt(t, a)
	if err == nil {
		return n, nil
	}
	if errors.Is(err, session.ErrCorrupt) && home != 0 {
		if c, err := table.ReadChat(t, home); err == nil && slices.Contains(c.Aliases, a) {
			return home, nil
		}
	}
	return EnsureChat(t, a)
}

// LatestOf is when a chat last had something. The newest of the waiting items came
// after the last turn ended, or is as new as makes no difference.
func LatestOf(t *table.Tx, n uint64) (time.Time, error) {
	c, err := table.ReadChat(t, n)
	if err != nil {
		return time.Time{}, err
	}
	key := t.Last(table.Inbox, n)
	if key == nil {
		return c.Active, nil
	}
	item, err := table.Get[session.Item](t, table.Inbox, key)
	if err != nil {
		return time.Time{}, err
	}
	rec, err := table.Get[table.SeenRecord](t, table.Seen, table.IDKey(item.ID))
	if err != nil {
		return t.Now, nil //nolint:nilerr // it waits, for an unknown time
	}
	if rec.Time.After(c.Active) {
		return rec.Time, nil
	}
	return c.Active, nil
}

// Touch says that a chat has something new which no turn of it brought.
func Touch(t *table.Tx, n uint64) error {
	c, err := table.ReadChat(t, n)
	if err != nil {
		return nil //nolint:nilerr // a damaged chat is made anew by its next turn, and is as of then
	}
	c.Active = t.Now
	return t.Put(table.Chats, table.NumKey(n), c)
}
