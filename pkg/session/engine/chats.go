package engine

import (
	"errors"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// ensureChat finds the chat at an address or creates it. A damaged address is
// set aside, and a new chat takes its place.
func ensureChat(t *table.Tx, a channels.Address) (uint64, error) {
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

// healChat replaces a damaged chat record by a fresh one at address a, so that
// what waits in the chat can be answered. The old session stays readable.
func healChat(t *table.Tx, n uint64, a channels.Address) error {
	if _, err := table.ReadChat(t, n); !errors.Is(err, session.ErrCorrupt) {
		return err
	}
	if err := t.SetAside(table.Chats, table.NumKey(n)); err != nil {
		return err
	}
	return newChat(t, n, a)
}

// suspend says that a chat cannot be reached. Its jobs wait from then on.
func suspend(t *table.Tx, chat uint64) error {
	if err := t.PutIndex(table.Suspended, table.NumKey(chat)); err != nil {
		return err
	}
	return relistJobs(t, chat)
}

// reached says that a chat can be reached again, if it could not.
func reached(t *table.Tx, chat uint64) error {
	if !table.IsSuspended(t, chat) {
		return nil
	}
	if err := t.Delete(table.Suspended, table.NumKey(chat)); err != nil {
		return err
	}
	return relistJobs(t, chat)
}
