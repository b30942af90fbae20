package caller

import (
	"slices"

	"parley/pkg/channels"
	"parley/pkg/providers"
)

// Words are the messages of a message's own wish, or nil where it has none.
func Words(in *channels.Inbound) []providers.Message {
	if in == nil || in.Wish == nil || len(in.Wish.Said) == 0 {
		return nil
	}
	out := make([]providers.Message, len(in.Wish.Said))
	for i := range in.Wish.Said {
		s := &in.Wish.Said[i]
		m := providers.Message{Role: s.Role, Content: s.Text, ToolCallID: s.CallID}
		for _, c := range s.Calls {
			call := providers.ToolCall{ID: c.ID, Type: "function", Name: c.Name, RawArguments: c.Arguments}
			call.Settle()
			m.ToolCalls = append(m.ToolCalls, call)
		}
		out[i] = m
	}
	return out
}

// instructionsHead tells the model whose words follow.
const instructionsHead = "\n\n# Instructions of the program that asks\n"

// Closing ends the instructions of a turn with those of its program, if there are some.
func Closing(closing string, w *channels.Wish) string {
	if w == nil || w.Instructions == "" {
		return closing
	}
	return closing + instructionsHead + w.Instructions
}

// Frame is the conversation of a request: the instructions, the history, the messages of
// the turn with the setting before the last words of a person, and the turn's work so far.
func Frame(system, setting providers.Message, history, users, past []providers.Message) []providers.Message {
	if !slices.ContainsFunc(users, func(m providers.Message) bool { return m.Role != providers.RoleUser }) {
		return append(append(append(slices.Insert(history, 0, system), setting), users...), past...)
	}
	all := append(slices.Insert(history, 0, system), users...)
	at := len(all)
	for at > 1 && all[at-1].Role != providers.RoleUser {
		at--
	}
	// each call has a result then: none of them is run
	all = providers.Repair(slices.Insert(all, max(at-1, 1), setting))
	return append(all, past...)
}
