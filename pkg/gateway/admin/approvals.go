package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/audit"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// ListApprovals emits an [ApprovalReport] of each question.
func ListApprovals() Operation { return Operation{Name: "approvals list", Handle: listApprovals} }

// AllowApproval lets one call run, once. It emits one [ApprovalReport].
func AllowApproval() Operation {
	return Operation{Name: "approvals approve", Audited: true, Handle: decide(true)}
}

// DenyApproval refuses one call. It emits one [ApprovalReport].
func DenyApproval() Operation {
	return Operation{Name: "approvals deny", Audited: true, Handle: decide(false)}
}

// ListGrants emits an [ApprovalReport] of each grant that is still good.
func ListGrants() Operation { return Operation{Name: "approvals grants", Handle: listGrants} }

// RevokeGrant ends a grant. It emits one [ApprovalReport].
func RevokeGrant() Operation {
	return Operation{Name: "approvals revoke", Audited: true, Handle: revokeGrant}
}

func listApprovals(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
	all, err := g.Engine.Approvals().ApprovalList(ctx, "")
	if err != nil {
		return err
	}
	for i := range all {
		if err := emit(newApprovalReport(&all[i])); err != nil {
			return err
		}
	}
	return nil
}

func listGrants(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
	grants, err := g.Engine.Approvals().Grants(ctx, "")
	if err != nil {
		return err
	}
	for i := range grants {
		if !time.Now().Before(grants[i].Expires) {
			continue
		}
		if err := emit(newGrantReport("granted", &grants[i])); err != nil {
			return err
		}
	}
	return nil
}

func revokeGrant(ctx context.Context, g *Gateway, r *Request, emit Emit) error {
	grant, err := g.Engine.Approvals().RevokeGrant(ctx, r.Approval)
	if errors.Is(err, session.ErrNotFound) {
		return fmt.Errorf(textNoGrant, r.Approval, Program())
	}
	if err != nil {
		return err
	}
	g.Note(GrantRow(&grant, "revoked"))
	return emit(newGrantReport("revoked", &grant))
}

// GrantRow is the row of the audit log about a grant that was given or revoked.
func GrantRow(g *session.Grant, outcome string) audit.Row {
	return audit.Row{
		Kind: audit.KindGrant, Channel: g.Address.Channel, Account: g.Address.Account, Chat: g.Address.Chat, Thread: g.Address.Thread,
		Sender: g.Person.ID, Tool: g.Tool, Outcome: outcome, Detail: "approval " + g.Approval,
	}
}

// ApprovalReport is one value of the answer to the operations on approvals.
type ApprovalReport struct {
	ID string `json:"id"`
	// State is open, expired, allowed, denied or void; approved or refused where the
	// operator has just said so, and the chat has yet to heed it; granted or revoked of
	// a grant.
	State string `json:"state"`
	Tool  string `json:"tool"`
	Chat  string `json:"chat"`
	Who   string `json:"who"`
	By    string `json:"by,omitempty"`
	// Until is when the question, or the grant, expires.
	Until time.Time `json:"until"`
	// Text is all of the call; of a question only. Grantable says that the tool's later calls
	// can be allowed with it.
	Text      string `json:"text,omitempty"`
	Grantable bool   `json:"grantable,omitempty"`
}

// decide queues the operator's decision; the chat's next turn follows it.
func decide(allow bool) handler {
	return func(ctx context.Context, g *Gateway, r *Request, emit Emit) error {
		return queueDecision(ctx, g, session.Decision{Approval: r.Approval, Allow: allow, Here: allow && r.Here}, emit)
	}
}

func queueDecision(ctx context.Context, g *Gateway, d session.Decision, emit Emit) error {
	q, err := g.Engine.Approvals().Approval(ctx, d.Approval)
	if errors.Is(err, session.ErrNotFound) {
		return fmt.Errorf(textNoApproval, d.Approval, Program())
	}
	if err != nil {
		return err
	}
	r := newApprovalReport(&q)
	if r.State == "expired" {
		return fmt.Errorf(textApprovalExpired, d.Approval)
	}
	if err := g.Agent.Approvals().Decide(ctx, d); err != nil {
		return err
	}
	r.State = "refused"
	if d.Allow {
		r.State = "approved"
	}
	return emit(r)
}

func newApprovalReport(q *session.Approval) ApprovalReport {
	state := string(q.State)
	if q.State == session.ApprovalOpen && !time.Now().Before(q.Expires) {
		state = "expired"
	}
	return ApprovalReport{
		ID: q.ID, State: state, Tool: q.Call.Tool, Chat: policy.Place(q.Address).String(),
		Who: q.Principal.Sender.Name + " " + q.Principal.Sender.ID,
		By:  q.Answer.By.Name, Until: q.Expires, Text: q.Text, Grantable: q.Grantable,
	}
}

func newGrantReport(state string, g *session.Grant) ApprovalReport {
	return ApprovalReport{
		ID: g.ID, State: state, Tool: g.Tool, Chat: policy.Place(g.Address).String(), Who: g.Person.Name + " " + g.Person.ID, Until: g.Expires,
	}
}
