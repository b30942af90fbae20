package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// Move takes entries out of a conversation, or gives the chat another one, as a commit says. The
// caller stores the chat.
func Move(t *table.Tx, n uint64, chat *table.ChatRecord, c *session.Commit) error {
	if c.Undo != nil {
		if err := undo(t, chat, *c.Undo); err != nil {
			return err
		}
	}
	switch {
	case c.NewSession:
		return leaveSession(t, n, chat)
	case c.Resume != "":
		return resumeSession(t, n, chat, c.Resume)
	default:
		return nil
	}
}

// SummaryEntry is the entry of a summary that a turn asked for.
func SummaryEntry(turn string, s *session.Summary) *session.Entry {
	return &session.Entry{Turn: turn, Message: s.Message, Outside: s.Outside, Summary: true}
}

// AppendEntry stores the next entry of the history; the caller stores the chat.
func AppendEntry(t *table.Tx, chat *table.ChatRecord, e *session.Entry) error {
	chat.Entries++
	e.Seq, e.Time = chat.Entries, t.Now
	payload, err := table.EncodeEntry(e)
	if err != nil {
		return err
	}
	if err := t.PutRaw(table.History, table.NumKey(chat.Session, e.Seq), payload); err != nil {
		return err
	}
	return table.PutMarks(t, chat.Session, e)
}

// leaveSession keeps the facts of the present session and begins a new one.
func leaveSession(t *table.Tx, n uint64, c *table.ChatRecord) error {
	if err := keepSession(t, n, c); err != nil {
		return err
	}
	return newSession(t, n, c)
}

// keepSession keeps the facts of the present session, which the chat leaves behind.
func keepSession(t *table.Tx, n uint64, c *table.ChatRecord) error {
	past := table.InfoOf(t, n, c)
	past.Current = false
	return t.Put(table.Sessions, []byte(past.Session), &table.SessionRecord{Chat: n, Past: &past})
}

// resumeSession gives a chat a session that it left behind, and leaves the present one behind.
// [session.ErrNotFound]: the chat left no such session. The caller stores the chat.
func resumeSession(t *table.Tx, n uint64, c *table.ChatRecord, id string) error {
	rec, err := table.Get[table.SessionRecord](t, table.Sessions, []byte(id))
	if err != nil {
		return fmt.Errorf("session %q: %w", id, err)
	}
	num, err := table.SessionNum(id)
	if err != nil {
		return err
	}
	if rec.Chat != n || num == c.Session {
		return fmt.Errorf("session %q is none that chat %s left behind: %w", id, table.ChatID(n), session.ErrNotFound)
	}
	past, err := table.ReadSession(t, id)
	if err != nil {
		return err
	}
	if err := keepSession(t, n, c); err != nil {
		return err
	}
	c.Session, c.Entries, c.CompactedTo = num, past.Entries, past.CompactedTo
	c.Created, c.Active, c.Failed = past.Created, t.Now, past.Failed
	return t.Put(table.Sessions, []byte(id), &table.SessionRecord{Chat: n})
}

// Left are the sessions with entries that a chat left behind, at most limit, the one that was
// active last first.
func Left(t *table.Tx, n uint64, limit int) []session.Info {
	c, err := table.ReadChat(t, n)
	if err != nil {
		return nil
	}
	var all []session.Info
	for _, id := range leftBy(t, n, c) {
		if info, err := table.ReadSession(t, id); err == nil && info.Entries > 0 {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(x, y session.Info) int {
		return cmp.Or(y.Active.Compare(x.Active), cmp.Compare(x.Session, y.Session))
	})
	return all[:min(len(all), limit)]
}

// leftBy are the ids of the sessions that a chat left behind, also of those without entries.
func leftBy(t *table.Tx, n uint64, c *table.ChatRecord) (ids []string) {
	t.Each(table.Sessions, nil, func(k, v []byte) bool {
		payload, err := table.Unseal(table.Sessions, k, v)
		if err == nil && table.ChatOfSession(payload) == n && string(k) != table.SessionID(c.Session) {
			ids = append(ids, string(k))
		}
		return true
	})
	return ids
}

// takeOverLeft makes the sessions that another chat left behind those of a chat.
func takeOverLeft(t *table.Tx, n, other uint64) error {
	c, err := table.ReadChat(t, other)
	if err != nil {
		return err
	}
	for _, id := range leftBy(t, other, c) {
		rec, err := table.Get[table.SessionRecord](t, table.Sessions, []byte(id))
		if err != nil {
			continue // it is set aside when it is met
		}
		rec.Chat = n
		if rec.Past != nil {
			rec.Past.Chat = table.ChatID(n)
		}
		if err := t.Put(table.Sessions, []byte(id), rec); err != nil {
			return err
		}
	}
	return nil
}

// undo takes entries of the present session out of what the model reads. Those within that were
// undone before are undone with them from then on.
func undo(t *table.Tx, c *table.ChatRecord, s session.Span) error {
	s.To = min(s.To, c.Entries)
	if s.From == 0 || s.From > s.To {
		return nil
	}
	first := table.NumKey(c.Session, s.From)
	for _, k := range t.Keys(table.Undone, table.NumKey(c.Session)) {
		if from := table.Num(k, 1); from >= s.From && from <= s.To {
			if err := t.Delete(table.Undone, k); err != nil {
				return err
			}
		}
	}
	return t.PutRaw(table.Undone, first, table.NumKey(s.To))
}

// SessionsAfter are sessions by their ids. A damaged one is left out.
func SessionsAfter(t *table.Tx, after string, limit int) (out []session.Info, err error) {
	c := t.Cursor(table.Sessions)
	for k, _ := c.Seek([]byte(after + "\x00")); k != nil && len(out) < limit; k, _ = c.Next() {
		info, err := table.ReadSession(t, string(k))
		switch {
		case errors.Is(err, session.ErrCorrupt):
		case err != nil:
			return nil, err
		default:
			out = append(out, info)
		}
	}
	return out, nil
}
