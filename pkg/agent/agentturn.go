package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// agentPrompt tells an agent what it is.
const agentPrompt = "You are a background agent. The assistant of a chat gave you the task that follows; you see nothing else of that conversation. " +
	"Nobody can be asked anything: decide for yourself, and say what you took for granted. You send no messages. " +
	"Your final answer is your report to the assistant: all that was asked for, complete and short."

// asAgent makes a turn in the conversation of an agent that agent's. It reports true
// when the task is over, and the turn with it.
func (r *run) asAgent(ctx context.Context) (bool, error) {
	if r.info.Address.Channel != session.AgentChannel {
		return false, nil
	}
	t, err := r.a.o.Engine.Task(ctx, r.info.Address.Chat)
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrCorrupt) {
		r.a.tasks.close(r.info.Address.Chat)
		return true, r.t.Commit(ctx, session.Commit{Outcome: session.OutcomeStopped, Reason: "the agent's task is gone"})
	}
	if err != nil {
		return false, err
	}
	if t, r.life, err = r.a.liveNow(ctx, &t); err != nil {
		return false, err
	}
	r.task, r.depth = &t, t.Depth
	r.home, r.chat, r.session = r.a.present(ctx, t.Address), t.Chat, t.Session
	r.usage = r.newUsage()
	if t.State != session.TaskRunning {
		return true, r.afterTheEnd(ctx)
	}
	if t.Tainted {
		r.provenance.Taint()
	} else { // nothing from outside had a hand in the task's words
		r.provenance.AddNamed(orderOf(&t).Task)
	}
	return false, nil
}

// afterTheEnd ends a turn of an agent whose task is over. A press that came for it
// does nothing but say so.
func (r *run) afterTheEnd(ctx context.Context) error {
	c := session.Commit{Outcome: session.OutcomeStopped, Reason: errTaskOver.Error()}
	if r.task.State == session.TaskCancelled || r.task.State == session.TaskTimedOut {
		c.Spent = r.usage.Spent() // any other end was that of an agent's turn, and has counted it
	}
	if w, ok := wordOf(&r.info.Items[0]); ok {
		a, err := r.a.o.Engine.Approval(ctx, w.id)
		if err != nil && !errors.Is(err, session.ErrNotFound) {
			return err
		}
		if err == nil && a.Task == r.task.ID && a.State == session.ApprovalOpen {
			r.markVoid(&a, r.info.Items[0].Inbound, overText)
			o := r.outbound(r.info.ID+"/decided/0", overText, "")
			o.Finishes = a.Question
			c.Approvals, c.Outbox = append(c.Approvals, a), append(c.Outbox, o)
		}
	}
	return r.t.Commit(ctx, c)
}

// untilOver ends the loop when the agent's task is over; the returned function ends that.
func (r *run) untilOver(cancel context.CancelCauseFunc) func() {
	if r.task == nil {
		return func() {}
	}
	stop := context.AfterFunc(r.life.ctx, func() {
		if cause := context.Cause(r.life.ctx); errors.Is(cause, errTaskOver) {
			cancel(cause)
		}
	})
	return func() { stop() }
}

// mayAgent holds each call of an agent against the present rights of whoever asked.
func (r *run) mayAgent(ctx context.Context, req *tools.ToolRequest) error {
	if r.task == nil {
		return nil
	}
	who, refused := r.a.rights.Of(ctx, r.creation())
	if refused != "" || !who.Level.Allows(policy.Level(req.Annotations.Level)) {
		return tools.Fail(tools.ErrPermissionDenied, "whoever asked for this task may not use "+req.Tool+" any more", nil)
	}
	return nil
}

// creation is an item that asks for what the task's creator asked for.
func (r *run) creation() session.Item {
	return session.Item{Kind: session.ItemSpawn, Address: r.info.Address, TaskID: r.task.ID}
}

// taskOf is the id of the task whose agent the turn is, "" for none.
func (r *run) taskOf() string {
	if r.task == nil {
		return ""
	}
	return r.task.ID
}

