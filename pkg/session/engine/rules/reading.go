package rules

import (
	"parley/pkg/session/engine/table"
)

// NewestUnseen is the place of the newest message that was shown in a chat's present
// conversation, or 0 where the mark of what was seen is there already. A mark that cannot be
// read counts as none.
func NewestUnseen(t *table.Tx, n uint64) (uint64, error) {
	c, err := table.ReadChat(t, n)
	if err != nil {
		return 0, err
	}
	newest, _ := t.Cursor(table.Shown).SeekBefore(table.NumKey(c.Session + 1))
	if newest == nil || table.Num(newest, 0) != c.Session || table.Num(newest, 1) <= seenTo(t, n) {
		return 0, nil
	}
	return table.Num(newest, 1), nil
}

// MarkRead moves the mark there.
func MarkRead(t *table.Tx, n uint64) (bool, error) {
	newest, err := NewestUnseen(t, n)
	if err != nil || newest == 0 {
		return false, err
	}
	return true, t.PutRaw(table.Reads, table.NumKey(n), table.NumKey(newest))
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
