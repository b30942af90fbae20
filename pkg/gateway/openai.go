package gateway

import (
	"parley/pkg/agent/approval"
	"parley/pkg/agent/turn"
	"parley/pkg/api/openai"
	"parley/pkg/channels"
	"parley/pkg/channels/web"
	"parley/pkg/config"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// serveOpenAI adds the routes of the OpenAI API to the server.
func serveOpenAI(a *App, bodies *httpd.Bodies) {
	api := openai.New(openai.Options{
		Channel: web.Name, Hub: a.screens.Hub(), Store: apiStore{a.store.Sessions(), a.store.Approvals(), a.store.Inbox(), a.store.Chats()},
		Bodies: bodies, Bring: a.kept.shelf.Bring,
		Post: a.screens.Posting(openai.ErrNotNow, openai.ErrNotAllowed), TakesIn: a.front.takesIn.Load,
		Press: func(q *session.Approval, allow bool) string { return approval.PressOf(q.ID, allow, false) }, Models: modelNames(a.models),
		Formats: func(at channels.Address, model string, object bool) bool {
			m := a.models.For(turn.RoleChat, at, model)
			return m.Schema && (m.Object || !object)
		},
		NoQuestions: a.cfg.HTTP.ChatApprovals == config.ApprovalsDeny,
		ChatHeaders: a.cfg.HTTP.ChatHeaders, Redact: a.o.Redactor.Redact, Log: a.o.Log,
	})
	for _, route := range api.Routes() {
		a.front.server.Handle(route)
	}
}

// modelNames are the names of the models that a chat may choose.
func modelNames(models turn.Models) func() []string {
	return func() []string {
		var names []string
		for _, c := range models.Choices() {
			names = append(names, c.Name)
		}
		return names
	}
}
