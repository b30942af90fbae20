package agui

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// The most that a snapshot has: clients bound an event at 10 MiB.
const (
	snapshotSize  = 200
	snapshotBytes = 4 << 20
)

// snapshot is the chat as the store has it, for a run whose events are gone.
func (r *run) snapshot(ctx context.Context) (*frame, error) {
	var all []said
	size := 0
	err := r.chat.Back(ctx, func(e *session.Entry) bool {
		if m, ok := r.said(e); ok && !e.Undone && !e.Silent() {
			all = append(all, m)
			size += len(m.Content)
			for i := range m.Calls {
				size += len(m.Calls[i].Function.Arguments)
			}
		}
		return len(all) < snapshotSize && size < snapshotBytes
	})
	slices.Reverse(all)
	identify(all)
	return &frame{Type: typeMessagesSnapshot, Messages: all}, err
}

// identify gives calls and results their ids. The result of a call that waited stands in a
// later turn than the call.
func identify(all []said) {
	made, rounds := map[string]string{}, map[string]int{}
	for i := range all {
		m := &all[i]
		if m.Role == roleAssistant {
			rounds[m.turn]++
		}
		for j := range m.Calls {
			c := &m.Calls[j]
			c.ID = callID(m.turn, rounds[m.turn], c.raw)
			made[c.raw] = c.ID
		}
		if m.Role == roleTool {
			m.CallID = cmp.Or(made[m.raw], m.ID)
		}
	}
}

// said is a message of the history on the wire.
func (r *run) said(e *session.Entry) (said, bool) {
	redact := r.api.o.Redact
	m := said{turn: e.Turn, ID: e.Turn + "." + strconv.FormatUint(e.Seq, 10), Role: e.Message.Role, Content: redact(e.Said())}
	switch e.Message.Role {
	case providers.RoleUser, providers.RoleAssistant:
	case providers.RoleTool:
		m.raw = e.Message.ToolCallID
	default:
		return m, false
	}
	for i := range e.Message.ToolCalls {
		c := &e.Message.ToolCalls[i]
		one := saidCall{raw: c.ID, Type: "function"}
		one.Function.Name = c.Name
		arguments, _ := c.Spelled() // text that is no JSON is shown as it is
		one.Function.Arguments = redact(arguments)
		m.Calls = append(m.Calls, one)
	}
	return m, true
}
