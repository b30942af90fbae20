package faketelegram

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Message is a message of the bot as people see it now.
type Message struct {
	ID, Chat, Thread int64
	// Text is the text or the caption, without markup.
	Text     string
	Entities []Entity
	// ReplyTo is the message that it answers, Quote the piece of that.
	ReplyTo int64
	Quote   string
	// Versions are all texts that it had, the newest last.
	Versions []string
	// Edits counts the edits of the text.
	Edits int
	// Markup is reply_markup as it was sent; Buttons the inline keyboard in it.
	Markup  json.RawMessage
	Buttons [][]Button
	// File is the file of the message; AlbumID joins the messages of one album.
	File    *File
	AlbumID string
	Deleted bool
	// Silent means without a notification, Preview that links show one.
	Silent, Preview bool
	Sent, Edited    time.Time
}

// Button is one button under a message.
type Button struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
	URL  string `json:"url,omitempty"`
}

// Draft is one preview of a message that is being written, as it was shown.
type Draft struct {
	ID, Thread int64
	Text       string
	Entities   []Entity
	Time       time.Time
}

// Action is one "typing" or the like, as it was shown.
type Action struct {
	Name   string
	Thread int64
	Time   time.Time
}

// Callback is one answer to a button press.
type Callback struct {
	ID, Text string
	Alert    bool
	Time     time.Time
}

// Messages are the bot's messages, deleted ones included, in the order they
// were sent: of the topic for a topic, else of the whole chat.
func (c *Chat) Messages() []Message {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	var all []Message
	for _, e := range c.room.order {
		if e.own && c.shows(e.Thread) {
			all = append(all, e.view())
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

// Drafts are the previews that were shown, in order.
func (c *Chat) Drafts() []Draft {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.room.drafts), func(d Draft) bool { return !c.shows(d.Thread) })
}

// Actions are the chat actions that were shown, in order.
func (c *Chat) Actions() []Action {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.room.actions), func(a Action) bool { return !c.shows(a.Thread) })
}

func (c *Chat) shows(thread int64) bool { return c.thread == 0 || c.thread == thread }

// Callbacks are the answers to button presses, in order.
func (s *Server) Callbacks() []Callback {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.callbacks)
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

func (e *entry) view() Message {
	text, ents := e.text()
	m := Message{
		ID: e.ID, Chat: e.Chat.ID, Thread: e.Thread, Text: text, Entities: slices.Clone(ents),
		Versions: slices.Clone(e.versions), Edits: len(e.versions) - 1, Markup: e.Markup, AlbumID: e.AlbumID,
		Deleted: e.deleted, Silent: e.silent, Preview: e.preview, Sent: e.sent, Edited: e.edited,
	}
	if e.ReplyTo != nil {
		m.ReplyTo = e.ReplyTo.ID
	}
	if e.Quote != nil {
		m.Quote = e.Quote.Text
	}
	if e.upload != nil {
		m.File = &File{ID: e.upload.id, Name: e.upload.name, MIME: e.upload.mime, Data: e.upload.data}
	}
	var keyboard struct {
		Rows [][]Button `json:"inline_keyboard"`
	}
	if json.Unmarshal(e.Markup, &keyboard) == nil {
		m.Buttons = keyboard.Rows
	}
	return m
}
