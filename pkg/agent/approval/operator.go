package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/session"
)

// Decide takes the operator's decision on a question, given outside of its chat. The first
// decision counts: a second one that differs is an error that says so.
// [session.ErrNotFound]: there is no such question.
func (p *Approvals) Decide(ctx context.Context, d session.Decision) error {
	a, err := p.o.Store.Approval(ctx, d.Approval)
	if err != nil {
		return err
	}
	if a.State != session.ApprovalOpen {
		return fmt.Errorf("approval %s is already decided: %s", a.ID, a.State)
	}
	if d.Here && !a.Grantable { // its item would take the place of a decision that counts
		return fmt.Errorf("approval %s: calls of %s can only be allowed one at a time", a.ID, a.Call.Tool)
	}
	item := session.Item{
		ID: session.DecisionItemID(a.ID), Kind: session.ItemDecision, Address: a.Address, Decision: &d, Solo: true, Time: time.Now(),
	}
	if err := p.o.Inbox.Append(ctx, []session.Item{item}, nil); err != nil {
		return err
	}
	return p.counts(ctx, &a, &item)
}

// counts is nil where the decision that was stored for a question is the one of item: the
// store swallows a second one.
func (p *Approvals) counts(ctx context.Context, a *session.Approval, item *session.Item) error {
	for _, id := range []string{item.ID, handedOn(item, a).ID} {
		first, err := p.o.Inbox.Waits(ctx, id)
		switch {
		case errors.Is(err, session.ErrNotFound):
		case err != nil:
			return err
		case first.Decision != nil && *first.Decision == *item.Decision:
			return nil
		default:
			return fmt.Errorf("approval %s was %s before: the first decision counts, and the chat carries it out next",
				a.ID, participle(first.Decision))
		}
	}
	// A turn has heeded the decision by now.
	now, err := p.o.Store.Approval(ctx, a.ID)
	if err != nil {
		return err
	}
	if now.State == session.ApprovalAllowed && !item.Decision.Allow || now.State == session.ApprovalDenied && item.Decision.Allow {
		return fmt.Errorf("approval %s is already decided: %s", a.ID, now.State)
	}
	return nil
}

func participle(d *session.Decision) string {
	if d != nil && d.Allow {
		return "approved"
	}
	return "refused"
}