// finishAgent ends the turn of an agent that the model brought to its end.
func (r *run) finishAgent(ctx context.Context, c session.Commit, res *tools.ToolLoopResult) error {
	text := strings.TrimSpace(res.Content)
	switch {
	case res.Asked:
		r.waiting = true
		return r.commit(ctx, c, "")
	case res.FinishReason == providers.FinishContentFilter && text == "":
		return r.fail(ctx, c.Messages, "content filter", (&providers.Error{Kind: providers.KindFiltered}).PersonMessage())
	case res.LimitReached && text == "":
		return r.fail(ctx, c.Messages, "step limit", fmt.Sprintf("It stopped after %d steps, the limit for one task.", res.Iterations-1))
	case text == "":
		return r.fail(ctx, c.Messages, "empty report", "It gave no report.")
	case res.LimitReached:
		text += fmt.Sprintf("\n\n(It stopped after %d steps, the limit for one task.)", res.Iterations-1)
	case res.FinishReason == providers.FinishLength:
		text += "\n\n(The report was cut off: it reached the model's length limit.)"
	}
	return r.commit(ctx, c, text)
}

// endAgent commits the turn of an agent. The task ends before it: where the process
// dies in between, the next attempt finds that out.
func (r *run) endAgent(ctx context.Context, c session.Commit, text string) error {
	done := session.Completion{State: session.TaskDone, Result: text, Tainted: r.provenance.Tainted()}
	switch c.Outcome {
	case session.OutcomeFailed, session.OutcomeQuarantined:
		done.State = session.TaskFailed
		done.Result = fmt.Sprintf("The background task %s failed. %s", taskName(r.task), text)
	case session.OutcomeStopped: // whoever ended the task has said so
		r.waiting = true
	default:
	}
	if r.waiting {
		c.Spent = r.usage.Spent()
	} else if err := r.endOwnTask(ctx, &c, done); err != nil {
		return err
	}
	c.Messages = r.historyForm(c.Messages)
	c.Approvals = append(c.Approvals, r.stained()...)
	if err := r.t.Commit(ctx, c); err != nil {
		return err
	}
	if r.waiting {
		for i := range r.put {
			r.a.lapses(ctx, &r.put[i])
		}
	}
	return nil
}

// notAllowed ends the turn of people who may not ask for anything, and with it the
// task, where it is an agent's.
func (r *run) notAllowed(ctx context.Context, refused string) error {
	c := session.Commit{Outcome: session.OutcomeFailed, Reason: "not allowed: " + refused}
	if r.task == nil {
		return r.commit(ctx, c, "")
	}
	text := fmt.Sprintf("The background task %s was ended: whoever asked for it may not do so any more.", taskName(r.task))
	done := session.Completion{State: session.TaskFailed, Result: text, Tainted: r.provenance.Tainted()}
	if !r.task.Waited { // no turn would be allowed to tell it
		done.Outbox = append(done.Outbox, r.outbound("task/"+r.task.ID+"/0", text, ""))
	}
	if err := r.endOwnTask(ctx, &c, done); err != nil {
		return err
	}
	return r.t.Commit(ctx, c)
}

// endOwnTask ends the task of an agent whose turn is about to be committed. What the
// turn used is stored with that end, so that it counts before the report is read; the
// commit carries it where somebody else has ended the task.
func (r *run) endOwnTask(ctx context.Context, c *session.Commit, done session.Completion) error {
	done.Spent = r.usage.Spent()
	first, err := r.a.endAgentTask(ctx, r.task, done)
	if !first {
		c.Spent = done.Spent
	}
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// agentEnded looks whether the turn brings the result of an agent. One that has no
// report is told without the model, which may be what failed.
func (r *run) agentEnded(ctx context.Context, items []session.Item) (bool, error) {
	if len(items) != 1 || items[0].Kind != session.ItemTask {
		return false, nil
	}
	t, err := r.a.o.Engine.Task(ctx, items[0].TaskID)
	if err != nil {
		return false, err
	}
	if !t.Agent {
		return false, nil
	}
	r.report, r.depth = &t, t.Depth
	if t.State == session.TaskDone {
		return false, nil
	}
	r.report = nil // its result is all that there is to say
	return true, r.commit(ctx, session.Commit{
		Outcome: session.OutcomeAnswered, Messages: append(r.userMessages(items, nil), assistant(t.Result)),
	}, t.Result)
}

// rawReport is an agent's report as it is, for a turn that found no words of its own
// for it; "" in any other turn.
func (r *run) rawReport() string {
	if r.report == nil {
		return ""
	}
	return fmt.Sprintf("The background task %s has reported:\n\n%s", taskName(r.report), r.report.Result)
}
