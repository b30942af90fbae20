package approval

import (
	"context"
	"errors"

	"parley/pkg/agent/turn"
	"parley/pkg/session"
)

// A background agent's question is put in the chat that the agent works for. A decision
// there is checked as any other and handed on: it becomes an item of the agent's
// conversation, and the turn of that item carries it out. The task stays open meanwhile.

// handOn hands on a decision on a question of a background agent, in the chat that was
// asked.
func (h *decisionTurn) handOn(ctx context.Context, try *Attempt) error {
	p, a, by := h.approvals, try.approval, try.decider()
	if a.State != session.ApprovalOpen && a.Answer.By.ID == by.ID && !h.decision.Operator {
		return h.T.Commit(ctx, turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}}) // it was handed on while another turn ran
	}
	if why := h.decision.refusal(a, &h.T.Principal); why != "" {
		p.refuse(a, by, why)
		return h.T.Commit(ctx, try.closed(Verdict{Text: why}))
	}
	t, err := p.o.Task(ctx, a.Task)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return err
	}
	if err != nil || t.State != session.TaskRunning {
		v, err := try.void(ctx, by, textTaskEnded)
		if err != nil {
			return err
		}
		return h.T.Commit(ctx, try.closed(v))
	}
	if err := p.o.Inbox.Append(ctx, []session.Item{handedOn(&h.T.Info.Items[0], a)}, nil); err != nil {
		return err
	}
	return h.T.Commit(ctx, turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}})
}

// Arrived hands on a decision while a turn runs: the turn may wait for it. The decision's
// own turn finds it done.
func (p *Approvals) Arrived(ctx context.Context, t *turn.Turn, it *session.Item) {
	d, ok := ParseDecision(it)
	if !ok || it.Address.Channel == session.AgentChannel { // it was handed on
		return
	}
	a, err := p.o.Store.Approval(ctx, d.Approval)
	if err != nil || a.Task == "" || a.Chat != t.Origin.Chat {
		return
	}
	by, refused := t.Deps.Rights.Of(ctx, *it)
	if refused != "" || d.refusal(&a, &by) != "" {
		return
	}
	if err := p.o.Inbox.Append(ctx, []session.Item{handedOn(it, &a)}, nil); err != nil {
		t.Log().Error().Err(err).Str("approval", a.ID).Msg("a decision could not be handed on; its own turn does that")
	}
}

// handedOn is a decision as an agent's conversation gets it, once.
func handedOn(it *session.Item, a *session.Approval) session.Item {
	return session.Item{
		ID: session.HandedOnID(it.ID), Kind: session.ItemDecision, Address: session.AgentAddress(a.Task),
		Inbound: it.Inbound, Decision: it.Decision, Solo: true, Time: it.Time,
	}
}
