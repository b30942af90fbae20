package faketelegram

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

const (
	maxBatch = 100
	maxHold  = 50 * time.Second
	// An offset that is further beyond the newest update than this is taken for
	// nonsense: it confirms no update and gets all of them.
	farAhead = 10
)

// Update is something that happened, as it lies in a bot's queue.
type Update struct {
	ID   int64
	Kind string
	// Chat and MessageID are those of the message that it is about, where there is one.
	Chat, MessageID int64
	// Callback is the id of a button press.
	Callback string
	// Raw is the update as the bot gets it.
	Raw json.RawMessage
}

// queued is an update that is not yet confirmed.
type queued struct {
	Update
	again  bool // it is to be handed out before a poll can confirm it
	handed int
	// For webhooks: under way, failures until now, and when to try next.
	busy  bool
	fails int
	due   time.Time
}

// push queues an update. The lock is held.
func (b *Bot) push(u Update, body any) Update {
	u.ID = b.nextUpdate
	raw, err := json.Marshal(map[string]any{"update_id": u.ID, u.Kind: body})
	if err != nil {
		raw = fmt.Appendf(nil, `{"update_id":%d,%q:null}`, u.ID, u.Kind)
	}
	u.Raw = raw
	b.nextUpdate++
	if b.wants(u.Kind) {
		b.queue = append(b.queue, &queued{Update: u})
	}
	b.srv.changed.Wake()
	return u
}

// wants says whether updates of a kind are kept at all.
func (b *Bot) wants(kind string) bool {
	if len(b.allowed) == 0 {
		return !slices.Contains([]string{"chat_member", "message_reaction", "message_reaction_count"}, kind)
	}
	return slices.Contains(b.allowed, kind)
}

// Push queues an update of any kind with any body, such as one that cannot be decoded.
func (b *Bot) Push(kind string, body any) Update {
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	return b.push(Update{Kind: kind}, body)
}

// Repeat queues an update once more with its old id, confirmed or not.
func (b *Bot) Repeat(u Update) {
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	b.queue = append(b.queue, &queued{Update: u, again: true})
	b.srv.changed.Wake()
}

// SetNextUpdate makes the next update have the id; it may be a lower one than before.
func (b *Bot) SetNextUpdate(id int64) {
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	b.nextUpdate = id
}

// Unconfirmed are the updates that the bot has not confirmed yet.
func (b *Bot) Unconfirmed() []Update {
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	var all []Update
	for _, q := range b.queue {
		all = append(all, q.Update)
	}
	return all
}

// Polling says whether a poll is waiting.
func (b *Bot) Polling() bool {
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	return b.poll != nil
}

// AwaitConfirmed waits until the bot has confirmed every update.
func (b *Bot) AwaitConfirmed(ctx context.Context) error {
	return b.srv.Until(ctx, func() bool { return len(b.Unconfirmed()) == 0 })
}

// AwaitPolling waits until a poll is waiting.
func (b *Bot) AwaitPolling(ctx context.Context) error {
	return b.srv.Until(ctx, b.Polling)
}

func (c *call) getUpdates(ctx context.Context) (any, error) {
	mine, err := c.takeOver()
	if err != nil {
		return nil, err
	}
	defer c.leave(mine)
	hold := min(max(0, time.Duration(c.req.Int("timeout"))*time.Second), maxHold)
	if c.srv.opt.MaxPoll > 0 {
		hold = min(hold, c.srv.opt.MaxPoll)
	}
	timer := time.NewTimer(hold)
	defer timer.Stop()
	for {
		batch, changed, err := c.batch(mine)
		if err != nil || len(batch) > 0 {
			return batch, err
		}
		select {
		case <-mine:
		case <-changed:
		case <-timer.C:
			return []json.RawMessage{}, nil
		case <-ctx.Done():
			return nil, fmt.Errorf("poll: %w", ctx.Err())
		}
	}
}

// takeOver ends an older poll and confirms the updates below the offset.
func (c *call) takeOver() (chan struct{}, error) {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	b := c.bot
	if b.hook.url != "" {
		return nil, conflict(wordConflictHook)
	}
	if list, ok := c.allowedUpdates(); ok {
		b.allowed = list
	}
	b.endPoll(wordConflict)
	mine := make(chan struct{})
	b.poll = mine
	b.confirm(c.req.Int("offset"))
	c.srv.changed.Wake()
	return mine, nil
}

// endPoll ends the poll that waits, if one does, with 409. The lock is held.
func (b *Bot) endPoll(words string) {
	if b.poll == nil {
		return
	}
	b.pollEnd = words
	close(b.poll)
	b.poll = nil
}

// leave says that a poll has ended, unless something else ended it.
func (c *call) leave(mine chan struct{}) {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	if c.bot.poll == mine {
		c.bot.poll = nil
		c.srv.changed.Wake()
	}
}

// confirm drops the updates below offset; a negative one keeps the newest. The lock is
// held.
func (b *Bot) confirm(offset int64) {
	if offset < 0 {
		keep := min(len(b.queue), int(-offset))
		b.queue = slices.Clone(b.queue[len(b.queue)-keep:])
		return
	}
	if offset > b.nextUpdate+farAhead {
		return
	}
	b.queue = slices.DeleteFunc(b.queue, func(q *queued) bool {
		return q.ID < offset && (!q.again || q.handed > 0)
	})
}

// batch has the updates for the poll mine, or the time of the next look, or the reason
// for its end.
func (c *call) batch(mine chan struct{}) ([]json.RawMessage, <-chan struct{}, error) {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	if c.bot.poll != mine {
		return nil, nil, conflict(c.bot.pollEnd)
	}
	limit := int(c.req.Int("limit"))
	if limit < 1 || limit > maxBatch {
		limit = maxBatch
	}
	var batch []json.RawMessage
	for _, q := range c.bot.queue[:min(len(c.bot.queue), limit)] {
		if q.handed++; q.handed == 1 && c.srv.opt.Handed != nil {
			c.srv.opt.Handed(q.Raw)
		}
		batch = append(batch, q.Raw)
	}
	return batch, c.srv.changed.Next(), nil
}

// allowedUpdates is the parameter of that name; ok says that it is one.
func (c *call) allowedUpdates() (list []string, ok bool) {
	value, given := c.req.Params["allowed_updates"]
	if !given {
		return nil, false
	}
	return list, json.Unmarshal([]byte(value), &list) == nil
}
