package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/failpoint"
	"parley/pkg/agent/subagent"
	"parley/pkg/agent/task"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// agentPrompt tells an agent what it is.
const agentPrompt = "You are a background agent. The assistant of a chat gave you the task that follows; you see nothing else of that conversation. " +
	"Nobody can be asked anything: decide for yourself, and say what you took for granted. You send no messages. " +
	"Your final answer is your report to the assistant: all that was asked for, complete and short."

// agentTurn is a turn in the conversation of a background agent: its work, or a decision
// on a call of its.
type agentTurn struct {
	chatTurn

	task *session.Task
	life *life
	seat *subagent.Seat // its place among the agents at work
	// waiting says that the turn ends and the task does not: a person is asked.
	waiting bool
}

func isAgentTurn(info *session.TurnInfo) bool { return info.Address.Channel == session.AgentChannel }

func newAgentTurn(r *run) handler { return &agentTurn{chatTurn: chatTurn{r}} }

// begin finds out whether the agent's task still runs, and for whom.
func (h *agentTurn) begin(ctx context.Context) (input, error) {
	if err := h.load(ctx); err != nil {
		return input{}, err
	}
	items, err := h.r.admit(ctx)
	if err != nil {
		return input{}, err
	}
	if w, ok := wordOf(&items[0]); ok {
		return h.decide(ctx, w)
	}
	h.r.takes(items)
	return h.input(input{items: items}), nil
}

// load reads the task. It returns errDone when the task is over, and the turn with it.
func (h *agentTurn) load(ctx context.Context) error {
	r := h.r
	t, err := r.a.o.Engine.Tasks().Task(ctx, r.info.Address.Chat)
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrCorrupt) {
		r.a.work.Close(r.info.Address.Chat)
		return done(r.t.Commit(ctx, session.Commit{Outcome: session.OutcomeStopped, Reason: "the agent's task is gone"}))
	}
	if err != nil {
		return err
	}
	if t, h.life, err = r.a.liveNow(ctx, &t); err != nil {
		return err
	}
	h.task, r.task, r.tasks.depth, r.tasks.deadline = &t, &t, t.Depth, t.Deadline
	r.home, r.chat, r.session = r.a.present(ctx, t.Address), t.Chat, t.Session
	r.usage = r.newUsage()
	if t.State != session.TaskRunning {
		return done(h.afterTheEnd(ctx))
	}
	if t.Tainted {
		r.provenance.Taint()
	} else { // nothing from outside had a hand in the task's words
		r.provenance.AddNamed(task.BriefOf(&t).Task)
	}
	return nil
}

// input completes what the agent works on.
func (h *agentTurn) input(in input) input {
	failpoint.Hit("T3")
	in.task, in.mute, in.check, in.event, in.over, in.place = h.task, errSpeaks(), h.mayCall, h.tellSteps, h.life.ctx, h.seat
	return in
}

func (h *agentTurn) offers(tool string) bool {
	return h.r.a.o.Background.Offered(tool, h.task.Depth)
}

// afterTheEnd ends a turn of an agent whose task is over. A press that came for it
// does nothing but say so.
func (h *agentTurn) afterTheEnd(ctx context.Context) error {
	r := h.r
	c := session.Commit{Outcome: session.OutcomeStopped, Reason: task.ErrOver.Error()}
	if h.task.State == session.TaskCancelled || h.task.State == session.TaskTimedOut {
		c.Spent = r.usage.Spent() // any other end was that of an agent's turn, and has counted it
	}
	if w, ok := wordOf(&r.info.Items[0]); ok {
		a, err := r.a.o.Engine.Approvals().Approval(ctx, w.id)
		if err != nil && !errors.Is(err, session.ErrNotFound) {
			return err
		}
		if err == nil && a.Task == h.task.ID && a.State == session.ApprovalOpen {
			r.markVoid(&a, r.info.Items[0].Inbound, textApprovalTaskEnded)
			o := r.outbound(r.info.ID+"/decided/0", textApprovalTaskEnded, "")
			o.Finishes = a.Question
			c.Approvals, c.Outbox = append(c.Approvals, a), append(c.Outbox, o)
		}
	}
	return r.t.Commit(ctx, c)
}

// mayCall holds each call of an agent against the present rights of whoever asked.
func (h *agentTurn) mayCall(ctx context.Context, req *tools.ToolRequest) error {
	who, refused := h.r.a.rights.Of(ctx, h.creation())
	if refused != "" || !who.Level.Allows(policy.Level(req.Annotations.Level)) {
		return tools.Fail(tools.ErrPermissionDenied, "whoever asked for this task may not use "+req.Tool+" any more", nil)
	}
	return nil
}

