package turn

import (
	"context"
	"strings"

	"parley/pkg/agent/ledger"
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
	var open *ledger.Round
	for i := range t.Info.Steps {
		s := &t.Info.Steps[i]
		remember(t, s)
		t.live.told.Again(s)
		switch s.Kind {
		case session.StepAnswer:
			if s.Answer == nil {
				continue
			}
			p.messages = append(p.messages, open.Results()...)
			p.messages = append(p.messages, s.Answer.Message())
			p.rounds, p.asked = s.Round, false
			open = ledger.NewRound(s.Round, s.Answer.ToolCalls)
		case session.StepBegun, session.StepEnded:
			open.Note(*s)
			p.asked = p.asked || s.Kind == session.StepEnded && s.Call != nil && s.Call.Approval != ""
		case session.StepShown, session.StepStarted, session.StepSummary, session.StepDecided,
			session.StepSensed: // see progress, startedBy, budget, subagent, errand
		case session.StepJoined:
			p.messages = append(p.messages, open.Results()...)
			open = nil
			t.Provenance.AddItems(s.Items)
			p.messages = append(p.messages, read(loop, t, s.Items)...)
		}
	}
	for _, c := range open.Unknown() {
		c.Result = tools.ErrorText(tools.ErrInterrupted, "interrupted: it is unknown whether it took effect", nil)
		c.IsError = true
		if c.TaskID != "" { // lost with the process it was told already; lost within it, it ends here
			t.Tasks.add(session.Task{ID: c.TaskID})
		}
		step := session.Step{Kind: session.StepEnded, Round: open.Number, Call: c}
		if err := t.ledger.Record(ctx, step); err != nil {
			return p, err
		}
		open.Note(step)
		t.live.told.Again(&step)
	}
	p.messages = append(p.messages, open.Results()...)
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
