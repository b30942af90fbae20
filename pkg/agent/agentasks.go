package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/agent/trust"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// What a background agent may do only after a person has allowed it is asked about
// in its home. A press there is checked as any is, and handed on: it becomes an item
// of the agent's conversation, whose turn decides, runs the stored call and goes on.
// The task stays open meanwhile.

// overText is what a person is told whose press came after the task's end.
const overText = "The background task that asked for this has ended. The call was not run."

// onBehalf names the task whose agent asks.
func (r *run) onBehalf() string {
	if r.task == nil {
		return ""
	}
	return " for the background task " + taskName(r.task)
}

// handOn takes a decision on a question of an agent, in the chat that was asked.
func (r *run) handOn(ctx context.Context, w word, a *session.Approval) error {
	by := r.decider(w)
	if a.State != session.ApprovalOpen && a.By.ID == by.ID && !w.operator {
		return r.commit(ctx, session.Commit{Outcome: session.OutcomeAnswered}, "") // it was handed on while another turn ran
	}
	if why := notTheirs(w, a, &r.principal); why != "" {
		return r.refuse(ctx, a, by, why)
	}
	t, err := r.a.o.Engine.Task(ctx, a.Task)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return err
	}
	if err != nil || t.State != session.TaskRunning {
		return r.void(ctx, a, by, overText)
	}
	if err := r.a.o.Engine.Append(ctx, []session.Item{handedOn(&r.info.Items[0], a)}, nil); err != nil {
		return err
	}
	return r.commit(ctx, session.Commit{Outcome: session.OutcomeAnswered}, "")
}

// handsOn hands on a press while a turn runs: that may be what the turn waits for.
// The press's own turn finds it done.
func (r *run) handsOn(ctx context.Context, it *session.Item) {
	w, ok := wordOf(it)
	if !ok || r.task != nil {
		return
	}
	a, err := r.a.o.Engine.Approval(ctx, w.id)
	if err != nil || a.Task == "" || a.Chat != r.chat {
		return
	}
	who, refused := r.a.rights.Of(ctx, *it)
	if refused != "" || notTheirs(w, &a, &who) != "" {
		return
	}
	if err := r.a.o.Engine.Append(ctx, []session.Item{handedOn(it, &a)}, nil); err != nil {
		r.log().Error().Err(err).Str("approval", a.ID).Msg("a decision could not be handed on; its own turn does that")
	}
}

// handedOn is a decision as an agent's conversation gets it, once.
func handedOn(it *session.Item, a *session.Approval) session.Item {
	return session.Item{
		ID: "agent/" + it.ID, Kind: session.ItemDecision, Address: session.AgentAddress(a.Task),
		Inbound: it.Inbound, Decision: it.Decision, Solo: true, Time: it.Time,
	}
}

// notTheirs says why somebody's word on a question does not count, "" where it does.
func notTheirs(w word, a *session.Approval, who *trust.Principal) string {
	switch {
	case a.State != session.ApprovalOpen:
		return fmt.Sprintf("Approval %s was decided already: %s.", a.ID, a.State)
	case !w.operator && !who.Owner && who.Sender.ID != a.Requester.ID:
		return fmt.Sprintf("Only %s or an owner can decide on approval %s.", nameOf(a.Requester), a.ID)
	case w.word == allowHere && !a.Grantable:
		return fmt.Sprintf("Calls of %s can be allowed only once.", a.Tool)
	default:
		return ""
	}
}

// passOver ends a turn of an agent's conversation that changed nothing.
func (r *run) passOver(ctx context.Context) error {
	return r.t.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Reason: "a decision that counts no more"})
}

// markVoid makes a question one that nobody can answer any more.
func (r *run) markVoid(a *session.Approval, press *channels.Inbound, why string) {
	if press != nil {
		a.By = press.Sender
	}
	a.Decided, a.DecidedTurn, a.State, a.Reason = time.Now(), r.info.ID, session.ApprovalVoid, why
	r.a.o.Noted(*a, a.By, "void: "+why)
}

