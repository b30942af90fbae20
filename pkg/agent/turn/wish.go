package turn

import (
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/tools"
)

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

// program is what is kept of the request of a program, and of the end of the loop, which may be
// nil; nil for the turn of anything else.
func program(t *Turn, loop *tools.ToolLoopResult) *session.Program {
	w := Wish(t)
	if w == nil || w.Credential == "" || !t.Principal.Person {
		return nil
	}
	kept := &session.Program{Credential: w.Credential, Said: len(w.Said), Model: w.Model}
	if loop != nil {
		kept.Calls, kept.Finish = len(loop.Caller) > 0, loop.FinishReason
	}
	if kept.Calls {
		kept.Wish = w.Lasting()
	}
	return kept
}
