package fakeslack

import (
	"slices"
	"time"
)

// Status is one assistant status, as it was shown.
type Status struct {
	Thread, Text string
	Time         time.Time
}

func (c *call) authTest() (answer, error) {
	return answer{
		"url": c.srv.http.URL() + "/", "team": "Parley test", "user": c.srv.bot.Name,
		"team_id": c.srv.opt.Team, "user_id": c.srv.bot.ID, "bot_id": botID, "is_enterprise_install": false,
	}, nil
}

func (c *call) setStatus() (answer, error) {
	r, err := c.room()
	if err != nil {
		return nil, err
	}
	thread := c.param("thread_ts")
	if r.showing == nil {
		r.showing = map[string]string{}
	}
	r.showing[thread] = c.param("status")
	if c.param("status") == "" {
		delete(r.showing, thread)
	}
	r.statuses = append(r.statuses, Status{Thread: thread, Text: c.param("status"), Time: time.Now()})
	return answer{}, nil
}

// reacted is the message that a reaction is about.
func (c *call) reacted() (*room, *entry, error) {
	r := c.srv.rooms[c.req.Chat]
	if r == nil {
		return nil, nil, no("channel_not_found", "")
	}
	e := r.find(c.param("timestamp"))
	if e == nil || e.deleted || e.ephemeral != "" {
		return nil, nil, no("message_not_found", "")
	}
	return r, e, nil
}

func (c *call) react() (answer, error) {
	r, e, err := c.reacted()
	if err != nil {
		return nil, err
	}
	if slices.Contains(e.reactions[c.param("name")], c.srv.bot.ID) {
		return nil, no("already_reacted", "")
	}
	c.srv.react(r, e, c.srv.bot, c.param("name"))
	return answer{}, nil
}

func (c *call) unreact() (answer, error) {
	r, e, err := c.reacted()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(e.reactions[c.param("name")], c.srv.bot.ID) {
		return nil, no("no_reaction", "")
	}
	c.srv.unreact(r, e, c.srv.bot, c.param("name"))
	return answer{}, nil
}

// react adds a reaction and tells of it. The lock is held.
func (s *Server) react(r *room, e *entry, by *User, name string) Event {
	if e.reactions == nil {
		e.reactions = map[string][]string{}
	}
	e.reactions[name] = append(e.reactions[name], by.ID)
	return s.reaction("reaction_added", r, e, by, name)
}

// unreact takes a reaction away and tells of it. The lock is held.
func (s *Server) unreact(r *room, e *entry, by *User, name string) Event {
	e.reactions[name] = slices.DeleteFunc(e.reactions[name], func(id string) bool { return id == by.ID })
	return s.reaction("reaction_removed", r, e, by, name)
}

// reaction is the event of one, unless it is the bot's own and there is no echo. The lock is held.
func (s *Server) reaction(kind string, r *room, e *entry, by *User, name string) Event {
	event := Event{TS: e.ts, Chat: r.id}
	if by == s.bot && s.opt.NoEcho {
		return event
	}
	author := ""
	if e.author != nil {
		author = e.author.ID
	}
	return s.event(event, map[string]any{
		"type": kind, "user": by.ID, "reaction": name, "item_user": author,
		"item": map[string]any{"type": "message", "channel": r.id, "ts": e.ts}, "event_ts": s.stamp(),
	})
}

func (c *call) userInfo() (answer, error) {
	u := c.srv.users[c.param("user")]
	if u == nil {
		return nil, no("user_not_found", "")
	}
	return answer{"user": map[string]any{
		"id": u.ID, "team_id": u.Team, "name": u.Name, "real_name": u.Name, "deleted": false, "is_bot": u == c.srv.bot,
		"profile": map[string]any{"display_name": u.Name, "real_name": u.Name, "team": u.Team},
		"tz":      "Etc/UTC", "tz_offset": 0,
	}}, nil
}

func (c *call) roomInfo() (answer, error) {
	r := c.srv.rooms[c.req.Chat]
	if r == nil || r.away && r.kind != kindChannel {
		return nil, no("channel_not_found", "")
	}
	info := map[string]any{
		"id": r.id, "name": r.name, "is_channel": r.kind == kindChannel, "is_group": r.kind == kindGroup,
		"is_im": r.kind == kindIM, "is_mpim": r.kind == kindMPIM, "is_private": r.kind != kindChannel,
		"is_archived": r.archived, "is_member": !r.away, "context_team_id": c.srv.opt.Team,
	}
	if r.kind == kindIM {
		info["user"] = r.members[0].ID
		delete(info, "name")
	}
	return answer{"channel": info}, nil
}
