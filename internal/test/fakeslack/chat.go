package fakeslack

import (
	"encoding/json"
	"fmt"
	"time"
)

// room is a conversation. The server's mutex guards it.
type room struct {
	id, kind, name string
	members        []*User
	entries        []*entry
	away           bool // the bot is not in it
	archived       bool
	statuses       []Status
	showing        map[string]string // by thread: the assistant's status
	posts, updates bucket
}

// entry is one message in a room and its fate.
type entry struct {
	ts, thread string
	text       string // in Slack's markup
	blocks     []json.RawMessage
	author     *User
	own        bool // the bot's
	subtype    string
	markdown   string // the streamed text
	streaming  bool
	broadcast  bool
	ephemeral  string // its only reader
	files      []*file
	linked     bool                // sent with link_names or parse=full
	appended   time.Time           // when a stream last got something
	reactions  map[string][]string // users by name
	versions   []string
	deleted    bool
	sent       time.Time
	edited     time.Time
}

// Chat is a conversation with the bot, or one thread of it, seen by one of its
// people. Make others with [Chat.As] and [Chat.In].
type Chat struct {
	srv    *Server
	room   *room
	thread string
	who    *User
}

// ID is the channel's id.
func (c *Chat) ID() string { return c.room.id }

// Thread is the ts of the message that the thread is about, empty outside of threads.
func (c *Chat) Thread() string { return c.thread }

// As is the same chat seen by another of its people.
func (c *Chat) As(u *User) *Chat {
	other := *c
	other.who = u
	return &other
}

// In is the same chat seen as the thread about the message ts; empty leaves the thread.
func (c *Chat) In(ts string) *Chat {
	other := *c
	other.thread = ts
	return &other
}

// Who gives the user who writes here.
func (c *Chat) Who() *User { return c.who }

// Leave takes the bot out of the chat, Join brings it back and says so to it.
func (c *Chat) Leave() {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	c.room.away = true
	c.srv.changed.Wake()
}

// Join brings the bot into the chat and tells it with member_joined_channel.
func (c *Chat) Join() Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	c.room.away = false
	return c.srv.event(Event{Chat: c.room.id}, map[string]any{
		"type": "member_joined_channel", "user": c.srv.bot.ID, "channel": c.room.id,
		"channel_type": c.room.id[:1], "team": c.srv.opt.Team, "inviter": c.who.ID, "event_ts": c.srv.stamp(),
	})
}

// Archive makes the channel one in which posting is refused.
func (c *Chat) Archive() {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	c.room.archived = true
}

// stamp is a new ts, later than every other one. The lock is held.
func (s *Server) stamp() string {
	s.last = max(s.last+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", s.last/1e6, s.last%1e6)
}

// find is the message ts, or nil. The lock is held.
func (r *room) find(ts string) *entry {
	for _, e := range r.entries {
		if e.ts == ts {
			return e
		}
	}
	return nil
}

// add puts e at the end of the room under a new ts. The lock is held.
func (s *Server) add(r *room, e *entry) *entry {
	e.ts, e.sent = s.stamp(), time.Now()
	r.entries = append(r.entries, e)
	s.changed.Wake()
	return e
}
