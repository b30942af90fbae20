package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/pkg/audit"
	"parley/pkg/gateway/socket"
	"parley/pkg/tools"
)

// Emit takes one value of an operation's answer. After an error the handler ends.
type Emit func(any) error

// Operation is one thing that the operator can have done.
type Operation struct {
	Name string
	// Audited says that the operation makes or changes something. The audit log gets a
	// row of it.
	Audited bool
	// Handle does the operation on the parts of a gateway.
	Handle handler
	// OnFiles does the operation where no gateway runs, on the files of the state folder;
	// nil where that takes the parts of a gateway. Opening a damaged store changes it.
	OnFiles func(ctx context.Context, stateDir string, emit Emit) error
}

type handler = func(ctx context.Context, g *Gateway, r *Request, emit Emit) error

// Request is the arguments of an operation; each operation has its own of them.
type Request struct {
	// Session is an id, or a place such as console:local.
	Session string          `json:"session,omitempty"`
	Tool    string          `json:"tool,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	// Chat is where a tool is called, as a Session; "" is the console.
	Chat string `json:"chat,omitempty"`
	// Yes allows a call without a question, Shown the one of this fingerprint.
	Yes   bool   `json:"yes,omitempty"`
	Shown string `json:"shown,omitempty"`
	// Pair is a pairing code, or CHANNEL:[ACCOUNT/]ID.
	Pair string `json:"pair,omitempty"`
	// Owner gives the rights of an owner with a pairing.
	Owner bool `json:"owner,omitempty"`
	// Approval is the id of a question or of a grant.
	Approval string `json:"approval,omitempty"`
	// Here allows the later calls of an approved tool too, for its person, in that chat, for a day.
	Here bool `json:"here,omitempty"`
	// Usage tells which use is asked for.
	Usage UsageAsk `json:"usage,omitzero"`
	// Days are the last days that are asked for, today among them; 0: as many as usual.
	Days int `json:"days,omitempty"`
	// Job is the id of a job.
	Job string `json:"job,omitempty"`
	// Task is a background task's name.
	Task string `json:"task,omitempty"`
	// Wait waits until a forget is finished.
	Wait bool `json:"wait,omitempty"`
	// Token has the properties of a new token, or the id of one.
	Token *TokenRequest `json:"token,omitempty"`
}

// Operations are all operations.
func Operations() []Operation {
	return []Operation{
		Status(), Usage(), ListSessions(), ShowSession(), ExportSession(), ForgetSession(),
		ListTools(), ShowTools(), ToolStats(), CallTool(), CheckStore(), SnapshotStore(), ReleaseStore(),
		ListPairs(), ApprovePair(), RevokePairs(),
		ListApprovals(), AllowApproval(), DenyApproval(), ListGrants(), RevokeGrant(),
		ListJobs(), ShowJob(), RunJob(), PauseJob(), ResumeJob(), RemoveJob(),
		ListTasks(), ShowTask(), CancelTask(),
		CreateToken(), ListTokens(), RevokeToken(), OpenWeb(), RebuildIndex(),
	}
}

// Do does the operation of that name. Its values are JSON without the secrets that
// this process knows.
func (g *Gateway) Do(ctx context.Context, name string, r *Request, take Emit) (err error) {
	all := Operations()
	i := slices.IndexFunc(all, func(op Operation) bool { return op.Name == name })
	if i < 0 {
		g.Note(audit.Row{Kind: audit.KindOperator, Sender: operator(ctx), Outcome: "failed", Detail: name})
		return fmt.Errorf(textUnknownOperation, name)
	}
	op := all[i]
	if op.Audited {
		defer func() {
			row := operatorRow(op, r, err)
			row.Sender = operator(ctx)
			g.Note(row)
		}()
	}
	return op.Handle(ctx, g, r, func(v any) error {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return take(json.RawMessage(g.Redact(string(raw))))
	})
}

// operator is the user of the machine who has an operation done; "" where it is somebody else.
func operator(ctx context.Context) string {
	if uid, ok := socket.PeerOf(ctx); ok {
		return socket.Name(uid)
	}
	return ""
}

// operatorRow names the operation and its object. ApprovePair replaces the pairing
// code, which must not be written down, by the person it let in.
func operatorRow(op Operation, r *Request, err error) audit.Row {
	row := audit.Row{Kind: audit.KindOperator, Tool: r.Tool, Outcome: "ok", Detail: op.Name}
	switch {
	case errors.Is(err, tools.ErrAsk):
		row.Outcome = "asked"
	case err != nil:
		row.Outcome = "failed"
	}
	if r.Owner {
		row.Detail += " --owner"
	}
	if r.Token != nil {
		row.Detail += " " + strings.TrimSpace(r.Token.ID+" "+r.Token.Person)
	}
	for _, object := range []string{r.Session, r.Pair, r.Approval, r.Job, r.Task} {
		if object != "" {
			row.Detail += " " + object
		}
	}
	return row
}

// EmitTo emits values in the form in which they come over the socket.
func EmitTo(take func(json.RawMessage) error) Emit {
	return func(v any) error {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return take(raw)
	}
}
