package subagent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/agent/approval"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// decide carries out a decision on a question of the agent that was handed on to it, and
// returns the agent's text about it.
func (h *agentTurn) decide(ctx context.Context, d approval.Decision) (turn.Input, error) {
	a, err := h.agents.o.Store.Approval(ctx, d.Approval)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return turn.Input{}, err
	}
	if err != nil || a.Chat != h.T.Origin.Chat || a.Task != h.task.ID {
		return turn.Input{}, h.skip(ctx)
	}
	try := h.approvals.Attempt(h.T, d, &a)
	var v approval.Verdict
	switch {
	case try.AllowedBefore():
		v, err = try.Again(ctx)
	case a.Answer.Turn == h.T.Info.ID:
		return h.goOnWithout(ctx, &a)
	default:
		late := ""
		if d.Operator {
			late = fmt.Sprintf(textApprovalNoAnswer, a.ID)
		}
		v, err = try.Take(ctx, h.T.Info.Items[0].Time, late) // the press may have waited for the agent
	}
	switch {
	case err != nil:
		return turn.Input{}, err
	case v.Kind == approval.CallRuns:
		return h.input(try.Input()), nil
	case v.Kind == approval.StaysOpen:
		return turn.Input{}, h.skip(ctx)
	default:
		return h.close(ctx, &a, v.Text)
	}
}

// skip ends a turn of an agent's conversation that had no effect. It returns
// [turn.ErrDone].
func (h *agentTurn) skip(ctx context.Context) error {
	return turn.Done(h.T.Stored.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Reason: "a decision that counts no more"}))
}

// close records a decision without a call, with a message that says so, and goes on.
func (h *agentTurn) close(ctx context.Context, a *session.Approval, text string) (turn.Input, error) {
	o := h.T.Outbound(h.T.Info.ID+"/decided/0", text, "")
	o.Finishes = a.Question
	step := session.Step{Kind: session.StepDecided, Approvals: []session.Approval{*a}, Outbox: []channels.Outbound{o}, Await: true}
	if err := h.T.Record(ctx, step); err != nil {
		return turn.Input{}, err
	}
	h.T.Info.Steps = append(h.T.Info.Steps, step)
	return h.goOnWithout(ctx, a)
}

// goOnWithout lets the agent go on without the call. A question without an answer in time
// ends its task, unless the agent waits for another one.
func (h *agentTurn) goOnWithout(ctx context.Context, a *session.Approval) (turn.Input, error) {
	if a.State == session.ApprovalVoid && approval.Lapsed(a, a.Answer.At) {
		return turn.Input{}, h.expired(ctx, a)
	}
	who, refused := h.T.Deps.Rights.Of(ctx, h.creation())
	if refused != "" {
		return turn.Input{}, h.T.Refuse(ctx, refused)
	}
	h.T.Principal = who
	h.T.Space = h.T.Deps.Space(h.T.Origin.Address, h.T.Principal.SharesSpace())
	if a.Tainted {
		h.T.Provenance.Taint()
	}
	why := "a person denied this call; it was not run"
	if a.State == session.ApprovalVoid {
		why = a.Answer.Reason
	}
	text := approval.Mark(a) + "The outcome: " + tools.ErrorText(tools.ErrApprovalDenied, why, nil) +
		"\nGo on without it, do not call it again, and report what is missing for that."
	return h.input(turn.Input{Items: approval.Items(h.T, text)}), nil
}

// expired ends the task of an agent with a question that was not answered in
// time. It returns [turn.ErrDone].
func (h *agentTurn) expired(ctx context.Context, a *session.Approval) error {
	all, err := h.agents.o.Store.ApprovalList(ctx, h.T.Origin.Chat)
	if err != nil {
		return err
	}
	for i := range all {
		if q := &all[i]; q.Task == h.task.ID && q.State == session.ApprovalOpen && q.ID != a.ID && !approval.Lapsed(q, time.Now()) {
			return h.skip(ctx)
		}
	}
	text := fmt.Sprintf(textTaskNeedsApproval, a.Call.Tool)
	return turn.Done(h.T.Commit(ctx, turn.Reply{Commit: session.Commit{
		Outcome: session.OutcomeFailed, Reason: "an approval was not given in time",
		Messages: []providers.Message{
			{Role: providers.RoleUser, Content: approval.Mark(a) + "The outcome: " + a.Answer.Reason}, turn.Assistant(text),
		},
	}, Text: text}))
}
