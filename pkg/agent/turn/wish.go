package turn

import "parley/pkg/channels"

// Wish is what the turn's message asks of it. The turn of a decision has the wish of the
// turn that asked: a call that was allowed gives the model no tool that its message took
// away. Work in the background, and the report of it, has the part that was handed on. Nil is
// no wish.
func Wish(t *Turn) *channels.Wish {
	if t.Input.Decided != nil {
		return t.Input.Decided.Wish
	}
	if t.Input.Task != nil {
		return t.Input.Task.Wish
	}
	if in := t.Info.Items[0].Inbound; in != nil {
		return in.Wish
	}
	return t.Input.Handed
}
