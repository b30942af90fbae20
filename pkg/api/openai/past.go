package openai

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"parley/pkg/events"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/visible"
)

// past is a turn that ended, as the store has it.
type past struct {
	fact    *session.TurnFact
	entries []session.Entry // its work, oldest first
	asked   []session.Approval
	usage   events.Usage
	redact  func(string) string
}

// past reads a turn of a chat, behind the words of its request.
func (a *API) past(ctx context.Context, fact *session.TurnFact) (*past, error) {
	p := &past{fact: fact, redact: a.o.Redact}
	if err := a.o.Store.Back(ctx, fact.Session, 0, func(e session.Entry) bool {
		if e.Turn == fact.Turn && !e.Summary {
			p.entries = append(p.entries, e)
		}
		return e.Summary || e.Turn == fact.Turn || len(p.entries) == 0
	}); err != nil && !errors.Is(err, session.ErrNotFound) {
		return nil, err
	}
	slices.Reverse(p.entries)
	if fact.Program != nil {
		p.entries = p.entries[min(fact.Program.Said, len(p.entries)):]
	}
	all, err := a.o.Store.ApprovalList(ctx, fact.Chat)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Call.Turn == fact.Turn && all[i].Task == "" {
			p.asked = append(p.asked, all[i])
		}
	}
	return p, a.o.Store.TurnUses(ctx, fact.Chat, func(u session.TurnUse) bool {
		if u.Turn != fact.Turn {
			return true
		}
		p.usage = events.Usage{Input: u.Spent.Usage.Input, Output: u.Spent.Usage.Output}
		return false
	})
}

// tell tells the turn as its events did.
func (p *past) tell(out writer) error {
	all := []events.Data{events.TurnBegun{Turn: p.fact.Turn}}
	done := events.Done{Turn: p.fact.Turn, Stop: events.StopEnd, Usage: p.usage}
	for i := range p.entries {
		m := &p.entries[i].Message
		switch m.Role {
		case providers.RoleAssistant:
			done.Rounds++
			done.Text = p.redact(p.entries[i].Said())
			all = append(all, events.Token{Text: done.Text})
			for j := range m.ToolCalls {
				c := p.call(&m.ToolCalls[j], i)
				if c.Run == events.RunClient {
					done.Stop = events.StopCaller
				}
				all = append(all, c)
			}
		case providers.RoleTool:
			if !p.waits(m.ToolCallID) {
				all = append(all, events.Result{ID: m.ToolCallID, Called: m.Name, Result: p.redact(m.Content), IsError: failed(m.Content)})
			}
		}
	}
	for i := range p.asked {
		q := &p.asked[i]
		done.Stop = events.StopAsked
		all = append(all, events.Question{
			ID: q.ID, ToolCallID: q.Call.ID, Called: q.Call.Tool, Arguments: json.RawMessage(q.Call.Arguments),
			Question: visible.Text(p.redact(q.Text)), ExpiresAt: q.Expires,
		})
	}
	if done.Stop == events.StopEnd && p.fact.Program != nil {
		done.Stop = stopOf(p.fact.Program.Finish)
	}
	switch p.fact.Outcome {
	case session.OutcomeFailed, session.OutcomeQuarantined:
		done.Stop = events.StopError
		all = append(all, events.Failure{Code: events.CodeFailed, Message: done.Text, Ref: p.fact.Turn})
	case session.OutcomeAnswered:
	case session.OutcomeStopped:
		done.Stop = events.StopStopped
	}
	for _, d := range append(all, done) {
		if err := out.tell(d); err != nil {
			return err
		}
	}
	return nil
}

// failed says whether a result is that of a call which failed: the store has it in the form that the model reads.
func failed(result string) bool {
	var told struct {
		Error         bool
		Type, Message string
	}
	return json.Unmarshal([]byte(result), &told) == nil && told.Error && told.Type != "" && told.Message != ""
}

// stopOf is the end of a turn by the finish reason of its last answer.
func stopOf(finish string) string {
	switch finish {
	case providers.FinishLength:
		return events.StopLength
	case providers.FinishContentFilter:
		return events.StopFiltered
	default:
		return events.StopEnd
	}
}

// began is when the turn's words were stored.
func (p *past) began() time.Time {
	if len(p.entries) == 0 {
		return time.Time{}
	}
	return p.entries[0].Time
}

// waits says whether a person was asked about a call.
func (p *past) waits(id string) bool {
	return slices.ContainsFunc(p.asked, func(q session.Approval) bool { return q.Call.ID == id })
}

// call is a call of an entry as an event. One without a result is the client's: all others
// have one behind them.
func (p *past) call(c *providers.ToolCall, entry int) events.Call {
	arguments, err := c.Spelled()
	if arguments = p.redact(arguments); err != nil || !json.Valid([]byte(arguments)) {
		arguments = strconv.Quote(arguments)
	}
	e := events.Call{ID: c.ID, Called: c.Name, Arguments: json.RawMessage(arguments), Run: events.RunServer}
	if !slices.ContainsFunc(p.entries[entry:], func(e session.Entry) bool {
		return e.Message.Role == providers.RoleTool && e.Message.ToolCallID == c.ID
	}) {
		e.Run = events.RunClient
	}
	return e
}
