package rules

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// A long history is removed in pieces, and so is everything else of a chat that can be
// long: one transaction for all of it would keep every chat from writing for seconds.
// The record of the session, or of the chat, goes in the first one, so that it cannot
// be found any more; until the last one its number is listed in [table.Gone], and the
// rest of it is not handed out. Sessions and chats are numbered together.

// How much one transaction removes at most.
const (
	pieceEntries = 500
	pieceBytes   = 16 << 20
)

// ForgetConversation deletes a session and its tasks. With the present one of a chat go those that it left
// behind, all that waits or is kept for the chat, and the chat itself.
func ForgetConversation(t *table.Tx, id string) error {
	info, err := table.ReadSession(t, id)
	if err != nil {
		return err
	}
	n, err := table.ParseID("c", info.Chat)
	if err != nil {
		return err
	}
	if !info.Current {
		return forgetOne(t, n, id)
	}
	if err := errors.Join(ForgetSession(t, id), DropTasks(t, TasksOf(t, n))); err != nil {
		return err
	}
	return errors.Join(ForgetLeft(t, n), ForgetChats(t, n))
}

// ForgetSession deletes a session's record, and its history or a piece of it.
func ForgetSession(t *table.Tx, id string) error {
	n, err := table.SessionNum(id)
	if err != nil {
		return err
	}
	if err := removeLong(t, n); err != nil {
		return err
	}
	return t.Delete(table.Sessions, []byte(id))
}

// ForgetLeft deletes the sessions that a chat left behind.
func ForgetLeft(t *table.Tx, n uint64) error {
	c, err := table.ReadChat(t, n)
	if err != nil {
		return err
	}
	for _, id := range leftBy(t, n, c) {
		if err := ForgetSession(t, id); err != nil {
			return err
		}
	}
	return nil
}

// long are the buckets of which a session or a chat may have much. Steps go before their
// items.
func long() []table.Bucket {
	return []table.Bucket{
		table.Steps, table.Outbox, table.Inbox, table.Turns, table.Uses, table.Programs, table.History, table.Marks, table.Originals,
		table.Undone, table.Shown,
	}
}

// removeLong deletes the long parts of a session or a chat, or a piece of them.
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
		if err := removeBad(t, b, table.NumKey(n)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// removeBad deletes the damaged records of a bucket that were set aside: those whose keys begin so.
func removeBad(t *table.Tx, b table.Bucket, prefix []byte) error {
	return t.DeleteAll(table.Bad, append([]byte(string(b)+"/"), prefix...))
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
		if b == table.Outbox {
			err = dropMessage(t, k)
		} else {
			err = t.Delete(b, k)
		}
		if err != nil {
			return false, err
		}
	}
	return whole, nil
}

// RemoveSome removes a piece of the sessions and chats that are forgotten.
func RemoveSome(t *table.Tx) error {
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

// ForgetChats deletes chats that have no tasks any more, with their present sessions.
func ForgetChats(t *table.Tx, chats ...uint64) error {
	if len(chats) == 0 {
		return nil
	}
	if err := forgetApprovals(t, chats); err != nil {
		return err
	}
	for _, n := range chats {
		if err := ForgetChat(t, n); err != nil {
			return err
		}
	}
	return nil
}

// ForgetChat deletes a chat. The ids of its items and messages stay until they are old,
// so that a late redelivery does not bring it back to life.
func ForgetChat(t *table.Tx, n uint64) error {
	if err := removeLong(t, n); err != nil {
		return err
	}
	if err := forgetJobs(t, n); err != nil {
		return err
	}
	if err := forgetFacts(t, n); err != nil {
		return err
	}
	// The keys of these do not tell their chat, and damaged ones may be of this one.
	for _, b := range []table.Bucket{table.Tasks, table.Jobs, table.Approvals, table.Grants} {
		if err := removeBad(t, b, nil); err != nil {
			return err
		}
	}
	if c, err := table.ReadChat(t, n); err == nil {
		if err := ForgetSession(t, table.SessionID(c.Session)); err != nil {
			return err
		}
		for _, a := range c.Aliases {
			if err := errors.Join(t.Delete(table.Addr, table.AddrKey(a)), t.Delete(table.Links, table.AddrKey(a))); err != nil {
				return err
			}
		}
	}
	for _, b := range []table.Bucket{
		table.Suspects, table.Suspended, table.Zones, table.Models, table.Reads, table.Spent, table.Shares, table.Chats,
	} {
		if err := errors.Join(t.DeleteAll(b, table.NumKey(n)), removeBad(t, b, table.NumKey(n))); err != nil {
			return err
		}
	}
	return nil
}

// ForgetEntry deletes a chat, or with an id only that session of it. A chat or session that is not there is
// no error.
func ForgetEntry(t *table.Tx, n uint64, id string) error {
	switch {
	case id != "":
		return ForgetAlone(t, id)
	case n != 0:
		return ForgetWhole(t, n)
	default:
		return nil
	}
}

// ForgetWhole deletes a chat with all that it has, also where records of it are damaged.
func ForgetWhole(t *table.Tx, n uint64) error {
	if c, err := table.ReadChat(t, n); err == nil && t.Has(table.Sessions, []byte(table.SessionID(c.Session))) {
		err := ForgetConversation(t, table.SessionID(c.Session))
		if !errors.Is(err, session.ErrCorrupt) {
			return err
		}
	}
	var sessions []string
	t.Each(table.Sessions, nil, func(k, v []byte) bool {
		if payload, err := table.Unseal(table.Sessions, k, v); err == nil && table.ChatOfSession(payload) == n {
			sessions = append(sessions, string(k))
		}
		return true
	})
	for _, id := range sessions {
		if err := ForgetSession(t, id); err != nil {
			return err
		}
	}
	if err := DropTasks(t, TasksOf(t, n)); err != nil {
		return err
	}
	return ForgetChats(t, n)
}

// Renew deletes a chat and begins it anew at its address, as asked for by a turn. It is given the messages that came
// after that turn, and the use of models: a person who forgets a chat gets no new budget. A chat that is gone is no
// error.
func Renew(t *table.Tx, n uint64, asked string) (fresh uint64, err error) {
	c, err := table.ReadChat(t, n)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return 0, nil
	case errors.Is(err, session.ErrCorrupt): // its address is not known
		return 0, ForgetWhole(t, n)
	case err != nil:
		return 0, err
	}
	keeps := kept(t, n, asked)
	if err := ForgetWhole(t, n); err != nil {
		return 0, err
	}
	if fresh, err = EnsureChat(t, c.Address); err != nil {
		return 0, err
	}
	for _, k := range keeps {
		from, to := append(table.NumKey(n), k.key...), append(table.NumKey(fresh), k.key...)
		if err := t.PutRaw(k.bucket, to, k.payload); err != nil {
			return 0, err
		}
		if k.bucket == table.Inbox {
			if err := repointItem(t, from, to); err != nil {
				return 0, err
			}
		}
	}
	return fresh, nil
}

