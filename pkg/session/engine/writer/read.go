package writer

import (
	"context"
	"errors"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// View runs f in a reading transaction. Damaged records that f meets are to be
// handed to SetAside.
func (w *Writer) View(f func(*table.Tx) error) error {
	err := w.store.View(func(k kv.Reader) error { return f(table.NewTx(w.loans.over(k), w.o.Now())) })
	switch {
	case table.IsPanic(err):
		w.Suspect(err)
	case errors.Is(err, kv.ErrClosed):
		return ErrClosed
	}
	return err
}

// Suspect asks for a full read of the store after an error that only a damaged page, or
// a bug, can cause. Other errors are no cause for it.
func (w *Writer) Suspect(cause error) {
	if !table.IsPanic(cause) && !errors.Is(cause, table.ErrDamaged) {
		return
	}
	select {
	case w.requests <- cause:
	default:
	}
}

// ScrubRequests are the causes for a full read of the store.
func (w *Writer) ScrubRequests() <-chan error { return w.requests }

// SetAside moves damaged records that a reader met out of the way. It does
// not wait; a record that stays is met again.
func (w *Writer) SetAside(ctx context.Context, bad []*table.RecordError) {
	w.SetAsideWith(ctx, bad, func(*table.Tx) {})
}

// SetAsideWith does so, and calls note in the same transaction.
func (w *Writer) SetAsideWith(ctx context.Context, bad []*table.RecordError, note func(*table.Tx)) {
	if len(bad) == 0 {
		return
	}
	for _, b := range bad {
		w.o.Log.Error().Str("bucket", string(b.Bucket)).Hex("key", b.Key).Msg("a damaged record is set aside")
	}
	_ = w.Submit(ctx, &Write{Done: func(error) {}, Run: func(t *table.Tx) error {
		for _, b := range bad {
			if err := t.SetAside(b.Bucket, b.Key); err != nil {
				return err
			}
		}
		note(t)
		return nil
	}})
}

// SetAsideIf does so with the record that an error names, if it names one.
func (w *Writer) SetAsideIf(ctx context.Context, err error) {
	if bad, ok := errors.AsType[*table.RecordError](err); ok {
		w.SetAside(ctx, []*table.RecordError{bad})
	}
}

// OrNone makes nil of an error that says that there is no record, or that it
// is damaged, and sets that one aside.
func (w *Writer) OrNone(ctx context.Context, err error) error {
	w.SetAsideIf(ctx, err)
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrCorrupt) {
		return nil
	}
	return err
}
