package agent

import (
	"parley/pkg/agent/budget"
	"parley/pkg/channels"
)

// limitText is what a person is told of a turn at the limit of its chat.
func (e *ending) limitText() string {
	if !e.acted {
		return e.limit.PersonMessage()
	}
	return "I stopped before I was done. " + e.limit.PersonMessage() + " What was done until then stays done."
}

// dayNotice is a message that leaves once a day in a chat for each purpose and limit.
func (r *run) dayNotice(text string, l *budget.LimitError) channels.Outbound {
	return r.outbound(r.usage.NoticeID(l), text, "")
}

// newUsage is the account of the turn, which counts in the chat that it works for.
func (r *run) newUsage() *budget.TurnUsage {
	return r.a.meter.Turn(budget.Turn{
		Chat: r.info.Chat, Payer: r.home, Purpose: r.kind.purpose, Began: r.wall, Zone: r.location,
		Steps: r.info.Steps, Free: r.free(), Log: r.log,
	})
}

// free says that no model is asked: /tool calls exactly one tool.
func (r *run) free() bool {
	it := &r.info.Items[0]
	return r.a.o.Model.Direct != nil && it.Inbound != nil && isToolCommand(it.Inbound.Text)
}
