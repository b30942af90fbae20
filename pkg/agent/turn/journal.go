package turn

import (
	"context"
	"fmt"

	"parley/internal/failpoint"
	"parley/pkg/agent/progress"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// journal is the [tools.Journal] of a turn's loop: it writes the turn's ledger.
type journal struct{ t *Turn }

var _ tools.Journal = journal{}

// Answered records an answer that asks for tools. A final answer is not
// recorded by itself: the commit that follows at once holds it.
func (j journal) Answered(ctx context.Context, round int, resp *providers.LLMResponse) error {
	r := j.t
	failpoint.Hit("P5")
	r.live.told.Answered(resp)
	if len(resp.ToolCalls) == 0 {
		return nil
	}
	r.live.preview.NextRound()
	return r.ledger.Record(ctx, session.Step{Kind: session.StepAnswer, Round: round, Answer: resp})
}

// Begin makes the records durable that must be before a call runs: no record for a call
// that may run again, everything so far for one that may not, and the task record for
// one that goes on in the background.
func (j journal) Begin(ctx context.Context, call tools.Call) error {
	r := j.t
	defer failpoint.Hit("P6")
	if j.rerunnable(&call) && !call.Async {
		return nil
	}
	s := session.Step{
		Kind: session.StepBegun, Round: call.Round, Await: true,
		Call: &session.CallRecord{Index: call.Index, ID: call.ID, Tool: call.Name, Rerunnable: j.rerunnable(&call)},
	}
	if call.Async {
		t := callTasks{r}.newTask(call)
		s.Call.TaskID = t.ID
		s.Tasks = []session.Task{t}
		r.Tasks.add(t)
		failpoint.Hit("T1")
		defer failpoint.Hit("T2")
	}
	return r.ledger.Record(ctx, s)
}

// rerunnable says whether a call that was begun and has not ended may run again. A call
// that a person allowed once may not, unless it only reads.
func (j journal) rerunnable(call *tools.Call) bool {
	r := j.t
	return call.Annotations.Rerunnable() && (call.Annotations.ReadOnly || !IsDecided(r, call.Key))
}

// End records a call's result together with the messages that leave because of it.
func (j journal) End(ctx context.Context, call tools.Call, result *tools.ToolResult) error {
	r := j.t
	failpoint.Hit("P8")
	s := session.Step{
		Kind: session.StepEnded, Round: call.Round,
		Call: &session.CallRecord{
			Index: call.Index, ID: call.ID, Tool: call.Name, Rerunnable: j.rerunnable(&call),
			Result: result.ForLLM, IsError: result.IsError, Outside: r.Provenance.FromOutside(call.ID, call.Annotations),
		},
	}
	if !result.Silent {
		r.live.preview.Status(progress.ResultNote(call.Name, result, r.Deps.Redact))
	}
	key := session.CallKey(call.Round, call.Index)
	if a := r.Questions.take(key); a != nil {
		s.Call.Approval = a.approval.ID
		s.Approvals, s.Outbox = []session.Approval{*a.approval}, []channels.Outbound{a.question}
		r.outgoing.note(key, a.question.Text)
		r.Deps.Approvals.Asked(a.approval)
	} else {
		r.Provenance.AddResult(call.ID, call.Annotations, result.ForLLM)
	}
	for _, q := range r.outgoing.take(key) {
		s.Outbox = append(s.Outbox, j.callOutbound(key, q))
	}
	if result.ForUser != "" && !result.Silent && r.Input.Mute == nil {
		s.Outbox = append(s.Outbox, j.callOutbound(key, queued{text: result.ForUser}))
	}
	id := callTasks{r}.id(call)
	_, begun := r.Tasks.get(id)
	if begun && !result.Async {
		// Before the step: a crash in between leaves a call with an unknown outcome,
		// not a task that its chat is told of a second time.
		if err := r.Deps.Tasks.EndQuietly(ctx, id, EndState(result)); err != nil {
			return err
		}
	}
	if begun {
		r.Tasks.remove(id)
		r.Deps.Work.Returned(id)
	}
	r.Tasks.releaseAgents(id)
	for i := range s.Outbox {
		r.live.told.Leaves(s.Outbox[i].ID, "")
	}
	return r.ledger.Record(ctx, s)
}

func (j journal) callOutbound(key string, q queued) channels.Outbound {
	r := j.t
	id := session.CallMessageID(r.Info.ID, key, r.outgoing.note(key, q.text))
	if q.file != nil {
		id = session.CallFileID(r.Info.ID, key)
	}
	o := r.Outbound(id, q.text, "")
	o.File, o.Finishes = q.file, r.live.message.Take()
	return o
}

// Steer begins a further step: messages that arrived meanwhile join the turn, and an
// agent gives its place to one that waits in a chat with fewer.
func (j journal) Steer(ctx context.Context) ([]providers.Message, error) {
	r := j.t
	if r.Input.Place != nil {
		if err := r.Input.Place.Next(ctx); err != nil {
			return nil, err
		}
	}
	if r.Deps.WhileBusy != Steer {
		return nil, nil
	}
	if waiting, err := r.Stored.Waiting(ctx); err != nil || len(waiting) == 0 {
		return nil, err
	}
	if err := r.ledger.Flush(ctx); err != nil { // joined messages come after the work so far
		return nil, err
	}
	items, err := r.Stored.Join(ctx, func(it session.Item) bool { return j.mayJoin(ctx, it) })
	if err != nil {
		return nil, err
	}
	r.Provenance.AddItems(items)
	r.live.told.Joined(items)
	return read(ctx, r, items), nil
}

// mayJoin lets in messages of people with rights that are not below the turn's.
func (j journal) mayJoin(ctx context.Context, it session.Item) bool {
	r := j.t
	if it.Solo || it.Inbound == nil || !r.Principal.Person {
		return false
	}
	who, refused := r.Deps.Rights.Of(ctx, it)
	return refused == "" && who.MayJoin(&r.Principal)
}

// Event shows an event, as far as the channel can.
func (j journal) Event(e tools.Event) {
	r := j.t
	if r.Input.Event != nil {
		r.Input.Event(&e)
		return
	}
	r.live.told.Event(&e)
	switch e.Kind {
	case tools.EventDelta:
		r.live.preview.Add(e.Text)
	case tools.EventRestart:
		r.live.preview.Restart()
	case tools.EventExecuting:
		r.live.preview.Status(fmt.Sprintf(textUsing, e.Tool))
	case tools.EventProgress:
		r.live.preview.Status(e.Text)
	default:
	}
}
