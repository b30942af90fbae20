package faketelegram

import (
	"maps"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Option changes a message before it is posted. The lock is held.
type Option func(r *room, m *message)

// ReplyTo makes it a reply to the chat's message id.
func ReplyTo(id int64) Option {
	return func(r *room, m *message) {
		if e := r.messages[id]; e != nil {
			m.ReplyTo = e.quoted()
			if r.counts() && m.Thread == 0 {
				m.Thread = max(e.Thread, 0)
				if m.Thread == 0 {
					m.Thread = e.ID
				}
			}
		}
	}
}

// Quote picks the piece of the message replied to that the reply is about. It
// comes after [ReplyTo].
func Quote(piece string) Option {
	return func(_ *room, m *message) {
		position := 0
		if m.ReplyTo != nil {
			text, _ := m.ReplyTo.text()
			if before, _, ok := strings.Cut(text, piece); ok {
				position = units(before)
			}
		}
		m.Quote = &quote{Text: piece, Position: position, Manual: true}
	}
}

// At sets when it was written, to the second.
func At(t time.Time) Option {
	return func(_ *room, m *message) { m.Date = t.Unix() }
}

// ForwardedFrom makes it a message of somebody else that is passed on.
func ForwardedFrom(name string) Option {
	return func(_ *room, m *message) { m.Forward = &origin{Type: "hidden_user", Date: m.Date, SenderName: name} }
}

// Entities adds formatting, besides the commands, mentions and links that the server finds itself.
func Entities(list ...Entity) Option {
	return func(_ *room, m *message) {
		if m.Text != "" {
			m.Entities = append(m.Entities, list...)
			return
		}
		m.CaptionEnts = append(m.CaptionEnts, list...)
	}
}

// Say posts a text.
func (c *Chat) Say(text string, options ...Option) Update {
	return c.post(&message{Text: text, Entities: found(text)}, options)
}

// SayAll posts texts, all at once, in order.
func (c *Chat) SayAll(texts ...string) []Update {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	updates := make([]Update, len(texts))
	for i, text := range texts {
		updates[i] = c.put(&message{Text: text, Entities: found(text)}, nil)
	}
	return updates
}

// Reply posts a text that answers the message id.
func (c *Chat) Reply(id int64, text string, options ...Option) Update {
	return c.Say(text, append([]Option{ReplyTo(id)}, options...)...)
}

// Location posts a place.
func (c *Chat) Location(latitude, longitude float64, options ...Option) Update {
	return c.post(&message{Location: &location{latitude, longitude}}, options)
}

// Contact posts a person's number.
func (c *Chat) Contact(phone, firstName string, options ...Option) Update {
	return c.post(&message{Contact: &contact{Phone: phone, FirstName: firstName}}, options)
}

// Post posts a message with any fields, such as a sticker or an unknown kind.
func (c *Chat) Post(fields map[string]any) Update {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := &entry{message: *c.base()}
	c.room.add(e)
	body := map[string]any{
		"message_id": e.ID, "from": e.From, "chat": e.Chat, "date": e.Date,
	}
	if e.Thread != 0 {
		body["message_thread_id"], body["is_topic_message"] = e.Thread, e.IsTopic
	}
	maps.Copy(body, fields)
	return c.room.bot.push(Update{Kind: "message", Chat: e.Chat.ID, MessageID: e.ID}, body)
}

// Edit changes the text, or the caption, of the message id and says so to the bot. A
// message that did not exist has no update, and the id of it is 0.
func (c *Chat) Edit(id int64, text string) Update {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := c.room.messages[id]
	if e == nil {
		return Update{}
	}
	if e.Text != "" {
		e.Text, e.Entities = text, found(text)
	} else {
		e.Caption, e.CaptionEnts = text, found(text)
	}
	e.EditDate = time.Now().Unix()
	kind := "edited_message"
	if c.room.info.Type == typeChannel {
		kind = "edited_channel_post"
	}
	return c.room.bot.push(Update{Kind: kind, Chat: e.Chat.ID, MessageID: id}, e.message)
}

// Delete takes a message away; bots are not told.
func (c *Chat) Delete(id int64) {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	if e := c.room.messages[id]; e != nil {
		e.deleted = true
	}
	c.srv.changed.Wake()
}

// Press presses the button called label under the message id, as c's person sees it
// now. The update's Callback is the id that the bot must answer; without such a button
// there is no update, and its id is 0.
func (c *Chat) Press(id int64, label string) Update {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := c.room.find(id)
	if e == nil || !e.own {
		return Update{}
	}
	for _, row := range e.view().Buttons {
		for _, button := range row {
			if button.Text == label && button.Data != "" {
				return c.callback(e, button.Data)
			}
		}
	}
	return Update{}
}

// PressData is a press with any data, of any message of the chat that ever was: by a
// person with an app that still shows a deleted one, or with an app of their own.
func (c *Chat) PressData(id int64, data string) Update {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := c.room.messages[id]
	if e == nil {
		return Update{}
	}
	return c.callback(e, data)
}

// callback queues a press. The lock is held.
func (c *Chat) callback(e *entry, data string) Update {
	b := c.room.bot
	callback := strconv.FormatInt(b.user.ID+int64(len(b.callbacks))+1, 10) + "00"
	b.callbacks[callback] = true
	body := map[string]any{
		"id": callback, "from": c.who, "message": e.message, "chat_instance": strconv.FormatInt(-e.Chat.ID, 10), "data": data,
	}
	return b.push(Update{Kind: "callback_query", Chat: e.Chat.ID, MessageID: e.ID, Callback: callback}, body)
}

// Topic makes a topic in a forum, and says so to the bot.
func (c *Chat) Topic(name string) *Chat {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	m := c.base()
	m.ID = c.room.newID()
	m.Thread, m.IsTopic = m.ID, true
	m.TopicCreated = &topicCreated{Name: name, IconColor: 7322096}
	e := &entry{message: *m}
	c.room.add(e)
	c.room.topics[e.ID] = &e.message
	c.room.bot.push(Update{Kind: "message", Chat: e.Chat.ID, MessageID: e.ID}, e.message)
	topic := *c
	topic.thread = e.ID
	return &topic
}

func (c *Chat) post(m *message, options []Option) Update {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	return c.put(m, options)
}

// put fills in sender, place and time, applies options and queues the update. The lock
// is held.
func (c *Chat) put(m *message, options []Option) Update {
	base := c.base()
	m.From, m.SenderChat, m.Date = base.From, base.SenderChat, base.Date
	m.Thread, m.IsTopic = base.Thread, base.IsTopic
	for _, change := range options {
		change(c.room, m)
	}
	if created := c.room.topics[c.thread]; created != nil && m.ReplyTo == nil {
		m.ReplyTo = created.quoted() // in a topic everything answers the message that made it
	}
	e := &entry{message: *m, sent: time.Now()}
	c.room.add(e)
	kind := "message"
	if c.room.info.Type == typeChannel {
		kind = "channel_post"
	}
	u := Update{Kind: kind, Chat: e.Chat.ID, MessageID: e.ID}
	if c.room.status == statusLeft || c.room.status == statusKicked {
		return u // the bot does not hear of it
	}
	return c.room.bot.push(u, e.message)
}

// base is a message of c's person without content. The lock is held.
func (c *Chat) base() *message {
	m := &message{Date: time.Now().Unix(), Thread: c.thread, IsTopic: c.thread != 0}
	if c.room.info.Type == typeChannel {
		info := c.room.info
		m.SenderChat = &info
		return m
	}
	who := c.who
	m.From = &who
	return m
}

// units counts UTF-16 units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// found are the commands, mentions and links of a text, as the server marks them.
func found(text string) []Entity {
	var all []Entity
	offset := 0
	for word := range strings.SplitAfterSeq(text, " ") {
		for line := range strings.SplitAfterSeq(word, "\n") {
			if kind, n := kindOf(strings.TrimRight(line, " \n")); kind != "" {
				all = append(all, Entity{Type: kind, Offset: offset, Length: n})
			}
			offset += units(line)
		}
	}
	return all
}

// kindOf is the kind of a word, and how many units of it.
func kindOf(word string) (string, int) {
	switch {
	case strings.HasPrefix(word, "/"):
		if n := nameLength(word[1:], "@"); n > 0 {
			return "bot_command", 1 + n
		}
	case strings.HasPrefix(word, "@"):
		if n := nameLength(word[1:], ""); n >= 3 {
			return "mention", 1 + n
		}
	case strings.HasPrefix(word, "https://"), strings.HasPrefix(word, "http://"):
		return "url", units(word)
	}
	return "", 0
}

// nameLength is how much of s, from its start, may be in a name; more may be, too.
func nameLength(s, more string) int {
	return len(s) - len(strings.TrimLeft(s, nameDigits+more))
}

const nameDigits = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
