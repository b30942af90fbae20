package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/lane"
)

// moveRec is what a chat was called before it moved.
type moveRec struct {
	channels.Address // of now

	// Former are the ids it had, the latest first.
	Former []string `json:"former"`
}

// moveBook has in memory what the chats were called. It is read anew after each
// change, also one that failed: a failed commit may have reached the disk.
type moveBook struct {
	mu     sync.Mutex // held over a change and the reading that follows
	former atomic.Pointer[map[string][]string]
}

// read takes the moves into memory. Of a damaged one nothing is known.
func (m *moveBook) read(t *tx) error {
	former := map[string][]string{}
	t.each(bkMoves, nil, func(k, _ []byte) bool {
		if rec, err := get[moveRec](t, bkMoves, k); err == nil {
			former[string(k)] = rec.Former
		}
		return true
	})
	m.former.Store(&former)
	return nil
}

// Former are the ids that a chat had before it moved to this one.
func (s chats) Former(channel, account, chat string) []string {
	former := *s.e.moves.former.Load()
	if len(former) == 0 {
		return nil
	}
	return former[string(addrKey(channels.Address{Channel: channel, Account: account, Chat: chat}))]
}

// Move makes to an address of the chat at from.
func (s chats) Move(ctx context.Context, from, to channels.Address) error {
	s.e.moves.mu.Lock()
	defer s.e.moves.mu.Unlock()
	return errors.Join(s.e.write(ctx, func(t *tx) error {
		if err := t.putMove(from, to); err != nil {
			return err
		}
		return s.e.moveChat(t, from, to)
	}), s.e.view(s.e.moves.read))
}

// putMove remembers what the chat at to was called. A thread is no chat.
func (t *tx) putMove(from, to channels.Address) error {
	if from == to || from.Thread != "" || to.Thread != "" {
		return nil
	}
	former := []string{from.Chat}
	for _, at := range []channels.Address{to, from} {
		rec, err := get[moveRec](t, bkMoves, addrKey(at))
		switch {
		case errors.Is(err, session.ErrNotFound):
		case err != nil:
			return err
		default:
			former = append(former, rec.Former...)
		}
	}
	rec := moveRec{Address: to}
	for _, id := range former {
		if id != to.Chat && !slices.Contains(rec.Former, id) {
			rec.Former = append(rec.Former, id)
		}
	}
	return t.put(bkMoves, addrKey(to), rec)
}

// moveChat gives the chat at from another address; nothing, where none has begun there.
func (e *Engine) moveChat(t *tx, from, to channels.Address) error {
	n, err := t.chatAt(from)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("move from %s %s: %w", from.Channel, from.Chat, err)
	}
	c, err := t.chat(n)
	if err != nil {
		return err
	}
	other, err := t.chatAt(to)
	switch {
	case err == nil && other != n:
		if err := errors.Join(t.takeOver(n, other), e.absorb(t, n, c, other)); err != nil {
			return err
		}
	case err != nil && !errors.Is(err, session.ErrNotFound):
		return err
	}
	if err := t.putRaw(bkAddr, addrKey(to), numKey(n)); err != nil {
		return err
	}
	c.Address = to
	if !slices.Contains(c.Aliases, to) {
		c.Aliases = append(c.Aliases, to)
	}
	t.after = append(t.after, func() { e.signalOutbox(to, n, lane.ForPerson, time.Time{}) })
	if err := t.put(bkChats, numKey(n), c); err != nil {
		return err
	}
	return t.readdress(n, c)
}

