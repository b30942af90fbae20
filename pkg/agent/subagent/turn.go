package subagent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/failpoint"
	"parley/pkg/agent/approval"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// agentPrompt tells an agent its part.
const agentPrompt = "You are a background agent. The assistant of a chat gave you the task that follows; " +
	"you see nothing else of that conversation. " +
	"Nobody can be asked anything: decide for yourself, and say what you took for granted. You send no messages. " +
	"Your final answer is your report to the assistant: all that was asked for, complete and short."

// agentTurn is a turn in the conversation of a background agent: its work, or a decision
// on one of its calls.
type agentTurn struct {
	turn.Message
	agents    *Agents
	approvals *approval.Approvals

	task   *session.Task
	handle *Handle
	seat   *Seat // its place among the agents at work
	// waiting says that the turn ends and its task goes on: a person is asked.
	waiting bool
}

// Kind is the row of turns of background agents, whose calls approvals ask people about.
func (a *Agents) Kind(approvals *approval.Approvals) turn.Kind {
	return turn.Kind{
		Fits: func(info *session.TurnInfo) bool { return info.Address.Channel == session.AgentChannel },
		Handler: func(t *turn.Turn) turn.Handler {
			return &agentTurn{Message: turn.Message{T: t}, agents: a, approvals: approvals}
		},
		Purpose: session.ForBackground, Late: turn.WrittenLate,
	}
}

// Begin finds out whether the agent's task still runs, and for whom.
func (h *agentTurn) Begin(ctx context.Context) (turn.Input, error) {
	if err := h.load(ctx); err != nil {
		return turn.Input{}, err
	}
	items, err := h.T.Admit(ctx)
	if err != nil {
		return turn.Input{}, err
	}
	if d, ok := approval.ParseDecision(&items[0]); ok {
		return h.decide(ctx, d)
	}
	h.T.Take(items)
	return h.input(turn.Input{Items: items}), nil
}

// load reads the task. It returns [turn.ErrDone] when the task is over, and the turn with it.
func (h *agentTurn) load(ctx context.Context) error {
	t, handle, err := h.agents.Open(ctx, h.T.Info.Address.Chat)
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrCorrupt) {
		h.agents.o.Work.Close(h.T.Info.Address.Chat)
		return turn.Done(h.T.Stored.Commit(ctx, session.Commit{Outcome: session.OutcomeStopped, Reason: "the agent's task is gone"}))
	}
	if err != nil {
		return err
	}
	h.task, h.handle, h.T.Tasks.Depth, h.T.Tasks.Deadline = &t, handle, t.Depth, t.Deadline
	h.T.WorkFor(turn.Origin{Address: h.agents.present(ctx, t.Address), Chat: t.Chat, Session: t.Session})
	if t.State != session.TaskRunning {
		return turn.Done(h.afterTheEnd(ctx))
	}
	h.T.Provenance.AddOrigin(t.Principal.Follows, t.Tainted)
	h.T.Provenance.AskedBySeveral(t.Principal.Several)
	if !t.Tainted { // content from outside had no hand in the task's words
		h.T.Provenance.AddNamed(task.BriefOf(&t).Task)
	}
	return nil
}

// input completes the agent's input.
func (h *agentTurn) input(in turn.Input) turn.Input {
	failpoint.Hit("T3")
	in.Closing = agentPrompt
	in.Task, in.Mute, in.Check, in.Event, in.Over, in.Place = h.task, errSpeaks(), h.mayCall, h.tellSteps, h.handle.Context(), h.seat
	return in
}

// Offers has the tools of the agent's depth.
func (h *agentTurn) Offers(tool string) bool {
	return h.agents.o.Limits.Offered(tool, h.task.Depth)
}

// afterTheEnd ends a turn of an agent after the end of its task. A decision that came for
// the agent closes its question without the call.
func (h *agentTurn) afterTheEnd(ctx context.Context) error {
	c := session.Commit{Outcome: session.OutcomeStopped, Reason: turn.ErrTaskOver.Error()}
	if h.task.State == session.TaskCancelled || h.task.State == session.TaskTimedOut {
		c.Spent = h.T.Usage.Spent() // any other end was that of an agent's turn, and has counted it
	}
	if d, ok := approval.ParseDecision(&h.T.Info.Items[0]); ok {
		if err := h.closeLate(ctx, d, &c); err != nil {
			return err
		}
	}
	return h.T.Stored.Commit(ctx, c)
}

// closeLate closes the question of a decision that came after the end of the task.
func (h *agentTurn) closeLate(ctx context.Context, d approval.Decision, c *session.Commit) error {
	a, err := h.agents.o.Store.Approval(ctx, d.Approval)
	if errors.Is(err, session.ErrNotFound) || err == nil && (a.Task != h.task.ID || a.State != session.ApprovalOpen) {
		return nil
	}
	if err != nil {
		return err
	}
	by := channels.Sender{}
	if press := h.T.Info.Items[0].Inbound; press != nil {
		by = press.Sender
	}
	o := h.T.Outbound(h.T.Info.ID+"/decided/0", h.approvals.EndedWithTask(&a, by, h.T.Info.ID), "")
	o.Finishes = a.Question
	c.Approvals, c.Outbox = append(c.Approvals, a), append(c.Outbox, o)
	return nil
}

// mayCall holds each call of an agent against the present rights of its creator.
func (h *agentTurn) mayCall(ctx context.Context, req *tools.ToolRequest) error {
	who, refused := h.T.Deps.Rights.Of(ctx, h.creation())
	if refused != "" || !who.Level.Allows(policy.Level(req.Annotations.Level)) {
		return tools.Fail(tools.ErrPermissionDenied, "whoever asked for this task may not use "+req.Tool+" any more", nil)
	}
	return nil
}

