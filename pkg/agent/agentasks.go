package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/agent/approval"
	"parley/pkg/agent/named"
	"parley/pkg/agent/trust"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// A call of a background agent that needs a person's permission is asked about in its
// home. A press there is checked as any is, and handed on: it becomes an item of the
// agent's conversation; that turn decides, runs the stored call and goes on. The task
// stays open meanwhile.

// handOn takes a decision on a question of an agent, in the chat that was asked.
func (h *decisionTurn) handOn(ctx context.Context, d *decision) error {
	a, by := d.approval, d.decider()
	if a.State != session.ApprovalOpen && a.Answer.By.ID == by.ID && !h.word.operator {
		return h.T.Commit(ctx, turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}}) // it was handed on while another turn ran
	}
	if why := notTheirs(h.word, a, &h.T.Principal); why != "" {
		h.a.o.OnApproval(approval.Event{Approval: *a, By: by, Outcome: approval.Refused, Detail: "refused: " + why})
		return h.T.Commit(ctx, d.closed(verdict{text: why}))
	}
	t, err := h.a.o.Engine.Tasks().Task(ctx, a.Task)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return err
	}
	if err != nil || t.State != session.TaskRunning {
		v, err := d.void(ctx, by, textApprovalTaskEnded)
		if err != nil {
			return err
		}
		return h.T.Commit(ctx, d.closed(v))
	}
	if err := h.a.o.Engine.Inbox().Append(ctx, []session.Item{handedOn(&h.T.Info.Items[0], a)}, nil); err != nil {
		return err
	}
	return h.T.Commit(ctx, turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}})
}

// Arrived hands on a press while a turn runs: the turn may wait for just that. The
// press's own turn finds it done.
func (p approvals) Arrived(ctx context.Context, t *turn.Turn, it *session.Item) {
	w, ok := wordOf(it)
	if !ok || it.Address.Channel == session.AgentChannel { // it was handed on
		return
	}
	a, err := p.a.o.Engine.Approvals().Approval(ctx, w.id)
	if err != nil || a.Task == "" || a.Chat != t.Origin.Chat {
		return
	}
	who, refused := t.Deps.Rights.Of(ctx, *it)
	if refused != "" || notTheirs(w, &a, &who) != "" {
		return
	}
	if err := p.a.o.Engine.Inbox().Append(ctx, []session.Item{handedOn(it, &a)}, nil); err != nil {
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

// notTheirs says why somebody's word on a question does not count, "" where it does.
func notTheirs(w word, a *session.Approval, who *trust.Principal) string {
	switch {
	case a.State != session.ApprovalOpen:
		return fmt.Sprintf(textApprovalDecided, a.ID, a.State)
	case !w.operator && !who.Owner && who.Sender.ID != a.Principal.Sender.ID:
		return fmt.Sprintf(textNotYourApproval, named.Person(a.Principal.Sender), a.ID)
	case w.word == allowHere && !a.Grantable:
		return fmt.Sprintf(textOnlyOnce, a.Call.Tool)
	default:
		return ""
	}
}

// decide takes a decision on a question of the agent, and returns the agent's text
// about it.
func (h *agentTurn) decide(ctx context.Context, w word) (turn.Input, error) {
	a, err := h.a.o.Engine.Approvals().Approval(ctx, w.id)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return turn.Input{}, err
	}
	if err != nil || a.Chat != h.T.Origin.Chat || a.Task != h.task.ID {
		return turn.Input{}, h.skip(ctx)
	}
	d := decision{t: h.T, a: h.a, word: w, approval: &a}
	var v verdict
	switch {
	case a.State == session.ApprovalAllowed && a.Answer.Turn == h.T.Info.ID: // by an earlier attempt at this turn
		v, err = d.again(ctx)
	case a.Answer.Turn == h.T.Info.ID:
		return h.afterNo(ctx, &a)
	default:
		late := tooLate(&a)
		if w.operator {
			late = fmt.Sprintf(textApprovalNoAnswer, a.ID)
		}
		v, err = d.take(ctx, h.T.Info.Items[0].Time, late) // the press may have waited for the agent
	}
	switch {
	case err != nil:
		return turn.Input{}, err
	case v.kind == verdictAllowed:
		return h.input(d.input()), nil
	case v.kind == verdictRefused:
		return turn.Input{}, h.skip(ctx)
	default:
		return h.close(ctx, &a, v.text)
	}
}

// skip ends a turn of an agent's conversation that had no effect. It returns
// [turn.ErrDone].
func (h *agentTurn) skip(ctx context.Context) error {
	return turn.Done(h.T.Stored.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Reason: "a decision that counts no more"}))
}

// markVoid makes a question one that can no longer be answered.
func (h *agentTurn) markVoid(a *session.Approval, press *channels.Inbound, why string) {
	if press != nil {
		a.Answer.By = press.Sender
	}
	a.Answer.At, a.Answer.Turn, a.State, a.Answer.Reason = time.Now(), h.T.Info.ID, session.ApprovalVoid, why
	h.a.o.OnApproval(approval.Event{Approval: *a, By: a.Answer.By, Outcome: approval.Void, Detail: "void: " + why})
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
	return h.afterNo(ctx, a)
}

// afterNo lets the agent go on without the call. A question without an answer in time
// ends its task, unless the agent waits for another one.
func (h *agentTurn) afterNo(ctx context.Context, a *session.Approval) (turn.Input, error) {
	if a.State == session.ApprovalVoid && approval.Lapsed(a, a.Answer.At) {
		return turn.Input{}, h.nobodyDecided(ctx, a)
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
	text := decisionMark(a) + "The outcome: " + tools.ErrorText(tools.ErrApprovalDenied, why, nil) +
		"\nGo on without it, do not call it again, and report what is missing for that."
	return h.input(turn.Input{Items: decisionItem(h.T, text)}), nil
}

// nobodyDecided ends the task of an agent with a question that was not answered in
// time. It returns [turn.ErrDone].
func (h *agentTurn) nobodyDecided(ctx context.Context, a *session.Approval) error {
	all, err := h.a.o.Engine.Approvals().ApprovalList(ctx, h.T.Origin.Chat)
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
			{Role: providers.RoleUser, Content: decisionMark(a) + "The outcome: " + a.Answer.Reason}, turn.Assistant(text),
		},
	}, Text: text}))
}