// absorb takes over a chat that already began at the address that another one
// moves to: what waits there is answered in the chat that moved, and what was
// said there stays readable as a session that was left behind.
func (e *Engine) absorb(t *tx, n uint64, into *chatRec, other uint64) error {
	from, err := t.chat(other)
	if err != nil {
		return err
	}
	if err := t.loseBegun(other, into); err != nil {
		return err
	}
	// An interrupted turn is found by the head of the inbox, and keeps that place.
	steps, _ := t.first(bkSteps, numKey(n))
	for _, b := range []bucket{bkInbox, bkOutbox, bkTurns} {
		for _, key := range t.keys(b, numKey(other)) {
			seq := num(key, 1)
			if b == bkInbox && steps != nil {
				if seq, err = t.next(); err != nil {
					return err
				}
			}
			if err := t.rekey(b, key, numKey(n, seq)); err != nil {
				return err
			}
		}
	}
	for _, a := range from.Aliases {
		if err := t.putRaw(bkAddr, addrKey(a), numKey(n)); err != nil {
			return err
		}
		if !slices.Contains(into.Aliases, a) {
			into.Aliases = append(into.Aliases, a)
		}
	}
	past := t.info(other, from)
	past.Current, past.Chat = false, chatID(n)
	if err := t.put(bkSessions, []byte(past.Session), &sessionRec{Chat: n, Past: &past}); err != nil {
		return err
	}
	for _, b := range []bucket{bkSteps, bkSuspects, bkSuspended, bkChats} {
		if err := t.delAll(b, numKey(other)); err != nil {
			return err
		}
	}
	t.after = append(t.after, func() { e.signalInbox(arrival{chat: n, item: &session.Item{}}) })
	return nil
}

// loseBegun ends the interrupted turn of a chat that becomes part of another
// one, when a call of it may have taken effect: its ledger does not move along,
// and the call must not run again. Its items are listed as failed at c.
func (t *tx) loseBegun(chat uint64, c *chatRec) error {
	k, _ := t.first(bkInbox, numKey(chat))
	prefix := numKey(chat, num(k, 1))
	begun := t.anyBad(bkSteps, prefix)
	t.each(bkSteps, prefix, func(k, _ []byte) bool {
		rec, err := get[stepRec](t, bkSteps, k)
		begun = begun || err != nil || rec.Step.Kind == session.StepBegun && (rec.Step.Call == nil || !rec.Step.Call.Rerunnable)
		return !begun
	})
	if !begun {
		return nil
	}
	return t.loseTurn(c, prefix, "interrupted, and its chat has moved: it is unknown what took effect")
}

// rekey moves a record to another chat, and what points at it.
func (t *tx) rekey(b bucket, from, to []byte) error {
	payload, err := t.raw(b, from)
	if err != nil {
		return t.setAside(b, from)
	}
	if err := t.putRaw(b, to, payload); err != nil {
		return err
	}
	switch b {
	case bkInbox:
		err = t.repointItem(from, to)
	case bkOutbox:
		err = t.repointMessage(from, to)
	default:
	}
	if err != nil {
		return err
	}
	return t.del(b, from)
}

// repointItem makes the id of a waiting item follow it to another chat.
func (t *tx) repointItem(from, to []byte) error {
	item, err := get[session.Item](t, bkInbox, to)
	if err != nil {
		return err
	}
	rec, err := get[seenRec](t, bkSeen, idKey(item.ID))
	if err != nil || rec.Seq != num(from, 1) {
		return nil //nolint:nilerr // it was pruned
	}
	rec.Chat, rec.Seq = num(to, 0), num(to, 1)
	return t.put(bkSeen, idKey(item.ID), rec)
}

// repointMessage makes the id of a queued message follow it to another chat.
func (t *tx) repointMessage(from, to []byte) error {
	out, err := get[outRec](t, bkOutbox, to)
	if err != nil {
		return err
	}
	rec, err := get[sentRec](t, bkSent, idKey(out.Outbound.ID))
	if err != nil || rec.Seq != num(from, 1) {
		return nil //nolint:nilerr // it was pruned
	}
	rec.Chat, rec.Seq = num(to, 0), num(to, 1)
	return t.put(bkSent, idKey(out.Outbound.ID), rec)
}
