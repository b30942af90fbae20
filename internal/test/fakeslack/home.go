package fakeslack

// Unreact takes a person's reaction to the message ts away.
func (c *Chat) Unreact(ts, name string) Event {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	e := c.room.find(ts)
	if e == nil {
		return Event{}
	}
	return c.srv.unreact(c.room, e, c.who, name)
}

// OpenHome opens the app's home (docs.slack.dev/reference/events/app_home_opened).
func (c *Chat) OpenHome() Event {
	return c.srv.SendEvent(map[string]any{
		"type": "app_home_opened", "user": c.who.ID, "channel": c.room.id, "tab": "home", "event_ts": c.srv.Stamp(),
	})
}

// StartAssistant opens a new thread with the app as an assistant and gives the chat
// seen as that thread (docs.slack.dev/reference/events/assistant_thread_started).
func (c *Chat) StartAssistant() (*Chat, Event) {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	root := c.srv.add(c.room, &entry{text: "New Assistant Thread", author: c.srv.bot, subtype: "assistant_app_thread"})
	thread := *c
	thread.thread = root.ts
	return &thread, c.srv.event(Event{TS: root.ts, Chat: c.room.id}, map[string]any{
		"type": "assistant_thread_started", "event_ts": c.srv.stamp(),
		"assistant_thread": map[string]any{
			"user_id": c.who.ID, "channel_id": c.room.id, "thread_ts": root.ts,
			"context": map[string]any{"team_id": c.srv.opt.Team},
		},
	})
}

// Shortcut uses a global shortcut of the app.
func (c *Chat) Shortcut(callback string) Event {
	return c.srv.Send(typeInteractive, map[string]any{
		"type": "shortcut", "token": "verification-token", "action_ts": c.srv.Stamp(), "callback_id": callback,
		"team": map[string]any{"id": c.srv.opt.Team, "domain": "parley-test"}, "trigger_id": "1.2.shortcut",
		"user":                  map[string]any{"id": c.who.ID, "username": c.who.Name, "team_id": c.who.Team},
		"is_enterprise_install": false,
	})
}

// SubmitView submits a modal of the app.
func (c *Chat) SubmitView(callback string) Event {
	return c.srv.Send(typeInteractive, map[string]any{
		"type": "view_submission", "token": "verification-token", "api_app_id": appID, "trigger_id": "1.2.view",
		"team": map[string]any{"id": c.srv.opt.Team, "domain": "parley-test"},
		"user": map[string]any{"id": c.who.ID, "username": c.who.Name, "team_id": c.who.Team},
		"view": map[string]any{
			"id": "V0PARLEY01", "team_id": c.srv.opt.Team, "type": "modal", "callback_id": callback,
			"state": map[string]any{"values": map[string]any{}}, "blocks": []any{},
		},
		"response_urls": []any{},
	})
}

// Stamp is a new ts, later than all that there are.
func (s *Server) Stamp() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stamp()
}
