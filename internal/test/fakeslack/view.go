package fakeslack

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Message is one message of the bot as people see it.
type Message struct {
	TS, Chat, Thread string
	// Text is the text that a person reads: the blocks, or else the text. Buttons are
	// apart.
	Text string
	// Fallback is the text field, which notifications show.
	Fallback string
	Blocks   json.RawMessage
	Buttons  []Button
	// Files are the files of the message, and File is the first of them, or nil.
	Files []File
	File  *File
	// Notified are whom the message would notify now: ids of users and user groups,
	// and !channel, !here, !everyone.
	Notified []string
	// Versions are all texts that a person could have read, the last one too.
	Versions []string
	// Reactions are the people with a reaction, by its name.
	Reactions map[string][]string
	// Ephemeral is its only reader.
	Ephemeral          string
	Streaming, Deleted bool
	Broadcast          bool
	// Sent and Edited are when; Edited is zero without an edit.
	Sent, Edited time.Time
}

// Button is one button of a message.
type Button struct {
	Text, ActionID, BlockID, Value, URL, Style string
}

// Messages are the bot's messages, deleted ones included, oldest first: of the
// thread for a thread, else of the whole chat.
func (c *Chat) Messages() []Message {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	var all []Message
	for _, e := range c.room.entries {
		if e.own && (c.thread == "" || c.thread == e.thread) {
			all = append(all, c.srv.view(c.room, e))
		}
	}
	return all
}

// Texts are those of the bot's messages that are there now.
func (c *Chat) Texts() []string {
	var texts []string
	all := c.Messages()
	for i := range all {
		if !all[i].Deleted {
			texts = append(texts, all[i].Text)
		}
	}
	return texts
}

// Await waits until n messages of the bot are there (not deleted), and returns them.
func (c *Chat) Await(ctx context.Context, n int) ([]Message, error) {
	var there []Message
	err := c.srv.Until(ctx, func() bool {
		there = slices.DeleteFunc(c.Messages(), func(m Message) bool { return m.Deleted })
		return len(there) >= n
	})
	return there, err
}

// AwaitText waits until one of the bot's messages reads text.
func (c *Chat) AwaitText(ctx context.Context, text string) error {
	return c.srv.Until(ctx, func() bool { return slices.Contains(c.Texts(), text) })
}

// Statuses are the assistant statuses that were shown, in order.
func (c *Chat) Statuses() []Status {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.room.statuses), func(s Status) bool { return c.thread != "" && s.Thread != c.thread })
}

// Status is the assistant status that the thread shows now; the next message ends it.
func (c *Chat) Status() string {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	return c.room.showing[c.thread]
}

// Reactions are the people with a reaction to the message ts of anybody, by its name.
func (c *Chat) Reactions(ts string) map[string][]string {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := c.room.find(ts)
	if e == nil {
		return nil
	}
	return e.reacted()
}

func (e *entry) reacted() map[string][]string {
	all := map[string][]string{}
	for name, users := range maps.All(e.reactions) {
		if len(users) > 0 {
			all[name] = slices.Clone(users)
		}
	}
	return all
}

// view is e as people see it. The lock is held.
func (s *Server) view(r *room, e *entry) Message {
	m := Message{
		TS: e.ts, Chat: r.id, Thread: e.thread, Text: s.read(e), Fallback: e.text, Buttons: e.buttons(),
		Notified: e.notifies(), Versions: slices.Clone(e.versions), Reactions: e.reacted(), Ephemeral: e.ephemeral,
		Streaming: e.streaming, Deleted: e.deleted, Broadcast: e.broadcast, Sent: e.sent, Edited: e.edited,
	}
	if len(e.blocks) > 0 {
		m.Blocks = encode(e.blocks)
	}
	for _, f := range e.files {
		m.Files = append(m.Files, f.File)
		m.File = &m.Files[0]
	}
	return m
}
