package engine

import (
	"encoding/binary"
	"errors"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// chatAt finds the chat at an address; [session.ErrNotFound] when there is none.
func (t *tx) chatAt(a channels.Address) (uint64, error) {
	payload, err := t.raw(bkAddr, addrKey(a))
	if err != nil {
		return 0, err
	}
	if len(payload) != 8 {
		return 0, &recordError{bucket: bkAddr, key: addrKey(a), why: "wrong length"}
	}
	return binary.BigEndian.Uint64(payload), nil
}

// ensureChat finds the chat at an address or creates it. A damaged address is
// set aside, and a new chat takes its place.
func (t *tx) ensureChat(a channels.Address) (uint64, error) {
	n, err := t.chatAt(a)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, session.ErrCorrupt):
		if err := t.setAside(bkAddr, addrKey(a)); err != nil {
			return 0, err
		}
	case !errors.Is(err, session.ErrNotFound):
		return 0, err
	case t.orphan(a):
		return 0, fmt.Errorf("task %s: %w", a.Chat, session.ErrNotFound)
	}
	if n, err = t.next(); err != nil {
		return 0, err
	}
	if err := t.putRaw(bkAddr, addrKey(a), numKey(n)); err != nil {
		return 0, err
	}
	return n, t.newChat(n, a)
}

// newChat writes a chat's record with a fresh session.
func (t *tx) newChat(n uint64, a channels.Address) error {
	t.fresh = append(t.fresh, n)
	c := &chatRec{Address: a, Aliases: []channels.Address{a}}
	if err := t.newSession(n, c); err != nil {
		return err
	}
	return t.put(bkChats, numKey(n), c)
}

// newSession gives a chat a fresh session; the caller stores the chat.
func (t *tx) newSession(n uint64, c *chatRec) error {
	s, err := t.next()
	if err != nil {
		return err
	}
	c.Session, c.Entries, c.CompactedTo = s, 0, 0
	c.Created, c.Active, c.Failed = t.now, t.now, nil
	return t.put(bkSessions, []byte(sessionID(s)), &sessionRec{Chat: n})
}

// chat is a chat's record.
func (t *tx) chat(n uint64) (*chatRec, error) {
	c, err := get[chatRec](t, bkChats, numKey(n))
	if err != nil {
		return nil, fmt.Errorf("chat %s: %w", chatID(n), err)
	}
	return c, nil
}

// healChat replaces a damaged chat record by a fresh one at address a, so that
// what waits in the chat can be answered. The old session stays readable.
func (t *tx) healChat(n uint64, a channels.Address) error {
	if _, err := t.chat(n); !errors.Is(err, session.ErrCorrupt) {
		return err
	}
	if err := t.setAside(bkChats, numKey(n)); err != nil {
		return err
	}
	return t.newChat(n, a)
}

func (t *tx) isSuspended(chat uint64) bool { return t.has(bkSuspended, numKey(chat)) }

// suspend says that a chat cannot be reached. Its jobs wait from then on.
func (t *tx) suspend(chat uint64) error {
	if err := t.putIndex(bkSuspended, numKey(chat)); err != nil {
		return err
	}
	return t.relistJobs(chat)
}

// reached says that a chat can be reached again, if it could not.
func (t *tx) reached(chat uint64) error {
	if !t.isSuspended(chat) {
		return nil
	}
	if err := t.del(bkSuspended, numKey(chat)); err != nil {
		return err
	}
	return t.relistJobs(chat)
}

// info describes a chat's present session.
func (t *tx) info(n uint64, c *chatRec) session.Info {
	return session.Info{
		Session: sessionID(c.Session), Chat: chatID(n), Address: c.Address, Current: true,
		Entries: c.Entries, CompactedTo: c.CompactedTo, Created: c.Created, Active: c.Active,
		Suspended: t.isSuspended(n), Failed: c.Failed,
	}
}

// session describes any session.
func (t *tx) session(id string) (session.Info, error) {
	if id == "" {
		return session.Info{}, fmt.Errorf("session %q: %w", id, session.ErrNotFound)
	}
	rec, err := get[sessionRec](t, bkSessions, []byte(id))
	if err != nil {
		return session.Info{}, fmt.Errorf("session %q: %w", id, err)
	}
	if rec.Past != nil {
		return *rec.Past, nil
	}
	c, err := t.chat(rec.Chat)
	if err != nil {
		return session.Info{}, err
	}
	if sessionID(c.Session) != id {
		// The chat's record was damaged and made anew; this session's own counts went with it.
		return session.Info{Session: id, Chat: chatID(rec.Chat), Address: c.Address, Entries: t.lastEntry(id)}, nil
	}
	return t.info(rec.Chat, c), nil
}
