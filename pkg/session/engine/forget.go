package engine

import (
	"bytes"
	"context"

	"parley/pkg/session/engine/table"
)

// A long history is removed in pieces, and so is everything else of a chat that can be
// long: one transaction for all of it would keep every chat from writing for seconds. The
// record of the session, or of the chat, goes in the first one, so that nobody finds it
// any more; until the last one its number is listed in [table.Gone], and nothing that is
// left of it is handed out. Sessions and chats are numbered together.

// How much one transaction removes at most.
const (
	pieceEntries = 500
	pieceBytes   = 16 << 20
)

// forgetSession deletes a session's record, and its history or a piece of it.
func forgetSession(t *table.Tx, id string) error {
	n, err := table.SessionNum(id)
	if err != nil {
		return err
	}
	if err := removeLong(t, n); err != nil {
		return err
	}
	return t.Delete(table.Sessions, []byte(id))
}

// long are the buckets of which a session or a chat may have much. Steps go before their
// items.
func long() []table.Bucket {
	return []table.Bucket{table.Steps, table.Outbox, table.Inbox, table.Turns, table.History}
}

// removeLong deletes what may be long of a session or a chat, or a piece of it.
func removeLong(t *table.Tx, n uint64) error {
	whole, err := removePiece(t, n)
	if err != nil || whole {
		return err
	}
	return t.PutIndex(table.Gone, table.NumKey(n))
}

// removePiece deletes as much of a session or a chat as the transaction may still
// remove, and says whether that was all.
func removePiece(t *table.Tx, n uint64) (whole bool, err error) {
	for _, b := range long() {
		if whole, err := removeFrom(t, b, n); err != nil || !whole {
			return false, err
		}
	}
	return true, nil
}

// removeFrom is removePiece for one bucket. The ids of messages stay until they are old.
func removeFrom(t *table.Tx, b table.Bucket, n uint64) (whole bool, err error) {
	var piece [][]byte
	whole = true
	t.Each(b, table.NumKey(n), func(k, v []byte) bool {
		if whole = t.Removed < pieceEntries && t.RemovedBytes < pieceBytes; whole {
			piece = append(piece, bytes.Clone(k))
			t.Removed++
			t.RemovedBytes += len(v)
		}
		return whole
	})
	for _, k := range piece {
		if rec, err := table.Get[table.OutRecord](t, table.Outbox, k); b == table.Outbox && err == nil {
			gone := &table.SentRecord{Chat: n, Seq: table.Num(k, 1), State: table.Forgotten, Time: t.Now}
			if err := t.Put(table.Sent, table.IDKey(rec.Outbound.ID), gone); err != nil {
				return false, err
			}
		}
		if err := t.Delete(b, k); err != nil {
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
		if err := e.view(func(t *table.Tx) error { k, _ := t.First(table.Gone, nil); left = k != nil; return nil }); err != nil || !left {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := e.write(ctx, removeSome); err != nil {
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

func removeSome(t *table.Tx) error {
	for _, k := range t.Keys(table.Gone, nil) {
		whole, err := removePiece(t, table.Num(k, 0))
		if err != nil || !whole {
			return err
		}
		if err := t.Delete(table.Gone, k); err != nil {
			return err
		}
	}
	return nil
}