// creation is an item with the request of the task's creator.
func (h *agentTurn) creation() session.Item {
	return session.Item{Kind: session.ItemSpawn, Address: h.T.Info.Address, TaskID: h.task.ID}
}

// Reply is the agent's report, or the reason for which there is none.
func (h *agentTurn) Reply(ctx context.Context, e *turn.Result) (turn.Reply, error) {
	switch e.Kind {
	case turn.Finished:
		return h.report(ctx, e)
	case turn.Refused:
		return turn.Reply{}, h.refused(ctx, e)
	case turn.Lost:
		if err := h.load(ctx); err != nil {
			return turn.Reply{}, err
		}
		if d, ok := approval.ParseDecision(&h.T.Info.Items[0]); ok {
			if re, ok := h.approvals.GivenUp(ctx, h.T, d, e.Reason); ok {
				return re, nil
			}
		}
		return h.SetAside(e, textTaskLost), nil
	default:
		return h.Message.Reply(ctx, e)
	}
}

// report is the reply of an agent that the model brought to its end.
func (h *agentTurn) report(ctx context.Context, e *turn.Result) (turn.Reply, error) {
	res, text := e.Loop, strings.TrimSpace(e.Loop.Content)
	re := turn.Reply{Commit: session.Commit{
		Outcome: session.OutcomeAnswered, Messages: e.Messages,
	}}
	reason, person := "", ""
	switch {
	case res.Asked:
		h.waiting = true
		return re, nil
	case res.FinishReason == providers.FinishContentFilter && text == "":
		reason, person = turn.Filtered()
	case res.LimitReached && text == "":
		reason, person = "step limit", fmt.Sprintf(textTaskSteps, res.Iterations-1)
	case text == "":
		reason, person = "empty report", textTaskNoReport
	case res.LimitReached:
		text += fmt.Sprintf(textTaskStepsNote, res.Iterations-1)
	case res.FinishReason == providers.FinishLength:
		text += textTaskCutOff
	case res.FinishReason == providers.FinishContentFilter:
		text += textTaskFiltered
	}
	if reason != "" {
		return h.Reply(ctx, h.T.Failure(e.Messages, reason, person))
	}
	re.Text = text
	return re, nil
}

// Commit stores the end of an agent's turn. The task ends before it: where the process
// dies in between, the next attempt finds that out.
func (h *agentTurn) Commit(ctx context.Context, re turn.Reply) error {
	c := re.Commit
	if h.task == nil { // it was not even read
		return h.T.Stored.Commit(ctx, c)
	}
	end := session.Completion{State: session.TaskDone, Result: re.Text, Tainted: h.T.Provenance.Tainted()}
	switch c.Outcome {
	case session.OutcomeFailed, session.OutcomeQuarantined:
		end.State = session.TaskFailed
		end.Result = fmt.Sprintf(textTaskFailed, task.Name(h.task), re.Text)
	case session.OutcomeStopped: // the end of the task has said so
		h.waiting = true
	default:
	}
	if h.waiting {
		c.Spent = h.T.Usage.Spent()
	} else if err := h.endTask(ctx, &c, end); err != nil {
		return err
	}
	turn.Keep(h.T, &c)
	c.Approvals = append(c.Approvals, h.T.Questions.Tainted(h.T.Provenance)...)
	if err := h.T.Stored.Commit(ctx, c); err != nil {
		return err
	}
	if h.waiting {
		put := h.T.Questions.Put()
		for i := range put {
			h.agents.watchQuestion(ctx, &put[i])
		}
	}
	return nil
}

// refused ends the task of people who have lost the right to ask for it. It returns
// [turn.ErrDone].
func (h *agentTurn) refused(ctx context.Context, e *turn.Result) error {
	c := session.Commit{Outcome: session.OutcomeFailed, Reason: e.Reason}
	text := fmt.Sprintf(textTaskRefused, task.Name(h.task))
	end := session.Completion{State: session.TaskFailed, Result: text, Tainted: h.T.Provenance.Tainted()}
	if !h.task.Waited { // no turn would be allowed to tell it
		end.Outbox = append(end.Outbox, h.T.Outbound(session.TaskReportID(h.task.ID), text, ""))
	}
	if err := h.endTask(ctx, &c, end); err != nil {
		return err
	}
	return turn.Done(h.T.Stored.Commit(ctx, c))
}

// endTask ends the task of an agent just before the commit of its turn. The end stores
// the turn's use of the model, so that it counts before the report is read. If the task
// was ended elsewhere, the commit stores the use.
func (h *agentTurn) endTask(ctx context.Context, c *session.Commit, end session.Completion) error {
	end.Spent, end.Turn = h.T.Usage.Spent(), h.T.Info.ID
	first, err := h.agents.End(ctx, h.task, end)
	c.Spent, c.Counted = end.Spent, first
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// tellSteps tells how far the agent is.
func (h *agentTurn) tellSteps(e *tools.Event) {
	var line string
	switch e.Kind {
	case tools.EventExecuting:
		line = fmt.Sprintf(textTaskStep, e.Round, e.Tool)
	case tools.EventProgress:
		line = e.Text
	default: // its words are seen when it reports
		return
	}
	h.handle.Report(line)
	h.agents.o.Work.ShowProgress(h.task.ID, line)
}

// present is the address that a chat has now.
func (a *Agents) present(ctx context.Context, at channels.Address) channels.Address {
	if info, err := a.o.Chat(ctx, at); err == nil {
		return info.Address
	}
	return at
}

func errSpeaks() error {
	return tools.Fail(tools.ErrPermissionDenied, "a background agent sends nothing: what it has to say stands in its report", nil)
}
