package table

import (
	"encoding/binary"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// ChatAt finds the chat at an address; [session.ErrNotFound] when it is missing.
func ChatAt(t *Tx, a channels.Address) (uint64, error) {
	payload, err := t.Raw(Addr, AddrKey(a))
	if err != nil {
		return 0, err
	}
	if len(payload) != 8 {
		return 0, &RecordError{Bucket: Addr, Key: AddrKey(a), Why: "wrong length"}
	}
	return binary.BigEndian.Uint64(payload), nil
}

// ReadChat is a chat's record.
func ReadChat(t *Tx, n uint64) (*ChatRecord, error) {
	c, err := Get[ChatRecord](t, Chats, NumKey(n))
	if err != nil {
		return nil, fmt.Errorf("chat %s: %w", ChatID(n), err)
	}
	return c, nil
}

// AddressOf is the present address of a chat: the first field of its record.
func AddressOf(t *Tx, n uint64) (channels.Address, error) {
	payload, err := t.Raw(Chats, NumKey(n))
	if err != nil {
		return channels.Address{}, err
	}
	r := readFields(payload)
	a := r.address()
	if r.bad {
		return channels.Address{}, &RecordError{Bucket: Chats, Key: NumKey(n), Why: "cannot be decoded"}
	}
	return a, nil
}

// ChatNum is the number of a chat that still exists, else 0.
func ChatNum(t *Tx, id string) uint64 {
	n, err := ParseID("c", id)
	if err != nil || !t.Has(Chats, NumKey(n)) {
		return 0
	}
	return n
}

// IsGone says that a chat is forgotten and something of it is left.
func IsGone(t *Tx, chat uint64) bool { return t.Has(Gone, NumKey(chat)) }

// IsSuspended says that a chat cannot be reached.
func IsSuspended(t *Tx, chat uint64) bool { return t.Has(Suspended, NumKey(chat)) }

// Orphan says that an address is of an agent without a task.
func Orphan(t *Tx, a channels.Address) bool {
	return a.Channel == session.AgentChannel && !t.Has(Tasks, IDKey(a.Chat))
}

// InfoOf describes a chat's present session.
func InfoOf(t *Tx, n uint64, c *ChatRecord) session.Info {
	return session.Info{
		Session: SessionID(c.Session), Chat: ChatID(n), Address: c.Address, Current: true,
		Entries: c.Entries, CompactedTo: c.CompactedTo, Created: c.Created, Active: c.Active,
		Model: chosenModel(t, n), Suspended: IsSuspended(t, n), Failed: c.Failed,
	}
}

// chosenModel is the name of a chat's model. A damaged one counts as unset.
func chosenModel(t *Tx, n uint64) string {
	name, err := t.Raw(Models, NumKey(n))
	if err != nil {
		return ""
	}
	return string(name)
}

// ReadSession describes any session.
func ReadSession(t *Tx, id string) (session.Info, error) {
	rec, c, err := readSession(t, id)
	switch {
	case err != nil:
		return session.Info{}, err
	case rec.Past != nil:
		return *rec.Past, nil
	case SessionID(c.Session) != id:
		// The chat's record was damaged and made anew; this session's own counts went with it.
		return session.Info{Session: id, Chat: ChatID(rec.Chat), Address: c.Address, Entries: lastEntry(t, id)}, nil
	}
	return InfoOf(t, rec.Chat, c), nil
}

// ReadExtent is the number of entries of any session, and its compaction point: the part of
// [ReadSession] that each turn reads.
func ReadExtent(t *Tx, id string) (entries, compactedTo uint64, err error) {
	rec, c, err := readSession(t, id)
	switch {
	case err != nil:
		return 0, 0, err
	case rec.Past != nil:
		return rec.Past.Entries, rec.Past.CompactedTo, nil
	case SessionID(c.Session) != id:
		return lastEntry(t, id), 0, nil
	}
	return c.Entries, c.CompactedTo, nil
}

// readSession reads a session's record, and that of its chat unless /new left it behind.
func readSession(t *Tx, id string) (*SessionRecord, *ChatRecord, error) {
	if id == "" {
		return nil, nil, fmt.Errorf("session %q: %w", id, session.ErrNotFound)
	}
	rec, err := Get[SessionRecord](t, Sessions, []byte(id))
	if err != nil {
		return nil, nil, fmt.Errorf("session %q: %w", id, err)
	}
	if rec.Past != nil {
		return rec, nil, nil
	}
	c, err := ReadChat(t, rec.Chat)
	return rec, c, err
}

// SessionNum is the number of a session, by its id.
func SessionNum(id string) (uint64, error) { return ParseID("s", id) }

// lastEntry is the highest sequence number that a session's history holds.
func lastEntry(t *Tx, id string) uint64 {
	n, err := SessionNum(id)
	if err != nil {
		return 0
	}
	c := t.Cursor(History)
	k, _ := c.SeekBefore(NumKey(n + 1))
	if Num(k, 0) != n {
		return 0
	}
	return Num(k, 1)
}

// MayFire says whether a job is to be listed by its due time.
func MayFire(t *Tx, j *session.Job) bool {
	return !j.Paused && !j.Due.IsZero() && !IsSuspended(t, ChatNum(t, j.Chat))
}
