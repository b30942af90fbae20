package gateway

import (
	"context"
	"encoding/json"
	"net/http"

	"parley/pkg/api/native"
	"parley/pkg/audit"
	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/panel"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// pageRoutes are the routes of the page beside those of the API: the models, the panels, and for
// owners what the operator's commands show.
type pageRoutes struct{ a *App }

func (p pageRoutes) all(api *native.API) []httpd.Route {
	a := p.a
	panels := panel.New(panel.Options{
		Place: func(c *httpd.Caller, id string) (channels.Address, bool) {
			chat, ok := api.ChatOf(c, id)
			return chat.Address(), ok
		},
		Store: panelStore{a.store.Sessions(), a.store.Jobs(), a.store.Chats()}, Tasks: a.agent.Tasks(),
		RemoveJob: a.agent.Jobs().Remove, Describe: cronTimetable{}.Describe, Today: a.agent.Today, Currency: a.cfg.Budgets.Currency,
		Views: p.views, Decide: p.decide, Redact: a.o.Redactor.Redact, Log: a.o.Log,
	})
	return append(panels.Routes(), httpd.Route{Pattern: "GET /page/models", Access: httpd.AccessPage, Handler: http.HandlerFunc(p.models)})
}

// panelStore is the store as the panels read it.
type panelStore struct {
	session.Index
	session.Jobs
	session.Uses
}

// models answers with the names of the models that a chat may choose.
func (p pageRoutes) models(w http.ResponseWriter, _ *http.Request) {
	names := []string{}
	for _, c := range p.a.models.Choices() {
		names = append(names, c.Name)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string]any{"models": names}) // a browser that is gone needs no answer
}

// views are the operator's operations that an owner reads on the page, and the audit log.
func (p pageRoutes) views(ctx context.Context, name string, take admin.Emit) (bool, error) {
	if name == "audit" {
		return true, p.auditRows(ctx, take)
	}
	op, known := map[string]admin.Operation{
		"status": admin.Status(), "approvals": admin.ListApprovals(), "tools": admin.ListTools(),
		"telemetry": admin.ToolStats(), "jobs": admin.ListJobs(), "tasks": admin.ListTasks(),
		"pairs": admin.ListPairs(), "sessions": admin.ListSessions(),
	}[name]
	if !known {
		return false, nil
	}
	return true, p.a.Operations().Do(ctx, op.Name, &admin.Request{}, take)
}

// auditShown is how many of the newest rows of the audit log the page shows.
const auditShown = 200

// auditRows emits the newest rows, the newest first.
func (p pageRoutes) auditRows(ctx context.Context, take admin.Emit) error {
	rows, err := admin.ReadAudit(ctx, p.a.cfg.StateDir, admin.AuditQuery{Last: auditShown})
	for i := len(rows) - 1; i >= 0 && err == nil; i-- {
		var raw []byte
		if raw, err = json.Marshal(rows[i]); err == nil {
			err = take(json.RawMessage(p.a.o.Redactor.Redact(string(raw))))
		}
	}
	return err
}

// decide answers a question as the operator does; the audit log has who it was.
func (p pageRoutes) decide(ctx context.Context, d session.Decision, who string) error {
	op := admin.DenyApproval()
	if d.Allow {
		op = admin.AllowApproval()
	}
	err := p.a.Operations().Do(ctx, op.Name, &admin.Request{Approval: d.Approval, Here: d.Here}, func(any) error { return nil })
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	detail := op.Name + " " + d.Approval
	if d.Here {
		detail += " here"
	}
	p.a.audit.note(audit.Row{Kind: audit.KindOperator, Outcome: outcome, Detail: detail + " on the page by " + who})
	return err
}
