package bolt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// Lookup finds the chat at an address.
func (e *Engine) Lookup(_ context.Context, a channels.Address) (session.Info, error) {
	var info session.Info
	err := e.view(func(t *tx) error {
		n, err := t.chatAt(a)
		if err != nil {
			return fmt.Errorf("address %s %s: %w", a.Channel, a.Chat, err)
		}
		c, err := t.chat(n)
		if err != nil {
			return err
		}
		info = t.info(n, c)
		return nil
	})
	return info, err
}

// Get finds a session by id.
func (e *Engine) Get(_ context.Context, id string) (session.Info, error) {
	var info session.Info
	err := e.view(func(t *tx) error {
		var err error
		info, err = t.session(id)
		return err
	})
	return info, err
}

// List returns sessions by id.
func (e *Engine) List(_ context.Context, after string, limit int) ([]session.Info, error) {
	var out []session.Info
	err := e.view(func(t *tx) error {
		c := t.in(bkSessions).Cursor()
		k, _ := c.Seek([]byte(after + "\x00"))
		for ; k != nil && len(out) < limit; k, _ = c.Next() {
			info, err := t.session(string(k))
			if errors.Is(err, session.ErrCorrupt) {
				continue
			}
			if err != nil {
				return err
			}
			out = append(out, info)
		}
		return nil
	})
	return out, err
}

// Move makes to an address of the chat at from.
func (e *Engine) Move(ctx context.Context, from, to channels.Address) error {
	return e.write(ctx, func(t *tx) error {
		n, err := t.chatAt(from)
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
			if err := e.absorb(t, n, c, other); err != nil {
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
		t.after = append(t.after, func() { e.signalOutbox(to, n) })
		return t.put(bkChats, numKey(n), c)
	})
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
	t.after = append(t.after, func() { e.signalInbox(n, 0) })
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

// Forget deletes a session. With the present session of a chat goes everything
// that waits or is kept for the chat, and the chat itself; a session that /new
// left behind goes alone.
func (e *Engine) Forget(ctx context.Context, id string) error {
	return e.write(ctx, func(t *tx) error {
		info, err := t.session(id)
		if err != nil {
			return err
		}
		n, err := sessionNum(id)
		if err != nil {
			return err
		}
		if err := t.delAll(bkHistory, numKey(n)); err != nil {
			return err
		}
		if err := t.del(bkSessions, []byte(id)); err != nil {
			return err
		}
		if err := t.forgetTasks(func(task *session.Task) bool {
			return task.Session == id || info.Current && task.Chat == info.Chat
		}); err != nil {
			return err
		}
		if !info.Current {
			return nil
		}
		chat, err := parseID("c", info.Chat)
		if err != nil {
			return err
		}
		return t.forgetChat(chat)
	})
}

// forgetTasks deletes the tasks that match.
func (t *tx) forgetTasks(match func(*session.Task) bool) error {
	for _, key := range t.keys(bkTasks, nil) {
		task, err := get[session.Task](t, bkTasks, key)
		if err != nil || !match(task) {
			continue
		}
		if err := t.del(bkTasks, key); err != nil {
			return err
		}
		if err := t.del(bkOpen, dueKey(task.Started, task.ID)); err != nil {
			return err
		}
	}
	return nil
}

// forgetChat deletes a chat. The ids of what it got and sent stay until they
// are old, so that a late redelivery does not bring it back to life.
func (t *tx) forgetChat(n uint64) error {
	for _, key := range t.keys(bkOutbox, numKey(n)) {
		rec, err := get[outRec](t, bkOutbox, key)
		if err != nil {
			continue
		}
		gone := sentRec{Chat: n, Seq: num(key, 1), State: forgotten, Time: t.now}
		if err := t.put(bkSent, idKey(rec.Outbound.ID), gone); err != nil {
			return err
		}
	}
	for _, key := range t.keys(bkJobs, nil) {
		j, err := get[session.Job](t, bkJobs, key)
		if err != nil || j.Chat != chatID(n) {
			continue
		}
		if err := t.dropJob(j.ID); err != nil {
			return err
		}
	}
	c, err := t.chat(n)
	if err == nil {
		for _, a := range c.Aliases {
			if err := t.del(bkAddr, addrKey(a)); err != nil {
				return err
			}
		}
	}
	for _, b := range []bucket{bkInbox, bkOutbox, bkSteps, bkTurns, bkSuspects, bkSuspended, bkChats} {
		if err := t.delAll(b, numKey(n)); err != nil {
			return err
		}
	}
	return nil
}
