package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"parley/pkg/agent/approval"
	"parley/pkg/agent/command"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/turn"
	"parley/pkg/api/agui"
	"parley/pkg/api/native"
	"parley/pkg/channels"
	"parley/pkg/channels/web"
	"parley/pkg/events"
	"parley/pkg/gateway/linking"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/shelf"
)

// webChats are the chats of the HTTP server: their events, and their channel. A gateway
// without a server has nil.
type webChats struct {
	hub     *events.Hub
	channel *web.Channel
	store   session.Engine
	links   *linking.Linking
}

// newWebChats has no chat yet.
func newWebChats(store session.Engine, links *linking.Linking, files *shelf.Shelf, redactor *policy.Redactor) *webChats {
	w := &webChats{store: store, links: links, hub: events.New(events.Options{
		Redact: redactor.Redact, Unsettled: redactor.Unsettled,
		Group: func(at channels.Address) string {
			if at.Channel != web.Name {
				return links.Person(at)
			}
			return webPerson(at.Chat)
		},
	})}
	w.channel = web.New(w.show, files)
	return w
}

// webRules let in the people that the credentials of the server name. Each message says
// which level its credential has, and no turn has more.
func webRules() policy.ChannelRules {
	return policy.ChannelRules{Everyone: true, NoCodes: true, Direct: policy.LevelExec, Group: policy.LevelNone}
}

// events are those of the chat at an address, where somebody can read them.
func (w *webChats) events(at channels.Address) *events.Hub {
	if !w.shows(at) {
		return nil
	}
	return w.hub
}

// shows says whether the page may show the chat at an address.
func (w *webChats) shows(at channels.Address) bool {
	return w != nil && (at.Channel == web.Name || w.links.Person(at) != "")
}

// show puts a part on the screens of its chat.
func (w *webChats) show(ctx context.Context, part channels.Part) {
	if len(part.Buttons) > 0 {
		if q, ok := w.question(ctx, &part); ok {
			w.hub.Delivered(part.Address, part.ID, q)
			return
		}
	}
	m := events.Message{ID: part.ID, Role: "assistant", Text: part.Text, Replaces: part.Finishes, Origin: string(part.Unasked)}
	if part.File != nil {
		m.File = part.File.Name
		if part.File.Kept != nil {
			m.Files = []channels.KeptFile{*part.File.Kept}
		}
	}
	w.hub.Delivered(part.Address, part.ID, m)
}

// question is the question that a message puts.
func (w *webChats) question(ctx context.Context, part *channels.Part) (events.Question, bool) {
	id, ok := approval.QuestionOf(part.Buttons[0])
	if !ok {
		return events.Question{}, false
	}
	a, err := w.store.Approvals().Approval(ctx, id)
	if err != nil {
		return events.Question{}, false
	}
	return events.Question{
		ID: a.ID, ToolCallID: a.Call.ID, Called: a.Call.Tool, Arguments: json.RawMessage(a.Call.Arguments), Question: part.Text,
		Choices: native.Choices(&a), ExpiresAt: a.Expires,
	}, true
}

// settled tells of a message that could not be delivered, and the lists of chats of one that
// was: it is stored now.
func (w *webChats) settled(o channels.Outbound, out channels.Outcome) {
	switch {
	case !w.shows(o.Address):
		return
	case out.State == channels.Delivered:
		if o.Address.Channel != web.Name && !o.Preview {
			w.hub.Delivered(o.Address, o.ID, messageOf(&o))
		}
		w.hub.Changed(o.Address)
		return
	}
	w.hub.Delivered(o.Address, o.ID, events.Notice{Code: events.CodeUndelivered, Text: out.Reason})
}

// messageOf is a message of another channel as the page shows it.
func messageOf(o *channels.Outbound) events.Message {
	m := events.Message{ID: o.ID, Role: "assistant", Text: o.Text, Replaces: o.Finishes, Origin: string(o.Unasked)}
	if o.File != nil {
		m.File = o.File.Name
	}
	return m
}

// answered tells of the answer to a question, wherever it was given.
func (w *webChats) answered(e approval.Event) {
	if !w.shows(e.Approval.Address) {
		return
	}
	decision := ""
	switch e.Outcome {
	case approval.Allowed:
		decision = native.ChoiceOf(true, e.Granted)
	case approval.Denied:
		decision = native.ChoiceOf(false, false)
	case approval.Void, approval.GivenUp:
		decision = string(e.Outcome)
	case approval.Asked, approval.Refused:
		return
	}
	w.hub.Tell(e.Approval.Address, events.Resolved{ID: e.Approval.ID, Decision: decision, By: cmp.Or(e.By.Name, e.By.ID)})
}

// serveAPI adds the routes of the chats to the server.
func serveAPI(a *App) {
	if a.web == nil {
		return
	}
	api := native.New(native.Options{
		Channel: web.Name, Hub: a.web.hub, Store: apiStore{a.store.Sessions(), a.store.Approvals(), a.store.Inbox(), a.store.Chats()},
		Reading: local.Reading(a.store),
		Post:    a.web.posting(native.ErrNotNow, native.ErrNotAllowed), Tools: a.tools.Registry, Offered: a.tools.Offered,
		LevelOf: func(ctx context.Context, at channels.Address, sender channels.Sender) policy.Level {
			return a.policy.Authorize(ctx, policy.Event{Kind: policy.KindMessage, Address: at, Sender: sender, Direct: true}).Level
		},
		Files:   a.kept.shelf,
		Command: command.Split,
		Models:  modelNames(a.models),
		ModelAt: func(at channels.Address, chosen string) string { return a.models.For(turn.RoleChat, at, chosen).Choice },
		Press: func(q *session.Approval, choice string) string {
			return approval.PressOf(q.ID, choice != native.ChoiceOf(false, false), choice == native.ChoiceOf(true, true))
		},
		Linked: a.links,
		Rounds: cmp.Or(a.cfg.Agent.MaxToolIterations, defaultRounds), Redact: a.o.Redactor.Redact, Log: a.o.Log,
	})
	ag := agui.New(agui.Options{
		Native: api, Hub: a.web.hub, Silence: prompt.NoReply, CallOf: approval.DecidedCall, Redact: a.o.Redactor.Redact, Log: a.o.Log,
	})
	routes := slices.Concat(
		api.Routes("/api", httpd.AccessProgram), api.Routes("/page", httpd.AccessPage), pageRoutes{a}.all(api), ag.Routes(),
		a.kept.telemetry.Routes(), a.links.Routes(),
	)
	for _, route := range routes {
		a.front.server.Handle(route)
	}
	serveOpenAI(a)
}

// defaultRounds is the limit of rounds where the configuration names none.
const defaultRounds = 10

// posting takes in messages, with the errors of an API.
func (w *webChats) posting(notNow, notAllowed error) func(ctx context.Context, m channels.Inbound) error {
	return func(ctx context.Context, m channels.Inbound) error {
		err := w.channel.Post(ctx, m)
		switch {
		case errors.Is(err, web.ErrNotRunning):
			return notNow
		case errors.Is(err, web.ErrNotAdmitted):
			return notAllowed
		default:
			return err
		}
	}
}

// apiStore is the store as the API reads it.
type apiStore struct {
	session.Sessions
	session.Approvals
	session.Inbox
	session.Turns
}

// webPerson is the person of a chat of the web: its name is before the last dot.
func webPerson(chat string) string {
	return chat[:max(0, strings.LastIndexByte(chat, '.'))]
}
