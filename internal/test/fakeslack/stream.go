package fakeslack

import (
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"
)

// Streaming follows docs.slack.dev/reference/methods/chat.startStream, appendStream
// and stopStream; names of errors are theirs.

func (c *call) startStream() (answer, error) {
	r, err := c.room()
	if err != nil {
		return nil, err
	}
	if err := c.recipient(r); err != nil {
		return nil, err
	}
	if err := c.threaded(r); err != nil {
		return nil, err
	}
	text, err := c.streamed()
	if err != nil {
		return nil, err
	}
	if wait := r.posts.take(c.srv.opt.Limits.Posts, c.srv.opt.Limits.Burst, time.Now()); wait > 0 {
		return nil, tooMany(wait)
	}
	e := &entry{own: true, author: c.srv.bot, thread: c.param("thread_ts"), markdown: text, streaming: true, appended: time.Now()}
	c.put(r, e)
	return answer{"channel": r.id, "ts": e.ts}, nil
}

// recipient checks whom a stream in a channel is for.
func (c *call) recipient(r *room) error {
	team, user := c.param("recipient_team_id"), c.param("recipient_user_id")
	if r.kind == kindIM && team == "" && user == "" {
		return nil
	}
	u := c.srv.users[user]
	switch {
	case team == "":
		return no("missing_recipient_team_id", "")
	case user == "":
		return no("missing_recipient_user_id", "")
	case u == nil:
		return no("user_not_found", "")
	case u.Team != team:
		return no("team_not_found", "")
	}
	return nil
}

// streamed is the text of a request to a stream, from markdown_text or chunks.
func (c *call) streamed() (string, error) {
	text, raw := c.param("markdown_text"), c.param("chunks")
	if text != "" && raw != "" {
		return "", no("invalid_arguments", "markdown_text and chunks exclude each other")
	}
	if raw != "" {
		var chunks []struct {
			Type, Text string
		}
		if err := json.Unmarshal([]byte(raw), &chunks); err != nil {
			return "", no("invalid_chunks", "chunks are not an array of objects")
		}
		for i, chunk := range chunks {
			if !slices.Contains([]string{"markdown_text", "task_update", "plan_update", "blocks"}, chunk.Type) {
				return "", no("invalid_chunks", "unsupported type: %s [json-pointer:/chunks/%d/type]", chunk.Type, i)
			}
			text += chunk.Text
		}
	}
	if utf8.RuneCountInString(text) > maxMarkdown {
		return "", no("msg_too_long", "must be less than %d characters [json-pointer:/markdown_text]", maxMarkdown+1)
	}
	return text, nil
}

// stream is the streaming message that a request is about.
func (c *call) stream() (*room, *entry, error) {
	r, err := c.room()
	if err != nil {
		return nil, nil, err
	}
	e, err := c.own(r, c.param("ts"), "message_not_owned_by_app")
	if err != nil {
		return nil, nil, err
	}
	if !e.streaming || time.Since(e.appended) > c.srv.opt.StreamIdle {
		return nil, nil, no("message_not_in_streaming_state", "")
	}
	return r, e, nil
}

// extend appends to a stream.
func (c *call) extend(e *entry, text string) error {
	if utf8.RuneCountInString(e.markdown)+utf8.RuneCountInString(text) > maxMarkdown {
		return no("msg_too_long", "the whole must be less than %d characters", maxMarkdown+1)
	}
	e.markdown += text
	e.appended = time.Now()
	c.srv.shows(e)
	return nil
}

func (c *call) appendStream() (answer, error) {
	r, e, err := c.stream()
	if err != nil {
		return nil, err
	}
	text, err := c.streamed()
	if err != nil {
		return nil, err
	}
	if text == "" && c.param("chunks") == "" {
		return nil, no("no_text", "")
	}
	if err := c.extend(e, text); err != nil {
		return nil, err
	}
	return answer{"channel": r.id, "ts": e.ts}, nil
}

func (c *call) stopStream() (answer, error) {
	r, e, err := c.stream()
	if err != nil {
		return nil, err
	}
	text, err := c.streamed()
	if err != nil {
		return nil, err
	}
	blocks, err := c.blocks()
	if err != nil {
		return nil, err
	}
	if e.markdown+text == "" && len(blocks) == 0 {
		return nil, no("no_text", "")
	}
	before := c.srv.inner(r, e)
	if err := c.extend(e, text); err != nil {
		return nil, err
	}
	c.finish(e, blocks)
	if !c.srv.opt.NoEcho {
		c.srv.altered(r, e, before, c.srv.bot.ID)
	}
	return answer{"channel": r.id, "ts": e.ts, "message": c.srv.inner(r, e)}, nil
}

// finish makes a stream a message like others, with blocks at its end.
func (c *call) finish(e *entry, blocks []json.RawMessage) {
	if e.markdown != "" {
		blocks = append([]json.RawMessage{encode(map[string]any{"type": "markdown", "text": e.markdown})}, blocks...)
	}
	e.text, e.blocks, e.markdown, e.streaming = e.markdown, blocks, "", false
	c.srv.shows(e)
}
