package fakeslack

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// Lengths, in characters (docs.slack.dev/reference/methods/chat.postMessage and chat.update).
const (
	maxText     = 40_000 // of a post: the rest is cut
	maxUpdate   = 4_000  // of an update: a longer one is refused
	maxMarkdown = 12_000
)

// room is the channel that a request names, where the bot may write.
func (c *call) room() (*room, error) {
	r := c.srv.rooms[c.req.Chat]
	switch {
	case r == nil, r.away && r.kind != kindChannel:
		return nil, no("channel_not_found", "") // the bot knows of no place that is not public
	case r.archived:
		return nil, no("is_archived", "")
	case r.away:
		return nil, no("not_in_channel", "")
	}
	return r, nil
}

// content reads text, blocks and markdown_text of a post or an update into e.
func (c *call) content(e *entry) error {
	text, markdown := c.param("text"), c.param("markdown_text")
	if markdown != "" && (text != "" || c.param("blocks") != "") {
		return no("markdown_text_conflict", "")
	}
	if utf8.RuneCountInString(markdown) > maxMarkdown {
		return no("msg_too_long", "markdown_text must be less than 12001 characters")
	}
	blocks, err := c.blocks()
	if err != nil {
		return err
	}
	if markdown != "" {
		blocks = []json.RawMessage{encode(map[string]any{"type": "markdown", "text": markdown})}
		text = markdown
	}
	if strings.TrimSpace(text) == "" && len(blocks) == 0 {
		return no("no_text", "")
	}
	e.text, e.blocks = text, blocks
	e.linked = c.param("link_names") == "true" || c.param("link_names") == "1" || c.param("parse") == "full"
	return nil
}

// threaded checks thread_ts: that of a message which is itself no reply, as Slack asks for.
func (c *call) threaded(r *room) error {
	ts := c.param("thread_ts")
	if ts == "" {
		return nil
	}
	parent := r.find(ts)
	if parent == nil {
		return no("thread_not_found", "")
	}
	if parent.thread != "" && parent.thread != ts {
		c.srv.Note("thread_ts " + ts + " is that of a reply, not of the message that it replies to")
		return no("thread_not_found", "")
	}
	return nil
}

func (c *call) postMessage() (answer, error) {
	r, err := c.room()
	if err != nil {
		return nil, err
	}
	e := &entry{own: true, author: c.srv.bot, thread: c.param("thread_ts"), broadcast: c.param("reply_broadcast") == "true"}
	if err := c.content(e); err != nil {
		return nil, err
	}
	if err := c.threaded(r); err != nil {
		return nil, err
	}
	if wait := r.posts.take(c.srv.opt.Limits.Posts, c.srv.opt.Limits.Burst, time.Now()); wait > 0 {
		return nil, tooMany(wait)
	}
	result := answer{"channel": r.id}
	if runes := []rune(e.text); len(runes) > maxText {
		e.text = string(runes[:maxText])
		result["warning"] = "message_truncated"
		result["response_metadata"] = map[string]any{
			"warnings": []string{"message_truncated"},
			"messages": []string{"[WARN] Your message was truncated but still posted. The `text` field accepts up to 40,000 characters."},
		}
	}
	c.unfurl(e)
	c.put(r, e)
	result["ts"], result["message"] = e.ts, c.srv.inner(r, e)
	return result, nil
}

// put adds a message of the bot, which ends the status of its thread and comes back as an event.
func (c *call) put(r *room, e *entry) {
	c.srv.add(r, e)
	c.srv.shows(e)
	delete(r.showing, e.thread)
	if !c.srv.opt.NoEcho {
		c.srv.event(Event{TS: e.ts, Chat: r.id}, c.srv.body(r, e))
	}
}

// own is the bot's message that a request is about.
func (c *call) own(r *room, ts, wrong string) (*entry, error) {
	e := r.find(ts)
	switch {
	case e == nil, e.deleted, e.ephemeral != "":
		return nil, no("message_not_found", "")
	case !e.own:
		return nil, no(wrong, "")
	}
	return e, nil
}

func (c *call) update() (answer, error) {
	r, err := c.room()
	if err != nil {
		return nil, err
	}
	e, err := c.own(r, c.param("ts"), "cant_update_message")
	if err != nil {
		return nil, err
	}
	if e.streaming {
		return nil, no("streaming_state_conflict", "")
	}
	next := *e
	if err := c.content(&next); err != nil {
		return nil, err
	}
	if _, given := c.req.Params["blocks"]; !given && c.param("markdown_text") == "" {
		next.blocks = e.blocks // "If you don't include this field, the message's previous blocks will be retained"
	}
	if utf8.RuneCountInString(next.text) > maxUpdate {
		return nil, no("msg_too_long", "")
	}
	if wait := r.updates.take(c.srv.opt.Limits.Updates, c.srv.opt.Limits.Burst, time.Now()); wait > 0 {
		return nil, tooMany(wait)
	}
	before := c.srv.inner(r, e)
	e.text, e.blocks, e.linked, e.edited = next.text, next.blocks, next.linked, time.Now()
	c.srv.shows(e)
	if !c.srv.opt.NoEcho {
		c.srv.altered(r, e, before, c.srv.bot.ID)
	}
	return answer{"channel": r.id, "ts": e.ts, "text": e.text, "message": c.srv.inner(r, e)}, nil
}

func (c *call) remove() (answer, error) {
	r, err := c.room()
	if err != nil {
		return nil, err
	}
	e, err := c.own(r, c.param("ts"), "cant_delete_message")
	if err != nil {
		return nil, err
	}
	e.streaming = false
	if c.srv.opt.NoEcho {
		e.deleted = true
	} else {
		c.srv.remove(r, e)
	}
	return answer{"channel": r.id, "ts": e.ts}, nil
}

func (c *call) postEphemeral() (answer, error) {
	r, err := c.room()
	if err != nil {
		return nil, err
	}
	user := c.param("user")
	if !r.has(user) {
		return nil, no("user_not_in_channel", "")
	}
	e := &entry{own: true, author: c.srv.bot, thread: c.param("thread_ts"), ephemeral: user}
	if err := c.content(e); err != nil {
		return nil, err
	}
	c.srv.add(r, e)
	c.srv.shows(e)
	return answer{"message_ts": e.ts}, nil
}

// has says whether a user is in the room. The lock is held.
func (r *room) has(id string) bool {
	for _, u := range r.members {
		if u.ID == id {
			return true
		}
	}
	return false
}
