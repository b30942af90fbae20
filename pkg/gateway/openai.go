package gateway

import (
	"parley/pkg/agent/approval"
	"parley/pkg/agent/turn"
	"parley/pkg/api/openai"
	"parley/pkg/channels/web"
	"parley/pkg/session"
)

// serveOpenAI adds the routes of the OpenAI API to the server.
func serveOpenAI(a *App) {
	api := openai.New(openai.Options{
		Channel: web.Name, Hub: a.web.hub, Store: apiStore{a.store.Sessions(), a.store.Approvals(), a.store.Inbox()},
		Post: a.web.posting(openai.ErrNotNow, openai.ErrNotAllowed), TakesIn: a.front.takesIn.Load,
		Press: func(q *session.Approval, allow bool) string { return approval.PressOf(q.ID, allow, false) }, Models: modelNames(a.models),
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