// keep is a record that a chat which begins anew is given.
type keep struct {
	row     // without the number of the chat
	payload []byte
}

// kept are those.
func kept(t *table.Tx, n uint64, asked string) (all []keep) {
	head, later := table.TurnKey(n, asked)
	for _, b := range []table.Bucket{table.Spent, table.Shares, table.Inbox} {
		t.Each(b, table.NumKey(n), func(k, v []byte) bool {
			if b == table.Inbox && (!later || bytes.Compare(k, head) <= 0 || !isMessage(t, k)) {
				return true
			}
			if payload, err := table.Unseal(b, k, v); err == nil {
				all = append(all, keep{row{b, bytes.Clone(k[len(table.NumKey(n)):])}, bytes.Clone(payload)})
			}
			return true
		})
	}
	return all
}

// isMessage says whether an item that waits is a message of a person.
func isMessage(t *table.Tx, k []byte) bool {
	item, err := table.Get[session.Item](t, table.Inbox, k)
	return err == nil && item.Kind == session.ItemMessage && item.Inbound != nil && item.Inbound.Kind == channels.KindMessage
}

// Addresses are those of a chat, the present one first, and the highest number that was given out.
func Addresses(t *table.Tx, chat string) (all []channels.Address, last uint64, err error) {
	n, err := table.ParseID("c", chat)
	if err != nil {
		return nil, 0, err
	}
	c, err := table.ReadChat(t, n)
	if err != nil {
		return nil, 0, err
	}
	former := slices.DeleteFunc(slices.Clone(c.Aliases), func(a channels.Address) bool { return a == c.Address })
	last, err = table.Numbered(t)
	return append([]channels.Address{c.Address}, former...), last, err
}

// ForgetTurn deletes what a program asked of a turn that has ended. A chat of one request goes
// with the last one.
func ForgetTurn(t *table.Tx, chat, turn string) error {
	n := table.ChatNum(t, chat)
	key, ok := table.TurnKey(n, turn)
	if !ok || !t.Has(table.Turns, key) {
		return fmt.Errorf("turn %s: %w", turn, session.ErrNotFound)
	}
	if err := t.Put(table.Programs, key, &session.Program{Deleted: true, Ended: t.Now}); err != nil {
		return err
	}
	if c, err := table.ReadChat(t, n); err != nil || !c.Address.Passing() || !deserted(t, n) {
		return nil //nolint:nilerr // a damaged chat stays as it is
	}
	return ForgetChats(t, n)
}

// deserted says that nothing waits in a chat, and that all its turns are forgotten.
func deserted(t *table.Tx, n uint64) bool {
	for _, b := range []table.Bucket{table.Inbox, table.TasksOf} {
		if k, _ := t.First(b, table.NumKey(n)); k != nil {
			return false
		}
	}
	all := true
	t.Each(table.Turns, table.NumKey(n), func(k, _ []byte) bool {
		p, err := table.Get[session.Program](t, table.Programs, k)
		all = err == nil && p.Deleted
		return all
	})
	return all
}

// forgetApprovals deletes the questions and grants of chats.
func forgetApprovals(t *table.Tx, chats []uint64) error {
	of := make(map[string]bool, len(chats))
	for _, n := range chats {
		of[table.ChatID(n)] = true
	}
	for _, h := range approvalsOf(t, of) {
		if err := t.Delete(h.bucket, h.key); err != nil {
			return err
		}
	}
	return nil
}

// approvalsOf are the questions and grants of chats.
func approvalsOf(t *table.Tx, of map[string]bool) (keys []row) {
	for _, k := range questionsOf(t, func(a *session.Approval) bool { return of[a.Chat] }) {
		keys = append(keys, row{table.Approvals, k})
	}
	t.Each(table.Grants, nil, func(k, _ []byte) bool {
		if g, err := table.Get[session.Grant](t, table.Grants, k); err == nil && of[g.Chat] {
			keys = append(keys, row{table.Grants, bytes.Clone(k)})
		}
		return true
	})
	return keys
}

// row is a key of a bucket.
type row struct {
	bucket table.Bucket
	key    []byte
}
