package bolt

import (
	"bytes"
	"context"
)

// A long history is removed in pieces: one transaction for all of it would keep every
// chat from writing for seconds. The session's record goes in the first one, so that
// nobody finds it any more; until the last one the session is listed in [bkGone].

// How much history one transaction removes at most.
const (
	pieceEntries = 500
	pieceBytes   = 16 << 20
)

// forgetSession deletes a session's record, and its history or a piece of it.
func (t *tx) forgetSession(id string) error {
	n, err := sessionNum(id)
	if err != nil {
		return err
	}
	whole, err := t.removePiece(n)
	if err != nil {
		return err
	}
	if !whole {
		if err := t.putIndex(bkGone, numKey(n)); err != nil {
			return err
		}
	}
	return t.del(bkSessions, []byte(id))
}

// removePiece deletes as much of a session's history as the transaction may still
// remove, and says whether that was all.
func (t *tx) removePiece(n uint64) (whole bool, err error) {
	var piece [][]byte
	whole = true
	t.each(bkHistory, numKey(n), func(k, v []byte) bool {
		if whole = t.removed < pieceEntries && t.removedBytes < pieceBytes; whole {
			piece = append(piece, bytes.Clone(k))
			t.removed++
			t.removedBytes += len(v)
		}
		return whole
	})
	for _, k := range piece {
		if err := t.del(bkHistory, k); err != nil {
			return false, err
		}
	}
	return whole, nil
}

// removeGone removes what is left of histories that are forgotten, in as many
// transactions as it takes; what others write comes between them.
func (e *Engine) removeGone(ctx context.Context) error {
	for {
		var left bool
		if err := e.view(func(t *tx) error { k, _ := t.first(bkGone, nil); left = k != nil; return nil }); err != nil || !left {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := e.write(ctx, (*tx).removeSome); err != nil {
			return err
		}
	}
}

// endForgetting removes what a process that ended, or the pruning, has left.
func (e *Engine) endForgetting(ctx context.Context) {
	if err := e.removeGone(ctx); err != nil && ctx.Err() == nil {
		e.o.Log.Warn().Err(err).Msg("the history of forgotten conversations could not be removed; it is tried again in a minute")
	}
}

func (t *tx) removeSome() error {
	for _, k := range t.keys(bkGone, nil) {
		whole, err := t.removePiece(num(k, 0))
		if err != nil || !whole {
			return err
		}
		if err := t.del(bkGone, k); err != nil {
			return err
		}
	}
	return nil
}
