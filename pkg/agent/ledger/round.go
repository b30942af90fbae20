package ledger

import (
	"sort"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// Round is the calls of one answer, as the steps behind it tell how they stand. A nil round is
// empty.
type Round struct {
	// Number is that of the answer.
	Number int

	calls []providers.ToolCall
	begun map[int]*session.CallRecord
	ended map[int]*session.CallRecord
}

// NewRound is the calls of an answer, none of which was begun.
func NewRound(number int, calls []providers.ToolCall) *Round {
	return &Round{
		Number: number, calls: calls,
		begun: map[int]*session.CallRecord{}, ended: map[int]*session.CallRecord{},
	}
}

// Note takes in a step of the turn; one about a call of another round changes nothing.
func (r *Round) Note(s session.Step) {
	if r == nil || s.Call == nil || s.Round != r.Number {
		return
	}
	if s.Kind == session.StepEnded {
		r.ended[s.Call.Index] = s.Call
		return
	}
	r.begun[s.Call.Index] = s.Call
}

// Unknown are the calls with an unknown outcome.
func (r *Round) Unknown() []*session.CallRecord {
	if r == nil {
		return nil
	}
	var out []*session.CallRecord
	for i, c := range r.begun {
		if r.ended[i] == nil && (!c.Rerunnable || c.TaskID != "") {
			again := *c
			out = append(out, &again)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Index < out[j].Index })
	return out
}

// Results are the tool messages of the calls that ended, in call order, once.
func (r *Round) Results() []providers.Message {
	if r == nil {
		return nil
	}
	var out []providers.Message
	for i, c := range r.calls {
		if e := r.ended[i]; e != nil {
			out = append(out, providers.Message{Role: providers.RoleTool, Name: c.Name, ToolCallID: c.ID, Content: e.Result})
		}
	}
	r.calls = nil
	return out
}
