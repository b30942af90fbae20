package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// Lookup finds the chat at an address.
func (s sessions) Lookup(_ context.Context, a channels.Address) (session.Info, error) {
	var info session.Info
	err := s.e.view(func(t *tx) error {
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

// Latest is when the chat at an address last had something.
func (s sessions) Latest(_ context.Context, a channels.Address) (time.Time, error) {
	var at time.Time
	err := s.e.view(func(t *tx) error {
		n, err := t.chatAt(a)
		if err == nil {
			at, err = t.latest(n)
		}
		if errors.Is(err, session.ErrCorrupt) {
			at, err = t.now, nil
		}
		if err != nil {
			return fmt.Errorf("address %s %s: %w", a.Channel, a.Chat, err)
		}
		return nil
	})
	return at, err
}

// latest is when a chat last had something. The newest of what waits came after the
// last turn ended, or is as new as makes no difference.
func (t *tx) latest(n uint64) (time.Time, error) {
	c, err := t.chat(n)
	if err != nil {
		return time.Time{}, err
	}
	key := t.last(bkInbox, n)
	if key == nil {
		return c.Active, nil
	}
	item, err := get[session.Item](t, bkInbox, key)
	if err != nil {
		return time.Time{}, err
	}
	rec, err := get[seenRec](t, bkSeen, idKey(item.ID))
	if err != nil {
		return t.now, nil //nolint:nilerr // it waits, and nobody can tell since when
	}
	if rec.Time.After(c.Active) {
		return rec.Time, nil
	}
	return c.Active, nil
}

// touch says that a chat has something new which no turn of it brought.
func (t *tx) touch(n uint64) error {
	c, err := t.chat(n)
	if err != nil {
		return nil //nolint:nilerr // a damaged chat is made anew by its next turn, and is as of then
	}
	c.Active = t.now
	return t.put(bkChats, numKey(n), c)
}

// Get finds a session by id.
func (s sessions) Get(_ context.Context, id string) (session.Info, error) {
	var info session.Info
	err := s.e.view(func(t *tx) error {
		var err error
		info, err = t.session(id)
		return err
	})
	return info, err
}

// List returns sessions by id.
func (s sessions) List(_ context.Context, after string, limit int) ([]session.Info, error) {
	var out []session.Info
	err := s.e.view(func(t *tx) error {
		c := t.k.Cursor(bkSessions)
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

// Forget deletes a session. With the present session of a chat goes everything
// that waits or is kept for the chat, and the chat itself; a session that /new
// left behind goes alone. With a task goes the conversation of its agent. A
// long history goes in several transactions, see forget.go: after the first one no
// reader finds it, and when the context ends the housekeeping removes the rest.
func (s sessions) Forget(ctx context.Context, id string) error {
	if err := s.e.forget(ctx, id); err != nil {
		return err
	}
	if err := s.e.removeGone(ctx); err != nil {
		return fmt.Errorf("%s is forgotten, and the gateway removes the rest of it later: %w", id, err)
	}
	return nil
}

func (e *Engine) forget(ctx context.Context, id string) error {
	return e.write(ctx, func(t *tx) error {
		info, err := t.session(id)
		if err != nil {
			return err
		}
		chat, err := parseID("c", info.Chat)
		if err != nil {
			return err
		}
		if err := t.forgetSession(id); err != nil {
			return err
		}
		var tasks [][]byte
		for _, key := range t.tasksOf(chat) {
			if task, err := get[session.Task](t, bkTasks, key); info.Current || err == nil && task.Session == id {
				tasks = append(tasks, key)
			}
		}
		if err := t.dropTasks(tasks); err != nil {
			return err
		}
		if !info.Current {
			return nil
		}
		return t.forgetChats(chat)
	})
}

// forgetChats deletes chats that have no tasks any more, with their present sessions.
func (t *tx) forgetChats(chats ...uint64) error {
	if len(chats) == 0 {
		return nil
	}
	if err := t.forgetApprovals(chats); err != nil {
		return err
	}
	for _, n := range chats {
		if err := t.forgetChat(n); err != nil {
			return err
		}
	}
	return nil
}

// forgetChat deletes a chat. The ids of what it got and sent stay until they
// are old, so that a late redelivery does not bring it back to life.
func (t *tx) forgetChat(n uint64) error {
	if err := t.removeLong(n); err != nil {
		return err
	}
	if err := t.forgetJobs(n); err != nil {
		return err
	}
	if c, err := t.chat(n); err == nil {
		if err := t.forgetSession(sessionID(c.Session)); err != nil {
			return err
		}
		for _, a := range c.Aliases {
			if err := t.del(bkAddr, addrKey(a)); err != nil {
				return err
			}
		}
	}
	for _, b := range []bucket{bkSuspects, bkSuspended, bkZones, bkSpent, bkChats} {
		if err := t.delAll(b, numKey(n)); err != nil {
			return err
		}
	}
	return nil
}
