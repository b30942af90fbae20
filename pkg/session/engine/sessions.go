package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// Lookup finds the chat at an address.
func (s sessions) Lookup(_ context.Context, a channels.Address) (session.Info, error) {
	var info session.Info
	err := s.e.view(func(t *table.Tx) error {
		n, err := table.ChatAt(t, a)
		if err != nil {
			return fmt.Errorf("address %s %s: %w", a.Channel, a.Chat, err)
		}
		c, err := table.ReadChat(t, n)
		if err != nil {
			return err
		}
		info = table.InfoOf(t, n, c)
		return nil
	})
	return info, err
}

// Latest is when the chat at an address last had something.
func (s sessions) Latest(_ context.Context, a channels.Address) (time.Time, error) {
	var at time.Time
	err := s.e.view(func(t *table.Tx) error {
		n, err := table.ChatAt(t, a)
		if err == nil {
			at, err = latestOf(t, n)
		}
		if errors.Is(err, session.ErrCorrupt) {
			at, err = t.Now, nil
		}
		if err != nil {
			return fmt.Errorf("address %s %s: %w", a.Channel, a.Chat, err)
		}
		return nil
	})
	return at, err
}

// latestOf is when a chat last had something. The newest of what waits came after the
// last turn ended, or is as new as makes no difference.
func latestOf(t *table.Tx, n uint64) (time.Time, error) {
	c, err := table.ReadChat(t, n)
	if err != nil {
		return time.Time{}, err
	}
	key := t.Last(table.Inbox, n)
	if key == nil {
		return c.Active, nil
	}
	item, err := table.Get[session.Item](t, table.Inbox, key)
	if err != nil {
		return time.Time{}, err
	}
	rec, err := table.Get[table.SeenRecord](t, table.Seen, table.IDKey(item.ID))
	if err != nil {
		return t.Now, nil //nolint:nilerr // it waits, and nobody can tell since when
	}
	if rec.Time.After(c.Active) {
		return rec.Time, nil
	}
	return c.Active, nil
}

// touch says that a chat has something new which no turn of it brought.
func touch(t *table.Tx, n uint64) error {
	c, err := table.ReadChat(t, n)
	if err != nil {
		return nil //nolint:nilerr // a damaged chat is made anew by its next turn, and is as of then
	}
	c.Active = t.Now
	return t.Put(table.Chats, table.NumKey(n), c)
}

// Get finds a session by id.
func (s sessions) Get(_ context.Context, id string) (session.Info, error) {
	var info session.Info
	err := s.e.view(func(t *table.Tx) error {
		var err error
		info, err = table.ReadSession(t, id)
		return err
	})
	return info, err
}

// List returns sessions by id.
func (s sessions) List(_ context.Context, after string, limit int) ([]session.Info, error) {
	var out []session.Info
	err := s.e.view(func(t *table.Tx) error {
		c := t.Cursor(table.Sessions)
		k, _ := c.Seek([]byte(after + "\x00"))
		for ; k != nil && len(out) < limit; k, _ = c.Next() {
			info, err := table.ReadSession(t, string(k))
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
	return e.write(ctx, func(t *table.Tx) error {
		info, err := table.ReadSession(t, id)
		if err != nil {
			return err
		}
		chat, err := table.ParseID("c", info.Chat)
		if err != nil {
			return err
		}
		if err := forgetSession(t, id); err != nil {
			return err
		}
		var tasks [][]byte
		for _, key := range tasksOf(t, chat) {
			if task, err := table.Get[session.Task](t, table.Tasks, key); info.Current || err == nil && task.Session == id {
				tasks = append(tasks, key)
			}
		}
		if err := dropTasks(t, tasks); err != nil {
			return err
		}
		if !info.Current {
			return nil
		}
		return forgetChats(t, chat)
	})
}

// forgetChats deletes chats that have no tasks any more, with their present sessions.
func forgetChats(t *table.Tx, chats ...uint64) error {
	if len(chats) == 0 {
		return nil
	}
	if err := forgetApprovals(t, chats); err != nil {
		return err
	}
	for _, n := range chats {
		if err := forgetChat(t, n); err != nil {
			return err
		}
	}
	return nil
}

// forgetChat deletes a chat. The ids of what it got and sent stay until they
// are old, so that a late redelivery does not bring it back to life.
func forgetChat(t *table.Tx, n uint64) error {
	if err := removeLong(t, n); err != nil {
		return err
	}
	if err := forgetJobs(t, n); err != nil {
		return err
	}
	if c, err := table.ReadChat(t, n); err == nil {
		if err := forgetSession(t, table.SessionID(c.Session)); err != nil {
			return err
		}
		for _, a := range c.Aliases {
			if err := t.Delete(table.Addr, table.AddrKey(a)); err != nil {
				return err
			}
		}
	}
	for _, b := range []table.Bucket{table.Suspects, table.Suspended, table.Zones, table.Spent, table.Chats} {
		if err := t.DeleteAll(b, table.NumKey(n)); err != nil {
			return err
		}
	}
	return nil
}
