package engine

import (
	"bytes"
	"context"
)

// A long history is removed in pieces, and so is everything else of a chat that can be
// long: one transaction for all of it would keep every chat from writing for seconds. The
// record of the session, or of the chat, goes in the first one, so that nobody finds it
// any more; until the last one its number is listed in [bkGone], and nothing that is
// left of it is handed out. Sessions and chats are numbered together.

// How much one transaction removes at most.
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
	if err := t.removeLong(n); err != nil {
		return err
	}
	return t.del(bkSessions, []byte(id))
}

// long are the buckets of which a session or a chat may have much. Steps go before their
// items.
func long() []bucket { return []bucket{bkSteps, bkOutbox, bkInbox, bkTurns, bkHistory} }

// removeLong deletes what may be long of a session or a chat, or a piece of it.
func (t *tx) removeLong(n uint64) error {
	whole, err := t.removePiece(n)
	if err != nil || whole {
		return err
	}
	return t.putIndex(bkGone, numKey(n))
}

// isGone says that a chat is forgotten and something of it is left.
func (t *tx) isGone(chat uint64) bool { return t.has(bkGone, numKey(chat)) }

// removePiece deletes as much of a session or a chat as the transaction may still
// remove, and says whether that was all.
func (t *tx) removePiece(n uint64) (whole bool, err error) {
	for _, b := range long() {
		if whole, err := t.removeFrom(b, n); err != nil || !whole {
			return false, err
		}
	}
	return true, nil
}

// removeFrom is removePiece for one bucket. The ids of messages stay until they are old.
func (t *tx) removeFrom(b bucket, n uint64) (whole bool, err error) {
	var piece [][]byte
	whole = true
	t.each(b, numKey(n), func(k, v []byte) bool {
		if whole = t.removed < pieceEntries && t.removedBytes < pieceBytes; whole {
			piece = append(piece, bytes.Clone(k))
			t.removed++
			t.removedBytes += len(v)
		}
		return whole
	})
	for _, k := range piece {
		if rec, err := get[outRec](t, bkOutbox, k); b == bkOutbox && err == nil {
			gone := &sentRec{Chat: n, Seq: num(k, 1), State: forgotten, Time: t.now}
			if err := t.put(bkSent, idKey(rec.Outbound.ID), gone); err != nil {
				return false, err
			}
		}
		if err := t.del(b, k); err != nil {
			return false, err
		}
	}
	return whole, nil
}

// removeGone removes what is left of sessions and chats that are forgotten, in as many
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
		e.o.Log.Warn().Err(err).Msg("what is left of forgotten conversations could not be removed; it is tried again in a minute")
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
