package gateway

import (
	"cmp"
	"context"
	"slices"

	"parley/pkg/agent/approval"
	"parley/pkg/agent/command"
	"parley/pkg/agent/turn"
	"parley/pkg/api/agui"
	"parley/pkg/api/native"
	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/channels/web"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/consoles"
	"parley/pkg/gateway/screens"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// webRules let in the people that the credentials of the server name. Each message says
// which level its credential has, and no turn has more.
func webRules() policy.ChannelRules {
	return policy.ChannelRules{Everyone: true, NoCodes: true, Direct: policy.LevelExec, Group: policy.LevelNone}
}

// serveAPI adds the routes of the chats to the server.
func serveAPI(a *App) {
	a.consoles = consoles.New(consoles.Options{
		Routes: nativeAPI(a, console.Name, screens.ConsoleNames{}).Routes(admin.ConsolePath, httpd.AccessPage),
		Note:   a.audit.note, Passing: a.o.Passing,
		Quiet: func(ctx context.Context, chat, text string) error {
			return a.screens.Quiet(ctx, channels.Address{Channel: console.Name, Chat: chat}, text)
		},
	})
	if a.front.server == nil {
		return
	}
	api, bodies := nativeAPI(a, web.Name, native.PersonalNames{}), httpd.NewBodies()
	ag := agui.New(agui.Options{
		Native: api, Hub: a.screens.Hub(), Bodies: bodies, CallOf: approval.DecidedCall,
		Redact: a.o.Redactor.Redact, Log: a.o.Log,
	})
	routes := slices.Concat(
		api.Routes("/api", httpd.AccessProgram), api.Routes("/page", httpd.AccessPage), pageRoutes{a}.all(api), ag.Routes(),
		a.kept.telemetry.Routes(), a.links.Routes(),
	)
	for _, route := range routes {
		a.front.server.Handle(route)
	}
	serveOpenAI(a, bodies)
}

// nativeAPI is the API of the chats of a channel.
func nativeAPI(a *App, channel string, names native.Names) *native.API {
	return native.New(native.Options{
		Channel: channel, Names: names, Hub: a.screens.Hub(),
		Store:   apiStore{a.store.Sessions(), a.store.Approvals(), a.store.Inbox(), a.store.Chats()},
		Reading: local.Reading(a.store),
		Post:    a.screens.Posting(native.ErrNotNow, native.ErrNotAllowed), Tools: a.tools.Registry, Offered: a.tools.Offered,
		LevelOf: func(ctx context.Context, at channels.Address, sender channels.Sender) policy.Level {
			return a.policy.Authorize(ctx, policy.Event{Kind: policy.KindMessage, Address: at, Sender: sender, Direct: true}).Level
		},
		Files:   a.kept.shelf,
		Command: command.Split,
		Commands: func(c *httpd.Caller) any {
			return wireCommands(a.cfg, channel, modelNames(a.models)(), c.Models)
		},
		Models:  modelNames(a.models),
		ModelAt: func(at channels.Address, chosen string) string { return a.models.For(turn.RoleChat, at, chosen).Choice },
		Press: func(q *session.Approval, choice string) string {
			return approval.PressOf(q.ID, choice != native.ChoiceOf(false, false), choice == native.ChoiceOf(true, true))
		},
		Linked: a.links,
		Rounds: cmp.Or(a.cfg.Agent.MaxToolIterations, defaultRounds), Redact: a.o.Redactor.Redact, Log: a.o.Log,
	})
}

// defaultRounds is the limit of rounds where the configuration names none.
const defaultRounds = 10

// apiStore is the store as the API reads it.
type apiStore struct {
	session.Sessions
	session.Approvals
	session.Inbox
	session.Turns
}
