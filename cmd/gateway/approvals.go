package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// askRules are the configuration's words on which calls a person is asked about.
func askRules(t *config.Tools) policy.Approvals {
	rules := policy.Approvals{Default: policy.AskRule(t.Approval), Tools: map[string]policy.AskRule{}}
	for name, r := range t.Rules {
		if r.Approval != "" {
			rules.Tools[name] = policy.AskRule(r.Approval)
		}
	}
	return rules
}

// ownRules adds what the operator's own tools say of themselves, where the
// configuration does not. It is called before anything runs.
func ownRules(rules policy.Approvals, r *tools.ToolRegistry) {
	for _, name := range r.List() {
		t, _ := r.Get(name)
		own, ok := t.(interface{ Approval() string })
		if _, set := rules.Tools[name]; ok && !set && own.Approval() != "" {
			rules.Tools[name] = policy.AskRule(own.Approval())
		}
	}
}

// toolLevels are the levels that the operator set for single tools.
func toolLevels(t *config.Tools) map[string]tools.Level {
	levels := map[string]tools.Level{}
	for name, r := range t.Rules {
		if r.Level != "" {
			levels[name] = tools.Level(r.Level)
		}
	}
	return levels
}

// sayWaived says loudly which dangerous tools ask nobody.
func (a *App) sayWaived(rules policy.Approvals) {
	destroys := func(name string) bool {
		an, _ := a.registry.Annotations(name)
		return an.Destructive || an.Executes
	}
	for _, name := range rules.Waived(a.registry.List(), destroys) {
		if a.registry.Enabled(name) {
			a.log.Warn().Str("tool", name).Msg("nobody is asked before calls of this tool, though it destroys or executes (tools.rules)")
		}
	}
}

// canAsk says why a message with buttons would be refused.
func (a *App) canAsk(o channels.Outbound) error {
	if l := a.roster.at(o.Address); l != nil {
		return l.out.CanAsk(o)
	}
	return channels.ErrNoButtons
}

// approvalReport is one value of the answer to the operations on approvals.
type approvalReport struct {
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
	// Text is all of what would run; of a question only.
	Text string `json:"text,omitempty"`
}

// approvalOp does an operation on approvals and grants.
func (a *App) approvalOp(ctx context.Context, op, id string, emit emitter) error {
	switch op {
	case opAllow, opDeny:
		return a.decide(ctx, session.Decision{Approval: id, Allow: op == opAllow}, emit)
	case opGrants:
		grants, err := a.engine.Grants(ctx, "")
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
	case opUngrant:
		g, err := a.engine.RevokeGrant(ctx, id)
		if errors.Is(err, session.ErrNotFound) {
			return fmt.Errorf("there is no grant %s: gateway approvals grants lists them", id)
		}
		if err != nil {
			return err
		}
		a.notedGrant(&g, "revoked")
		return emit(newGrantReport("revoked", &g))
	default:
		all, err := a.engine.ApprovalList(ctx, "")
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
}

// decide queues the operator's word; the chat's next turn heeds it.
func (a *App) decide(ctx context.Context, d session.Decision, emit emitter) error {
	q, err := a.engine.Approval(ctx, d.Approval)
	if errors.Is(err, session.ErrNotFound) {
		return fmt.Errorf("there is no approval %s: gateway approvals list shows them", d.Approval)
	}
	if err != nil {
		return err
	}
	r := newApprovalReport(&q)
	if r.State == "expired" {
		return fmt.Errorf("approval %s has expired: the call is asked about again when it is wanted again", d.Approval)
	}
	if err := a.agent.Decide(ctx, d); err != nil {
		return err
	}
	r.State = "refused"
	if d.Allow {
		r.State = "approved"
	}
	return emit(r)
}

func newApprovalReport(q *session.Approval) approvalReport {
	state := string(q.State)
	if q.State == session.ApprovalOpen && !time.Now().Before(q.Expires) {
		state = "expired"
	}
	return approvalReport{
		ID: q.ID, State: state, Tool: q.Tool, Chat: policy.Place(q.Address).String(), Who: q.Requester.Name + " " + q.Requester.ID,
		By: q.By.Name, Until: q.Expires, Text: q.Text,
	}
}

func newGrantReport(state string, g *session.Grant) approvalReport {
	return approvalReport{
		ID: g.ID, State: state, Tool: g.Tool, Chat: policy.Place(g.Address).String(), Who: g.Person.Name + " " + g.Person.ID, Until: g.Expires,
	}
}

func newApprovals(h *host) *cobra.Command {
	arg := func(words []string) deskArgs { return deskArgs{Approval: words[0]} }
	c := group("approvals", "Decide on calls that wait for a person, and list or revoke what was allowed in advance",
		verb(h, "list", "List the calls that wait, and those that were decided", opApprovals, cobra.NoArgs, noArgs, showApproval),
		verb(h, "approve ID", "Let one call run, once", opAllow, cobra.ExactArgs(1), arg, showApproval),
		verb(h, "deny ID", "Refuse one call", opDeny, cobra.ExactArgs(1), arg, showApproval),
		verb(h, "grants", "List what was allowed in advance", opGrants, cobra.NoArgs, noArgs, showApproval),
		verb(h, "revoke ID", "Take back what was allowed in advance", opUngrant, cobra.ExactArgs(1), arg, showApproval))
	c.Long = `A call that overwrites, deletes or executes waits until a person has allowed it:
who asked for it or an owner, by a button below the question in the chat, or the
operator here. A question is good for ten minutes. What was allowed here for
24 hours is a grant: one tool, one person, one chat.`
	return c
}

func showApproval(w io.Writer, r approvalReport) error {
	if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\tuntil %s\n", r.ID, r.State, inCell(r.Tool), inCell(r.Chat), inCell(r.Who), r.Until.Format(time.DateTime)); err != nil {
		return err
	}
	if r.Text == "" || r.State != "open" {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s\n", channels.Visible(r.Text))
	return err
}
