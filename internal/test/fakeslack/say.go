package fakeslack

import (
	"encoding/json"
	"maps"
	"strings"
	"time"
)

// Event is something that happened, as it was given to the app.
type Event struct {
	// TS is that of the message that it is about, where there is one.
	TS string
	// Chat is the channel's id.
	Chat string
	// Type is the type of the envelope: events_api, interactive, slash_commands.
	Type string
	// Envelopes are the ids of the deliveries: two for a post that mentions the bot.
	Envelopes []string
	// Raw is the payload of the first of them.
	Raw json.RawMessage

	payloads []json.RawMessage
}

// Say posts a text, in Slack's markup as a person's client sends it. Outside of
// direct messages a text with [Server.Mention] comes to the bot in both shapes,
// message and app_mention.
func (c *Chat) Say(text string) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	return c.post(&entry{text: text}, nil)
}

// Unheard is Say of a post with an event that is lost on its way; [Server.Repeat] sends
// it, perhaps after later events.
func (c *Chat) Unheard(text string) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	c.srv.hub.muted = true
	defer func() { c.srv.hub.muted = false }()
	return c.post(&entry{text: text}, nil)
}

// Repeat delivers e once more as a retry, acknowledged or not: with the same payload,
// which holds the same event_id, in a new envelope.
func (s *Server) Repeat(e Event) Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	again := e
	again.Envelopes = nil
	for _, payload := range e.payloads {
		s.enclose(&again, payload, 1)
	}
	return again
}

// Broadcast is Say in a thread, shown in the channel too.
func (c *Chat) Broadcast(text string) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	return c.post(&entry{text: text, subtype: "thread_broadcast", broadcast: true}, nil)
}

// SayAs posts the text of another app's bot.
func (c *Chat) SayAs(bot, text string) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	return c.post(&entry{text: text, subtype: "bot_message"}, map[string]any{
		"bot_id": bot, "username": "other bot", "user": nil, "client_msg_id": nil,
	})
}

// Post is Say with further fields in the event; nil takes one away.
func (c *Chat) Post(text string, fields map[string]any) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	return c.post(&entry{text: text}, fields)
}

// Share posts a file with a text, which may be empty.
func (c *Chat) Share(name string, content []byte, text string) Event {
	return c.ShareFiles(text, File{Name: name, Data: content})
}

// ShareFiles posts files in one message with a text, which may be empty.
func (c *Chat) ShareFiles(text string, files ...File) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := &entry{text: text, subtype: "file_share"}
	for _, f := range files {
		kept := c.srv.store(f, c.who.ID)
		kept.done = true
		e.files = append(e.files, kept)
	}
	return c.post(e, nil)
}

// post adds e and tells the bot. The lock is held.
func (c *Chat) post(e *entry, fields map[string]any) Event {
	e.author, e.thread = c.who, c.thread
	c.srv.add(c.room, e)
	event := Event{TS: e.ts, Chat: c.room.id}
	if c.room.away {
		return event
	}
	body := c.srv.body(c.room, e)
	for name, value := range fields {
		body[name] = value
		if value == nil {
			delete(body, name)
		}
	}
	bodies := []map[string]any{body}
	if c.room.kind != kindIM && strings.Contains(e.text, "<@"+c.srv.bot.ID) {
		mention := maps.Clone(body)
		mention["type"] = "app_mention"
		for _, only := range []string{"channel_type", "subtype", "parent_user_id"} {
			delete(mention, only)
		}
		bodies = append(bodies, mention)
		if c.srv.opt.MentionFirst {
			bodies[0], bodies[1] = bodies[1], bodies[0]
		}
	}
	return c.srv.event(event, bodies...)
}

// Edit changes the text of the message ts and tells the bot with message_changed. A
// message that did not exist has no event.
func (c *Chat) Edit(ts, text string) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := c.room.find(ts)
	if e == nil || e.deleted {
		return Event{}
	}
	before := c.srv.inner(c.room, e)
	e.text, e.edited = text, time.Now()
	return c.srv.altered(c.room, e, before, c.who.ID)
}

// altered tells of a message that was changed. The lock is held.
func (s *Server) altered(r *room, e *entry, before map[string]any, by string) Event {
	now := s.stamp()
	after := s.inner(r, e)
	after["edited"] = map[string]any{"user": by, "ts": now}
	return s.event(Event{TS: e.ts, Chat: r.id}, map[string]any{
		"type": "message", "subtype": "message_changed", "hidden": true, "channel": r.id, "channel_type": r.kind,
		"message": after, "previous_message": before, "ts": now, "event_ts": now,
	})
}

// Delete takes a message back and tells the bot with message_deleted.
func (c *Chat) Delete(ts string) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := c.room.find(ts)
	if e == nil || e.deleted {
		return Event{}
	}
	return c.srv.remove(c.room, e)
}

// remove deletes e and tells of it. The lock is held.
func (s *Server) remove(r *room, e *entry) Event {
	e.deleted = true
	now := s.stamp()
	return s.event(Event{TS: e.ts, Chat: r.id}, map[string]any{
		"type": "message", "subtype": "message_deleted", "hidden": true, "channel": r.id, "channel_type": r.kind,
		"deleted_ts": e.ts, "previous_message": s.inner(r, e), "ts": now, "event_ts": now,
	})
}