// creation is an item that asks for what the task's creator asked for.
func (h *agentTurn) creation() session.Item {
	return session.Item{Kind: session.ItemSpawn, Address: h.r.info.Address, TaskID: h.task.ID}
}

// reply is the agent's report, or why there is none.
func (h *agentTurn) reply(ctx context.Context, e *ending) (reply, error) {
	switch e.how {
	case endFinished:
		return h.report(ctx, e)
	case endRefused:
		return reply{}, h.refused(ctx, e)
	case endLost:
		if err := h.load(ctx); err != nil {
			return reply{}, err
		}
		if w, ok := wordOf(&h.r.info.Items[0]); ok {
			if re, ok := w.givenUp(ctx, h.r, e); ok {
				return re, nil
			}
		}
		return h.r.setAside(e, textTaskLost), nil
	default:
		return h.r.usualReply(ctx, e)
	}
}

// report is the reply of an agent that the model brought to its end.
func (h *agentTurn) report(ctx context.Context, e *ending) (reply, error) {
	res, text := e.loop, strings.TrimSpace(e.loop.Content)
	re := reply{Commit: session.Commit{Outcome: session.OutcomeAnswered, Messages: e.messages, CompactTo: e.compactTo}}
	reason, person := "", ""
	switch {
	case res.Asked:
		h.waiting = true
		return re, nil
	case res.FinishReason == providers.FinishContentFilter && text == "":
		reason, person = filtered()
	case res.LimitReached && text == "":
		reason, person = "step limit", fmt.Sprintf(textTaskSteps, res.Iterations-1)
	case text == "":
		reason, person = "empty report", textTaskNoReport
	case res.LimitReached:
		text += fmt.Sprintf(textTaskStepsNote, res.Iterations-1)
	case res.FinishReason == providers.FinishLength:
		text += textTaskCutOff
	}
	if reason != "" {
		return h.reply(ctx, h.r.failure(e.messages, reason, person))
	}
	re.text = text
	return re, nil
}

// commit stores the end of an agent's turn. The task ends before it: where the process
// dies in between, the next attempt finds that out.
func (h *agentTurn) commit(ctx context.Context, re reply) error {
	r, c := h.r, re.Commit
	if h.task == nil { // it was not even read
		return r.t.Commit(ctx, c)
	}
	end := session.Completion{State: session.TaskDone, Result: re.text, Tainted: r.provenance.Tainted()}
	switch c.Outcome {
	case session.OutcomeFailed, session.OutcomeQuarantined:
		end.State = session.TaskFailed
		end.Result = fmt.Sprintf(textTaskFailed, task.Name(h.task), re.text)
	case session.OutcomeStopped: // whoever ended the task has said so
		h.waiting = true
	default:
	}
	if h.waiting {
		c.Spent = r.usage.Spent()
	} else if err := h.endTask(ctx, &c, end); err != nil {
		return err
	}
	c.Messages = r.historyForm(c.Messages)
	c.Approvals = append(c.Approvals, r.gate.stained()...)
	if err := r.t.Commit(ctx, c); err != nil {
		return err
	}
	if h.waiting {
		for i := range r.gate.put {
			r.a.lapses(ctx, &r.gate.put[i])
		}
	}
	return nil
}

// refused ends the task of people who may not ask for it any more. It returns errDone.
func (h *agentTurn) refused(ctx context.Context, e *ending) error {
	r, c := h.r, session.Commit{Outcome: session.OutcomeFailed, Reason: e.reason}
	text := fmt.Sprintf(textTaskRefused, task.Name(h.task))
	end := session.Completion{State: session.TaskFailed, Result: text, Tainted: r.provenance.Tainted()}
	if !h.task.Waited { // no turn would be allowed to tell it
		end.Outbox = append(end.Outbox, r.outbound(session.TaskReportID(h.task.ID), text, ""))
	}
	if err := h.endTask(ctx, &c, end); err != nil {
		return err
	}
	return done(r.t.Commit(ctx, c))
}

// endTask ends the task of an agent just before the commit of its turn. The end stores
// the turn's use of the model, so that it counts before the report is read. If the task
// was ended elsewhere, the commit stores the use.
func (h *agentTurn) endTask(ctx context.Context, c *session.Commit, end session.Completion) error {
	end.Spent = h.r.usage.Spent()
	first, err := h.r.a.endAgentTask(ctx, h.task, end)
	if !first {
		c.Spent = end.Spent
	}
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}