// closeForAgent records a decision without a call, whose message says so, and goes on.
func (r *run) closeForAgent(ctx context.Context, a *session.Approval, text string) error {
	o := r.outbound(r.info.ID+"/decided/0", text, "")
	o.Finishes = a.Question
	step := session.Step{Kind: session.StepDecided, Approvals: []session.Approval{*a}, Outbox: []channels.Outbound{o}, Await: true}
	if err := r.steps.record(ctx, step); err != nil {
		return err
	}
	r.info.Steps = append(r.info.Steps, step)
	return r.afterNo(ctx, a)
}

// afterNo lets the agent go on without the call. A question that nobody answered in
// time ends its task, unless the agent waits for another one.
func (r *run) afterNo(ctx context.Context, a *session.Approval) error {
	if a.State == session.ApprovalVoid && lapsed(a, a.Decided) {
		return r.nobodyDecided(ctx, a)
	}
	who, refused := r.a.rights.Of(ctx, r.creation())
	if refused != "" {
		return r.notAllowed(ctx, refused)
	}
	r.principal = who
	r.space = r.a.o.Space(r.home, r.principal.SharesSpace())
	if a.Tainted {
		r.provenance.Taint()
	}
	why := "a person denied this call; it was not run"
	if a.State == session.ApprovalVoid {
		why = a.Reason
	}
	text := decisionMark(a) + "The outcome: " + tools.ErrorText(tools.ErrApprovalDenied, why, nil) +
		"\nGo on without it, do not call it again, and report what is missing for that."
	return r.answer(ctx, []session.Item{{Kind: session.ItemDecision, Address: r.info.Address, Text: text, Time: r.began}})
}

// nobodyDecided ends the task of an agent whose question was not answered in time.
func (r *run) nobodyDecided(ctx context.Context, a *session.Approval) error {
	all, err := r.a.o.Engine.ApprovalList(ctx, r.chat)
	if err != nil {
		return err
	}
	for i := range all {
		if q := &all[i]; q.Task == r.task.ID && q.State == session.ApprovalOpen && q.ID != a.ID && !lapsed(q, time.Now()) {
			return r.passOver(ctx)
		}
	}
	text := fmt.Sprintf("Nobody allowed %#q in time, and it could not go on without.", a.Tool)
	return r.commit(ctx, session.Commit{
		Outcome: session.OutcomeFailed, Reason: "an approval was not given in time",
		Messages: []providers.Message{
			{Role: providers.RoleUser, Content: decisionMark(a) + "The outcome: " + a.Reason}, assistant(text),
		},
	}, text)
}

// lapses sees to the end of the time in which an agent's question can be answered, or
// of its task before that.
func (a *Agent) lapses(ctx context.Context, q *session.Approval) {
	item := lapsing(q)
	wait, after := left(q.Asked, q.Expires), context.WithoutCancel(ctx)
	if lapsed(q, time.Now()) {
		wait = 0
	}
	a.tasks.mu.Lock()
	l := a.agents.lives[q.Task]
	a.tasks.mu.Unlock()
	if l == nil {
		return // the task is over
	}
	a.tasks.wg.Go(func() {
		timer := time.NewTimer(max(wait, 0))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-l.ctx.Done():
			if !errors.Is(context.Cause(l.ctx), errTaskOver) { //nolint:contextcheck // it looks at the context of the task
				return
			}
		}
		for {
			item.Time = time.Now()
			err := a.o.Engine.Append(after, []session.Item{item}, nil)
			if !errors.Is(err, session.ErrStore) || !a.tasks.pause() {
				return
			}
		}
	})
}

// lapsing is the item that ends an agent's question, when that is over.
func lapsing(q *session.Approval) session.Item {
	return session.Item{
		ID: "lapsed/" + q.ID, Kind: session.ItemDecision, Address: session.AgentAddress(q.Task),
		Decision: &session.Decision{Approval: q.ID}, Solo: true,
	}
}
