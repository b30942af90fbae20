package local

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/engine"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/forgets"
	"parley/pkg/session/kv"
)

// forgotten are the chats and conversations in the ledger of a state folder, as its store may not have
// them any more.
type forgotten struct{ dir string }

var _ bolt.Forgotten = forgotten{}

// entries reads the ledger anew: the process that uses the store may have changed.
func (f forgotten) entries() ([]forgets.Entry, error) {
	ledger, err := forgets.Open(f.dir)
	if err != nil {
		return nil, err
	}
	return ledger.All(), nil
}

// Has says whether a store has one of them.
func (f forgotten) Has(k kv.Reader) (bool, error) {
	all, err := f.entries()
	if err != nil {
		return false, err
	}
	t := table.NewTx(k, time.Time{})
	for i := range all {
		if has(t, &all[i]) {
			return true, nil
		}
	}
	return false, nil
}

// has says whether a store has the chat or the conversation of an entry.
func has(t *table.Tx, e *forgets.Entry) bool {
	if !e.Whole() {
		return t.Has(table.Sessions, []byte(e.Session))
	}
	return chatOf(t, e) != 0
}

// chatOf is the number of a chat of an entry that a store has, or 0: the chat itself, or one that became a
// part of it later.
func chatOf(t *table.Tx, e *forgets.Entry) uint64 {
	if n := table.ChatNum(t, e.Chat); n != 0 {
		return n
	}
	for _, a := range e.Moved {
		if n, err := table.ChatAt(t, a); err == nil && n <= e.Until && t.Has(table.Chats, table.NumKey(n)) {
			return n
		}
	}
	return 0
}

// HasRest says whether a piece of a forgotten one is left.
func (forgotten) HasRest(k kv.Reader) bool {
	key, _ := table.NewTx(k, time.Time{}).First(table.Gone, nil)
	return key != nil
}

// Remove deletes the first of them that the store has, or a piece of those that are forgotten already.
func (f forgotten) Remove(k kv.Tx, now time.Time) error {
	all, err := f.entries()
	if err != nil {
		return err
	}
	t := table.NewWrite(k, now)
	t.Above(highest(all))
	for i := range all {
		e := &all[i]
		switch {
		case !has(t, e):
		case e.Question != "" && e.Whole() && slices.Contains(e.Left, forgets.StepStore):
			_, err := rules.Renew(t, chatOf(t, e), e.Turn)
			return errors.Join(err, t.PutNumber())
		case e.Whole() || slices.Contains(e.Left, forgets.StepStore): // it may be the store itself
			return errors.Join(rules.ForgetEntry(t, chatOf(t, e), e.Session), t.PutNumber())
		default:
			return errors.Join(rules.ForgetPast(t, table.ChatNum(t, e.Chat), e.Session), t.PutNumber())
		}
	}
	return rules.RemoveSome(t)
}

// Highest is the highest number that is known of them.
func (f forgotten) Highest() (uint64, error) {
	all, err := f.entries()
	return highest(all), err
}

// highest is the highest number that is known of forgotten chats and conversations. A new one that had a lower
// number could be taken for one of them.
func highest(all []forgets.Entry) (n uint64) {
	for i := range all {
		e := &all[i]
		chat, _ := table.ParseID("c", e.Chat)
		conversation, _ := table.SessionNum(e.Session) // there is none in the entry of a whole chat
		n = max(n, chat, conversation, e.Until)
	}
	return n
}

// Restore replaces the store of a directory that no gateway uses by a snapshot, as [bolt.Restore] does,
// without the chats that were forgotten.
func Restore(ctx context.Context, dir, snap string) error {
	return bolt.Restore(ctx, dir, snap, forgotten{dir})
}

// Forgetter is the part of an engine by which chats are forgotten.
type Forgetter struct{ e *Engine }

// ForgetterOf is that of an engine.
func ForgetterOf(e *Engine) Forgetter { return Forgetter{e} }

// Ledger is the ledger of forgets.
func (f Forgetter) Ledger() *forgets.Ledger { return f.e.forgets }

// Addresses are those of a chat, the present one first, and the highest number that the store has given out.
func (f Forgetter) Addresses(chat string) (all []channels.Address, last uint64, err error) {
	return engine.Addresses(f.e.Engine, chat)
}

// PartOf is the chat that has taken over the one of an entry, by its address, or "": one that began after the
// forget is none.
func (f Forgetter) PartOf(ctx context.Context, e *forgets.Entry) string {
	info, err := f.e.Sessions().Lookup(ctx, e.At)
	n, bad := table.ParseID("c", info.Chat)
	if err != nil || bad != nil || info.Chat == e.Chat || n > e.Until {
		return ""
	}
	return info.Chat
}

// HoldOutbox lets no message of a chat leave until release is called, as [engine.HoldOutbox] does.
func (f Forgetter) HoldOutbox(ctx context.Context, chat string) (release func()) {
	return engine.HoldOutbox(ctx, f.e.Engine, chat)
}

// Has reports whether the store has a chat, also a damaged one.
func (f Forgetter) Has(chat string) (bool, error) {
	_, _, err := engine.Addresses(f.e.Engine, chat)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return false, nil
	case errors.Is(err, session.ErrCorrupt):
		return true, nil
	default:
		return err == nil, err
	}
}

// Forget deletes a chat, or with an id only that conversation of it, as [engine.ForgetEntry] does.
func (f Forgetter) Forget(ctx context.Context, chat, sessionID string) error {
	return engine.ForgetEntry(ctx, f.e.Engine, chat, sessionID)
}

// Renew deletes a chat and begins it anew with a message, as [engine.Renew] does.
func (f Forgetter) Renew(ctx context.Context, chat, asked string, told channels.Outbound) error {
	return engine.Renew(ctx, f.e.Engine, chat, asked, told)
}

// Erase waits until the records of forgotten conversations are deleted, and overwrites what is left of them
// in the pages of the store, as [bolt.Store.Erase] does.
func (f Forgetter) Erase(ctx context.Context) error {
	if err := engine.EndForgetting(ctx, f.e.Engine); err != nil {
		return err
	}
	return f.e.file.Erase(ctx)
}

// CleanCopies removes forgotten chats from the copies of the store, as [bolt.Store.CleanCopies] does.
func (f Forgetter) CleanCopies(ctx context.Context, all bool) ([]string, error) {
	return f.e.file.CleanCopies(ctx, all)
}

// Copies are the paths of the copies of the store in the state folder.
func (f Forgetter) Copies() ([]string, error) { return f.e.file.Copies() }
