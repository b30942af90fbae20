package fakeslack

import (
	"encoding/json"
	"fmt"
	"time"
)

// inner is a message as message_changed and the Web API write it: without where it is.
// Shapes are those of docs.slack.dev/reference/events/message. The lock is held.
func (s *Server) inner(r *room, e *entry) map[string]any {
	m := map[string]any{"type": "message", "text": e.text, "ts": e.ts, "team": s.opt.Team}
	if e.author != nil {
		m["user"], m["team"] = e.author.ID, e.author.Team
	}
	switch {
	case e.own:
		m["bot_id"], m["app_id"] = botID, appID
		m["bot_profile"] = map[string]any{"id": botID, "app_id": appID, "name": s.bot.Name, "team_id": s.opt.Team, "deleted": false}
		if len(e.blocks) > 0 {
			m["blocks"] = e.blocks
		}
	case e.text != "":
		m["client_msg_id"] = "00000000-0000-4000-8000-" + fmt.Sprintf("%012d", s.next)
		m["blocks"] = []any{richText(e.text)}
	}
	if e.subtype != "" {
		m["subtype"] = e.subtype
	}
	if e.thread != "" {
		m["thread_ts"] = e.thread
		if parent := r.find(e.thread); parent != nil && parent.author != nil {
			m["parent_user_id"] = parent.author.ID
		}
	}
	if len(e.files) > 0 {
		files := []any{}
		for _, f := range e.files {
			files = append(files, s.fileInfo(f))
		}
		m["files"], m["upload"] = files, false
	}
	return m
}

// body is a message as its own event has it. The lock is held.
func (s *Server) body(r *room, e *entry) map[string]any {
	m := s.inner(r, e)
	m["channel"], m["channel_type"], m["event_ts"] = r.id, r.kind, e.ts
	if e.author != nil && e.author.Team != s.opt.Team {
		m["user_team"], m["source_team"] = e.author.Team, e.author.Team
	}
	return m
}

// richText is the block that a person's client makes of a text, without its formatting.
func richText(text string) map[string]any {
	return map[string]any{
		"type": "rich_text", "block_id": "b1",
		"elements": []any{map[string]any{
			"type": "rich_text_section", "elements": []any{map[string]any{"type": "text", "text": text}},
		}},
	}
}

// event gives bodies, which are shapes of one and the same, to the app as
// event_callback. The lock is held.
func (s *Server) event(e Event, bodies ...map[string]any) Event {
	e.Type = typeEvents
	for _, body := range bodies {
		s.next++
		payload := map[string]any{
			"token": "verification-token", "team_id": s.opt.Team, "context_team_id": s.opt.Team, "api_app_id": appID,
			"type": "event_callback", "event_id": fmt.Sprintf("Ev0%08d", s.next), "event_time": time.Now().Unix(),
			"event": body, "is_ext_shared_channel": false,
			"authorizations": []any{map[string]any{
				"team_id": s.opt.Team, "user_id": s.bot.ID, "is_bot": true, "is_enterprise_install": false,
			}},
		}
		s.deliver(&e, payload)
	}
	return e
}

// deliver puts a payload into an envelope of e and on its way. The lock is held.
func (s *Server) deliver(e *Event, payload any) {
	raw, err := json.Marshal(payload)
	if err != nil {
		raw = []byte("null")
	}
	if e.Raw == nil {
		e.Raw = raw
	}
	e.payloads = append(e.payloads, raw)
	if !s.hub.muted {
		s.enclose(e, raw, 0)
	}
}

// enclose sends a payload of e in an envelope, as the attempt of that number. The lock is held.
func (s *Server) enclose(e *Event, raw json.RawMessage, attempt int) {
	s.next++
	env := &envelope{id: fmt.Sprintf("%08d-0000-4000-8000-000000000000", s.next), kind: e.Type, payload: raw, attempt: attempt}
	if attempt > 0 {
		env.reason = reasonTimeout
	}
	e.Envelopes = append(e.Envelopes, env.id)
	env.event = Event{TS: e.TS, Chat: e.Chat, Type: e.Type, Envelopes: []string{env.id}, Raw: raw}
	s.send(env)
}
