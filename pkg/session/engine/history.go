package engine

import (
	"bytes"
	"context"

	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// How much All reads at a time: entries, and bytes of them, of which the last entry
// may be more.
const (
	allPage      = 256
	allPageBytes = 1 << 20
)

// reach says which entries are read.
type reach int

const (
	// The entries that a model reads.
	visible reach = iota
	// Those before the compaction point too, and those that are undone.
	stored
)

// Tail reads a session's history from its end.
func (s sessions) Tail(ctx context.Context, id string, before uint64, f func(session.Entry) bool) error {
	return s.back(ctx, id, before, visible, f)
}

// Back does so beyond the compaction point.
func (s sessions) Back(ctx context.Context, id string, before uint64, f func(session.Entry) bool) error {
	return s.back(ctx, id, before, stored, f)
}

func (s sessions) back(ctx context.Context, id string, before uint64, which reach, f func(session.Entry) bool) error {
	var bad []*table.RecordError
	err := s.e.w.View(func(t *table.Tx) error {
		entries, from, err := table.ReadExtent(t, id)
		if err != nil {
			return err
		}
		if which == stored {
			from = 0
		}
		n, err := table.SessionNum(id)
		if err != nil {
			return err
		}
		if before == 0 || before > entries+1 {
			before = entries + 1
		}
		c, end := t.Cursor(table.History), table.NumKey(n, before)
		marks := table.NewMarksBack(t, end)
		k, v := c.SeekBefore(end)
		for ; k != nil && table.Num(k, 0) == n && table.Num(k, 1) >= from; k, v = c.Prev() {
			entry, err := readEntry(k, v)
			if err != nil {
				bad = append(bad, &table.RecordError{Bucket: table.History, Key: bytes.Clone(k)})
				continue
			}
			marks.Set(k, &entry)
			if entry.Undone && which == visible {
				continue
			}
			if !f(entry) {
				return nil
			}
		}
		return nil
	})
	s.e.w.SetAside(ctx, bad)
	return err
}

// Shown reads the messages that were shown in a session, from the newest.
func (s chats) Shown(ctx context.Context, id string, from uint64, f func(session.Shown) bool) error {
	var bad []*table.RecordError
	err := s.e.w.View(func(t *table.Tx) (err error) {
		bad, err = rules.Shown(t, id, from, f)
		return err
	})
	s.e.w.SetAside(ctx, bad)
	return err
}

func readEntry(k, v []byte) (session.Entry, error) {
	payload, err := table.Unseal(table.History, k, v)
	if err != nil {
		return session.Entry{}, err
	}
	return table.DecodeEntry(payload)
}

// All reads a session's history from the first entry on.
func (s sessions) All(ctx context.Context, id string, f func(session.Entry) error) error {
	for from := uint64(1); ; {
		var page []session.Entry
		var bad []*table.RecordError
		more, size := false, 0
		err := s.e.w.View(func(t *table.Tx) error {
			if _, err := table.ReadSession(t, id); err != nil {
				return err
			}
			n, err := table.SessionNum(id)
			if err != nil {
				return err
			}
			c := t.Cursor(table.History)
			for k, v := c.Seek(table.NumKey(n, from)); k != nil && table.Num(k, 0) == n; k, v = c.Next() {
				if more = len(page)+len(bad) == allPage || size >= allPageBytes; more {
					break
				}
				size += len(v)
				if entry, err := readEntry(k, v); err != nil {
					bad = append(bad, &table.RecordError{Bucket: table.History, Key: bytes.Clone(k)})
				} else {
					table.SetMarks(t, k, &entry)
					page = append(page, entry)
				}
				from = table.Num(k, 1) + 1
			}
			return nil
		})
		s.e.w.SetAside(ctx, bad)
		if err != nil {
			return err
		}
		for i := range page {
			if err := f(page[i]); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}
