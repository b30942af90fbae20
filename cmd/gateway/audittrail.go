package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"parley/pkg/audit"
	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/tools"
)

// openAudit opens the audit log. Whoever holds the store is its only writer.
func (a *App) openAudit() (err error) {
	a.audit, err = audit.Open(audit.Options{Dir: admin.AuditDir(a.cfg.StateDir), Redact: a.redactor.Redact, Log: a.log})
	if err != nil {
		return admin.StoreError(bolt.DirError(admin.AuditDir(a.cfg.StateDir), err))
	}
	return nil
}

// closeAudit writes down what waits, and says why rows are missing.
func (a *App) closeAudit() error {
	if a.audit == nil {
		return nil
	}
	if err := a.audit.Close(); err != nil {
		return admin.WithCode(admin.CodeFailed, a.unaudited(err))
	}
	return nil
}

// unaudited is an error of writing the audit log with its cure.
func (a *App) unaudited(err error) error {
	return fmt.Errorf("the audit log cannot be written: %w", bolt.DirError(admin.AuditDir(a.cfg.StateDir), err))
}

// unwritable says why a gateway that started now could not write: "" for no reason.
func (a *App) unwritable() (store, log string) {
	if err := bolt.Writable(a.cfg.StateDir); err != nil {
		return err.Error(), "" // the log is in the same folder
	}
	if err := audit.Writable(admin.AuditDir(a.cfg.StateDir)); err != nil {
		return "", a.unaudited(err).Error()
	}
	return "", ""
}

// noted writes a row that nobody waits for. The log itself counts what it loses.
func (a *App) noted(row audit.Row) {
	if a.audit == nil {
		return
	}
	if err := a.audit.Append(row); err != nil {
		a.log.Debug().Err(err).Str("kind", string(row.Kind)).Msg("an audit row was not queued")
	}
}

// auditor writes down what calls do.
type auditor struct{ app *App }

// Begins implements [tools.Auditor].
func (o auditor) Begins(ctx context.Context, call tools.Call) error {
	return o.app.audit.AppendSync(ctx, callRow(ctx, audit.KindBegin, &call))
}

// Ended implements [tools.Auditor].
func (o auditor) Ended(ctx context.Context, call tools.Call, end tools.Ending) {
	row := callRow(ctx, audit.KindCall, &call)
	row.Outcome, row.Detail = "ok", end.Reason
	switch {
	case end.Failure != "":
		row.Outcome = string(end.Failure)
	case end.Memory:
		row.Outcome = "memory"
	case end.Asked:
		row.Outcome = "asked"
	case end.Async:
		row.Outcome = "async"
	}
	switch {
	case !end.Ran && !end.Memory && !end.Asked:
		row.Kind = audit.KindRefused
	case end.Background:
		row.Detail = "work in the background ended"
	}
	o.app.noted(row)
}

// notedApproval writes down a question, or what was pressed below it.
func (a *App) notedApproval(q session.Approval, by channels.Sender, what string) {
	outcome, _, _ := strings.Cut(what, " ")
	a.noted(audit.Row{
		Kind: audit.KindApproval, Channel: q.Address.Channel, Account: q.Address.Account, Chat: q.Address.Chat, Thread: q.Address.Thread,
		Sender: by.ID, Turn: q.Turn, Tool: q.Tool, Call: q.Call, Outcome: strings.TrimSuffix(outcome, ":"), Detail: "approval " + q.ID + ": " + what,
	})
	if strings.HasPrefix(what, "allowed here") {
		a.noted(admin.GrantRow(&session.Grant{Address: q.Address, Tool: q.Tool, Person: q.Requester, Approval: q.ID}, "granted"))
	}
}

func callRow(ctx context.Context, kind audit.Kind, call *tools.Call) audit.Row {
	inv := tools.InvocationFrom(ctx)
	return audit.Row{
		Kind: kind, Channel: inv.Channel, Account: inv.Account, Chat: inv.Chat, Thread: inv.Thread,
		Sender: inv.Sender, Turn: inv.Turn, Tool: call.Name, Call: call.ID,
	}
}

// processRow is the row of a gateway's start or stop.
func processRow(kind audit.Kind) audit.Row {
	return audit.Row{Kind: kind, Detail: fmt.Sprintf("gateway %s, process %d", version(), os.Getpid())}
}
