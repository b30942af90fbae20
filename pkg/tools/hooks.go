package tools

// hooks are what a loop lends to the calls within it, nested ones too.
type hooks struct {
	loop *loop
	// round is that of the call.
	round int
}

// progress passes on a line about a call.
func (h *hooks) progress(callID, line string) {
	h.loop.event(Event{Kind: EventProgress, Round: h.round, CallID: callID, Text: clip(line, shortResult)})
}
