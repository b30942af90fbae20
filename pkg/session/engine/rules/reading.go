package rules

import (
	"bytes"
	"fmt"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// maxBack is how many messages a mark is looked for.
const maxBack = 200

// NewestUnseen is the place of the newest message that was shown in a chat's present conversation,
// or of the one with an outbound id, and 0 where the mark of what was seen is there already. A mark
// that cannot be read counts as none.
func NewestUnseen(t *table.Tx, n uint64, to string) (uint64, error) {
	c, err := table.ReadChat(t, n)
	if err != nil {
		return 0, err
	}
	cursor, seen := t.Cursor(table.Shown), seenTo(t, n)
	k, v := cursor.SeekBefore(table.NumKey(c.Session + 1))
	for range maxBack {
		if k == nil || table.Num(k, 0) != c.Session {
			break
		}
		if rec, err := table.Read[table.ShownRecord](table.Shown, k, v); to == "" || err == nil && rec.ID == to {
			if place := table.Num(k, 1); place > seen {
				return place, nil
			}
			return 0, nil
		}
		k, v = cursor.Prev()
	}
	if to == "" {
		return 0, nil
	}
	return 0, fmt.Errorf("message %s: %w", to, session.ErrNotFound)
}

// MarkRead moves the mark there.
func MarkRead(t *table.Tx, n uint64, to string) (bool, error) {
	newest, err := NewestUnseen(t, n, to)
	if err != nil || newest == 0 {
		return false, err
	}
	return true, t.PutRaw(table.Reads, table.NumKey(n), table.NumKey(newest))
}

// Shown hands on the messages that were shown in a session, the newest first, down to those before
// a history entry. Bad are the records that cannot be read.
func Shown(
	t *table.Tx, id string, from uint64, f func(session.Shown) bool,
) (bad []*table.RecordError, err error) {
	n, err := table.SessionNum(id)
	if err != nil {
		return nil, err
	}
	seen := uint64(0)
	if s, err := table.ReadSession(t, id); err == nil {
		seen = seenTo(t, table.ChatNum(t, s.Chat))
	}
	c := t.Cursor(table.Shown)
	for k, v := c.SeekBefore(table.NumKey(n + 1)); k != nil && table.Num(k, 0) == n; k, v = c.Prev() {
		rec, err := table.Read[table.ShownRecord](table.Shown, k, v)
		if err != nil {
			bad = append(bad, &table.RecordError{Bucket: table.Shown, Key: bytes.Clone(k)})
			continue
		}
		if rec.After < from || !f(session.Shown{
			ID: rec.ID, After: rec.After, Text: rec.Text, File: rec.File, Finishes: rec.Finishes, Unasked: rec.Unasked,
			Time: rec.Time, Seen: table.Num(k, 1) <= seen,
		}) {
			break
		}
	}
	return bad, nil
}

// seenTo is the mark of a chat, or 0.
func seenTo(t *table.Tx, n uint64) uint64 {
	mark, err := t.Raw(table.Reads, table.NumKey(n))
	if err != nil {
		return 0
	}
	return table.Num(mark, 0)
}

// Unread counts the messages behind the mark, the newest first, up to limit.
func Unread(t *table.Tx, n uint64, limit int) (count int, err error) {
	c, err := table.ReadChat(t, n)
	if err != nil {
		return 0, err
	}
	over, seen := map[string]bool{}, seenTo(t, n)
	cursor := t.Cursor(table.Shown)
	k, v := cursor.SeekBefore(table.NumKey(c.Session + 1))
	for ; k != nil && table.Num(k, 0) == c.Session && table.Num(k, 1) > seen && count < limit; k, v = cursor.Prev() {
		rec, err := table.Read[table.ShownRecord](table.Shown, k, v)
		if err != nil {
			continue // whoever reads the conversation sets it aside
		}
		if !over[rec.ID] {
			count++
		}
		over[rec.Finishes] = rec.Finishes != ""
	}
	return count, nil
}
