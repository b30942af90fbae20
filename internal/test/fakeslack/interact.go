package fakeslack

import "encoding/json"

// Command types /parley and text, outside of threads, where Slack takes no command.
func (c *Chat) Command(text string) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	event := Event{Chat: c.room.id, Type: typeCommands}
	name := c.room.name
	if c.room.kind == kindIM {
		name = "directmessage"
	}
	c.srv.deliver(&event, map[string]any{
		"token": "verification-token", "team_id": c.who.Team, "team_domain": "parley-test", "channel_id": c.room.id,
		"channel_name": name, "user_id": c.who.ID, "user_name": c.who.Name, "command": "/parley", "text": text,
		"api_app_id": appID, "is_enterprise_install": "false", "response_url": c.srv.respondAt(c.room, c.who),
		"trigger_id": c.srv.id("1.2."),
	})
	return event
}

// Press presses the button called label under the message ts, as c's person sees it
// now. Where there is no such button there is no event.
func (c *Chat) Press(ts, label string) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := c.room.find(ts)
	if e == nil || !e.own || e.deleted {
		return Event{}
	}
	for _, button := range e.buttons() {
		if button.Text == label {
			return c.pressed(e, button)
		}
	}
	return Event{}
}

// PressButton is a press of any button of any message that ever was: by a person with a
// client that still shows a deleted one.
func (c *Chat) PressButton(ts string, button Button) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := c.room.find(ts)
	if e == nil {
		return Event{}
	}
	return c.pressed(e, button)
}

// pressed delivers block_actions (docs.slack.dev/reference/interaction-payloads/block_actions-payload). The lock is held.
func (c *Chat) pressed(e *entry, b Button) Event {
	event := Event{TS: e.ts, Chat: c.room.id, Type: typeInteractive}
	container := map[string]any{
		"type": "message", "message_ts": e.ts, "channel_id": c.room.id, "is_ephemeral": e.ephemeral != "",
	}
	if e.thread != "" {
		container["thread_ts"] = e.thread
	}
	c.srv.deliver(&event, map[string]any{
		"type": "block_actions", "team": map[string]any{"id": c.srv.opt.Team, "domain": "parley-test"},
		"user":       map[string]any{"id": c.who.ID, "username": c.who.Name, "name": c.who.Name, "team_id": c.who.Team},
		"api_app_id": appID, "token": "verification-token", "container": container, "trigger_id": c.srv.id("1.2."),
		"channel": map[string]any{"id": c.room.id, "name": c.room.name}, "message": c.srv.inner(c.room, e),
		"response_url": c.srv.respondAt(c.room, c.who), "is_enterprise_install": false,
		"state": map[string]any{"values": map[string]any{}},
		"actions": []any{map[string]any{
			"type": "button", "action_id": b.ActionID, "block_id": b.BlockID, "value": b.Value, "action_ts": c.srv.stamp(),
			"text": map[string]any{"type": "plain_text", "text": b.Text, "emoji": true},
		}},
	})
	return event
}

// React adds a person's reaction to the message ts.
func (c *Chat) React(ts, name string) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := c.room.find(ts)
	if e == nil {
		return Event{}
	}
	return c.srv.react(c.room, e, c.who, name)
}

// Send delivers any payload in an envelope of type kind, such as an unknown one.
func (s *Server) Send(kind string, payload any) Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	event := Event{Type: kind}
	s.deliver(&event, payload)
	return event
}

// SendEvent delivers body as the event of an event_callback.
func (s *Server) SendEvent(body map[string]any) Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.event(Event{}, body)
}

// SendRaw writes a frame to a socket as it is. One with an envelope_id comes again
// until that is acknowledged, others are written once and have no envelope.
func (s *Server) SendRaw(text string) Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var head struct {
		ID   string `json:"envelope_id"`
		Type string `json:"type"`
	}
	err := json.Unmarshal([]byte(text), &head)
	event := Event{Type: head.Type, Raw: []byte(text)}
	if err == nil && head.ID != "" {
		event.Envelopes = []string{head.ID}
		s.send(&envelope{id: head.ID, kind: head.Type, payload: []byte(text), frame: text, event: event})
		return event
	}
	if len(s.hub.sockets) > 0 {
		s.hub.sockets[s.hub.turn%len(s.hub.sockets)].queue(frame{data: []byte(text)})
	}
	return event
}
