package engine

import (
	"bytes"
	"context"
	"errors"

	"parley/pkg/session"
)

// How much All reads at a time: entries, and bytes of them, of which the last entry
// may be more.
const (
	allPage      = 256
	allPageBytes = 1 << 20
)

func sessionNum(id string) (uint64, error) { return parseID("s", id) }

// lastEntry is the highest sequence number that a session's history holds.
func (t *tx) lastEntry(id string) uint64 {
	n, err := sessionNum(id)
	if err != nil {
		return 0
	}
	c := t.k.Cursor(bkHistory)
	k, _ := c.SeekBefore(numKey(n + 1))
	if num(k, 0) != n {
		return 0
	}
	return num(k, 1)
}

// Tail reads a session's history from its end.
func (s sessions) Tail(ctx context.Context, id string, before uint64, f func(session.Entry) bool) error {
	var bad []*recordError
	err := s.e.view(func(t *tx) error {
		info, err := t.session(id)
		if err != nil {
			return err
		}
		n, err := sessionNum(id)
		if err != nil {
			return err
		}
		if before == 0 || before > info.Entries+1 {
			before = info.Entries + 1
		}
		c := t.k.Cursor(bkHistory)
		k, v := c.SeekBefore(numKey(n, before))
		for ; k != nil && num(k, 0) == n && num(k, 1) >= info.CompactedTo; k, v = c.Prev() {
			entry, err := readEntry(k, v)
			if err != nil {
				bad = append(bad, &recordError{bucket: bkHistory, key: bytes.Clone(k)})
				continue
			}
			if !f(entry) {
				return nil
			}
		}
		return nil
	})
	s.e.setAsideLater(ctx, bad)
	return err
}

func readEntry(k, v []byte) (session.Entry, error) {
	payload, err := unseal(bkHistory, k, v)
	if err != nil {
		return session.Entry{}, err
	}
	return decodeEntry(payload)
}

// All reads a session's history from the first entry on.
func (s sessions) All(ctx context.Context, id string, f func(session.Entry) error) error {
	for from := uint64(1); ; {
		var page []session.Entry
		var bad []*recordError
		more, size := false, 0
		err := s.e.view(func(t *tx) error {
			if _, err := t.session(id); err != nil {
				return err
			}
			n, err := sessionNum(id)
			if err != nil {
				return err
			}
			c := t.k.Cursor(bkHistory)
			for k, v := c.Seek(numKey(n, from)); k != nil && num(k, 0) == n; k, v = c.Next() {
				if more = len(page)+len(bad) == allPage || size >= allPageBytes; more {
					break
				}
				size += len(v)
				if entry, err := readEntry(k, v); err != nil {
					bad = append(bad, &recordError{bucket: bkHistory, key: bytes.Clone(k)})
				} else {
					page = append(page, entry)
				}
				from = num(k, 1) + 1
			}
			return nil
		})
		s.e.setAsideLater(ctx, bad)
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

// setAsideLater moves damaged records that a reader met out of the way. It does
// not wait; a record that stays is met again.
func (e *Engine) setAsideLater(ctx context.Context, bad []*recordError) {
	if len(bad) == 0 {
		return
	}
	for _, b := range bad {
		e.o.Log.Error().Str("bucket", string(b.bucket)).Hex("key", b.key).Msg("a damaged record is set aside")
	}
	_ = e.submit(ctx, &write{done: func(error) {}, run: func(t *tx) error {
		for _, b := range bad {
			if err := t.setAside(b.bucket, b.key); err != nil {
				return err
			}
		}
		return nil
	}})
}

// setAsideIf does so with the record that an error names, if it names one.
func (e *Engine) setAsideIf(ctx context.Context, err error) {
	if bad, ok := errors.AsType[*recordError](err); ok {
		e.setAsideLater(ctx, []*recordError{bad})
	}
}
