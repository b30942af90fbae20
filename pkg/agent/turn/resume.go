package turn

import (
	"context"
	"sort"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// resumed is the work of an earlier attempt at a turn.
type resumed struct {
	// messages are the answers, results and joined messages, in order. The last
	// answer may lack results: of calls that have yet to run.
	messages []providers.Message
	// rounds is how many answers were recorded.
	rounds int
	// asked says that in the last of them a call waits for a person.
	asked bool
}

// resume rebuilds the conversation of an interrupted attempt from its steps. A
// call that was begun, not ended, and may not run again gets the result
// "interrupted", which is recorded. The files of joined messages are read as long as loop lasts.
func resume(ctx, loop context.Context, t *Turn) (resumed, error) {
	var p resumed
	var open *openRound
	for i := range t.Info.Steps {
		s := &t.Info.Steps[i]
		remember(t, s)
		t.live.told.again(s)
		switch s.Kind {
		case session.StepAnswer:
			if s.Answer == nil {
				continue
			}
			p.messages = append(p.messages, open.results()...)
			p.messages = append(p.messages, s.Answer.Message())
			p.rounds, p.asked = s.Round, false
			open = newOpenRound(s.Round, s.Answer.ToolCalls)
		case session.StepBegun, session.StepEnded:
			open.note(*s)
			p.asked = p.asked || s.Kind == session.StepEnded && s.Call != nil && s.Call.Approval != ""
		case session.StepShown, session.StepStarted, session.StepSummary, session.StepDecided,
			session.StepSensed: // see progress, startedBy, budget, subagent, errand
		case session.StepJoined:
			p.messages = append(p.messages, open.results()...)
			open = nil
			t.Provenance.AddItems(s.Items)
			p.messages = append(p.messages, read(loop, t, s.Items)...)
		}
	}
	for _, c := range open.unknown() {
		c.Result = tools.ErrorText(tools.ErrInterrupted, "interrupted: it is unknown whether it took effect", nil)
		c.IsError = true
		if c.TaskID != "" { // lost with the process it was told already; lost within it, it ends here
			t.Tasks.add(session.Task{ID: c.TaskID})
		}
		step := session.Step{Kind: session.StepEnded, Round: open.round, Call: c}
		if err := t.ledger.record(ctx, step); err != nil {
			return p, err
		}
		open.note(step)
		t.live.told.again(&step)
	}
	p.messages = append(p.messages, open.results()...)
	return p, nil
}

// remember takes in a step's facts beside the conversation: its messages and questions,
// and whether content from outside came in. Which addresses that named is forgotten:
// they are asked about.
func remember(t *Turn, s *session.Step) {
	if s.Kind == session.StepShown {
		return // it has had no words yet
	}
	for i := range s.Approvals {
		if s.Approvals[i].Call.Turn == t.Info.ID {
			t.Questions.note(&s.Approvals[i])
		}
	}
	for i := range s.Outbox {
		t.outgoing.note(outboxKey(t.Info.ID, s.Outbox[i].ID), s.Outbox[i].Text)
	}
	if c := s.Call; c != nil && c.Outside && c.Approval == "" {
		t.Provenance.Taint()
	}
}

// outboxKey is the call key within an outgoing message's id.
func outboxKey(turn, id string) string {
	rest := strings.TrimPrefix(id, turn+"/")
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		return rest[:i]
	}
	return rest
}

// openRound collects the calls of one answer. A nil round is empty.
type openRound struct {
	round int
	calls []providers.ToolCall
	begun map[int]*session.CallRecord
	ended map[int]*session.CallRecord
}

func newOpenRound(round int, calls []providers.ToolCall) *openRound {
	return &openRound{
		round: round, calls: calls,
		begun: map[int]*session.CallRecord{}, ended: map[int]*session.CallRecord{},
	}
}

func (o *openRound) note(s session.Step) {
	if o == nil || s.Call == nil || s.Round != o.round {
		return
	}
	if s.Kind == session.StepEnded {
		o.ended[s.Call.Index] = s.Call
		return
	}
	o.begun[s.Call.Index] = s.Call
}

// unknown are the calls with an unknown outcome.
func (o *openRound) unknown() []*session.CallRecord {
	if o == nil {
		return nil
	}
	var out []*session.CallRecord
	for i, c := range o.begun {
		if o.ended[i] == nil && (!c.Rerunnable || c.TaskID != "") {
			again := *c
			out = append(out, &again)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Index < out[j].Index })
	return out
}

// results are the tool messages of the calls that ended, in call order.
func (o *openRound) results() []providers.Message {
	if o == nil {
		return nil
	}
	var out []providers.Message
	for i, c := range o.calls {
		if e := o.ended[i]; e != nil {
			out = append(out, providers.Message{Role: providers.RoleTool, Name: c.Name, ToolCallID: c.ID, Content: e.Result})
		}
	}
	o.calls = nil
	return out
}
