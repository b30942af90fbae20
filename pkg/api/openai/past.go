package openai

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// past is a turn that ended, as the store has it.
type past struct {
	entries []session.Entry // its work, oldest first
	asked   []session.Approval
	redact  func(string) string
}

// past reads the first turn of a chat of one request, behind the messages that were said.
func (a *API) past(ctx context.Context, info *session.Info, said int) (*past, error) {
	p := &past{redact: a.o.Redact}
	if err := a.o.Store.Back(ctx, info.Session, 0, func(e session.Entry) bool {
		p.entries = append(p.entries, e)
		return true
	}); err != nil {
		return nil, err
	}
	slices.Reverse(p.entries)
	if len(p.entries) > 0 {
		first := p.entries[0].Turn
		p.entries = slices.DeleteFunc(p.entries, func(e session.Entry) bool { return e.Turn != first })
	}
	p.entries = p.entries[min(said, len(p.entries)):]
	open, err := a.o.Store.ApprovalList(ctx, info.Chat)
	if err != nil {
		return nil, err
	}
	for i := range open {
		if len(p.entries) > 0 && open[i].Call.Turn == p.entries[0].Turn {
			p.asked = append(p.asked, open[i])
		}
	}
	return p, nil
}

// tell tells the turn as its events did.
func (p *past) tell(wish *channels.Wish, out writer) error {
	turn := p.entries[0].Turn
	all := []events.Data{events.TurnBegun{Turn: turn}}
	done := events.Done{Turn: turn, Stop: events.StopEnd}
	for i := range p.entries {
		m := &p.entries[i].Message
		switch m.Role {
		case providers.RoleAssistant:
			done.Rounds++
			done.Text = p.redact(m.Content)
			all = append(all, events.Token{Text: done.Text})
			for j := range m.ToolCalls {
				c := p.call(&m.ToolCalls[j], wish)
				if c.Run == events.RunClient {
					done.Stop = events.StopCaller
				}
				all = append(all, c)
			}
		case providers.RoleTool:
			if !p.waits(m.ToolCallID) {
				all = append(all, events.Result{ID: m.ToolCallID, Called: m.Name, Result: p.redact(m.Content)})
			}
		}
	}
	for i := range p.asked {
		q := &p.asked[i]
		done.Stop = events.StopAsked
		all = append(all, events.Question{
			ID: q.ID, ToolCallID: q.Call.ID, Called: q.Call.Tool, Arguments: json.RawMessage(q.Call.Arguments),
			Question: p.redact(q.Text), ExpiresAt: q.Expires,
		})
	}
	for _, d := range append(all, done) {
		if err := out.tell(d); err != nil {
			return err
		}
	}
	return nil
}

// waits says whether a person was asked about a call.
func (p *past) waits(id string) bool {
	return slices.ContainsFunc(p.asked, func(q session.Approval) bool { return q.Call.ID == id })
}

// call is a call of the history as an event.
func (p *past) call(c *providers.ToolCall, wish *channels.Wish) events.Call {
	arguments, err := c.Spelled()
	if arguments = p.redact(arguments); err != nil || !json.Valid([]byte(arguments)) {
		arguments = strconv.Quote(arguments)
	}
	e := events.Call{ID: c.ID, Called: c.Name, Arguments: json.RawMessage(arguments), Run: events.RunServer}
	if slices.ContainsFunc(wish.Caller, func(t channels.CallerTool) bool { return t.Name == c.Name }) {
		e.Run = events.RunClient
	}
	return e
}
