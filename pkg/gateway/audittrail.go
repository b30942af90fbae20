package gateway

import (
	"context"
	"fmt"
	"os"

	"github.com/rs/zerolog"

	"parley/pkg/agent/approval"
	"parley/pkg/audit"
	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/tools"
)

// auditTrail writes the rows of a gateway to the audit log. A nil one writes no rows.
type auditTrail struct {
	log      *audit.Log
	stateDir string
	logger   zerolog.Logger
}

var _ tools.Auditor = (*auditTrail)(nil)

// openAuditTrail opens the audit log in a state folder. The holder of the store is its
// only writer.
func openAuditTrail(stateDir string, redact func(string) string, logger zerolog.Logger) (*auditTrail, error) {
	log, err := audit.Open(audit.Options{Dir: admin.AuditDir(stateDir), Redact: redact, Log: logger})
	if err != nil {
		return nil, admin.StoreError(bolt.DirError(admin.AuditDir(stateDir), err))
	}
	return &auditTrail{log: log, stateDir: stateDir, logger: logger}, nil
}

// close writes down the rows that wait. Its error says why rows are missing.
func (t *auditTrail) close() error {
	if t == nil {
		return nil
	}
	if err := t.log.Close(); err != nil {
		return admin.WithCode(admin.CodeFailed, unaudited(t.stateDir, err))
	}
	return nil
}

// trouble says why the log cannot be written; "" is no reason.
func (t *auditTrail) trouble() string {
	if err := t.log.Err(); err != nil {
		return unaudited(t.stateDir, err).Error()
	}
	return ""
}

// unaudited is an error of writing the audit log with its cure.
func unaudited(stateDir string, err error) error {
	return fmt.Errorf("the audit log cannot be written: %w", bolt.DirError(admin.AuditDir(stateDir), err))
}

// unwritable says why a gateway that started now could not write: "" for no reason.
func unwritable(stateDir string) (store, log string) {
	if err := bolt.Writable(stateDir); err != nil {
		return err.Error(), "" // the log is in the same folder
	}
	if err := audit.Writable(admin.AuditDir(stateDir)); err != nil {
		return "", unaudited(stateDir, err).Error()
	}
	return "", ""
}

// note writes a row without waiting for it. The log itself counts the rows it loses.
func (t *auditTrail) note(row audit.Row) {
	if t == nil {
		return
	}
	if err := t.log.Append(row); err != nil {
		t.logger.Debug().Err(err).Str("kind", string(row.Kind)).Msg("an audit row was not queued")
	}
}

// Begins implements [tools.Auditor].
func (t *auditTrail) Begins(ctx context.Context, call tools.Call) error {
	return t.log.AppendSync(ctx, callRow(ctx, audit.KindBegin, &call))
}

// Ended implements [tools.Auditor].
func (t *auditTrail) Ended(ctx context.Context, call tools.Call, end tools.Ending) {
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
	t.note(row)
}

// approval writes down a question, or the answer to it.
func (t *auditTrail) approval(e approval.Event) {
	q := &e.Approval
	t.note(audit.Row{
		Kind: audit.KindApproval, Channel: q.Address.Channel, Account: q.Address.Account, Chat: q.Address.Chat, Thread: q.Address.Thread,
		Sender: e.By.ID, Turn: q.Call.Turn, Tool: q.Call.Tool, Call: q.Call.ID,
		Outcome: string(e.Outcome), Detail: "approval " + q.ID + ": " + e.Detail,
	})
	if e.Granted {
		t.note(admin.GrantRow(&session.Grant{Address: q.Address, Tool: q.Call.Tool, Person: q.Principal.Sender, Approval: q.ID}, "granted"))
	}
}

// revoked writes down that a person ended a grant in its chat.
func (t *auditTrail) revoked(g session.Grant, by channels.Sender) {
	row := admin.GrantRow(&g, "revoked")
	row.Detail += ", by " + by.ID
	t.note(row)
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
	return audit.Row{Kind: kind, Detail: fmt.Sprintf("gateway %s, process %d", Version(), os.Getpid())}
}
