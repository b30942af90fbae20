package asking

import "parley/pkg/providers"

// whole passes the events of an answer on. Each piece of a call has the id and the name of
// the call, which come with its first piece alone.
func whole(emit func(providers.StreamEvent)) func(providers.StreamEvent) {
	var firsts map[int]providers.ToolCallDelta // by index; nil before the first call
	return func(e providers.StreamEvent) {
		switch piece := e.(type) {
		case providers.Restart:
			clear(firsts)
		case providers.ToolCallDelta:
			if firsts == nil {
				firsts = map[int]providers.ToolCallDelta{}
			}
			first, known := firsts[piece.Index]
			if !known {
				first = piece
			}
			if len(firsts) < providers.MaxCalls {
				firsts[piece.Index] = first
			}
			piece.ID, piece.Name = first.ID, first.Name
			e = piece
		default:
		}
		emit(e)
	}
}
