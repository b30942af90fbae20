package tools

import "parley/pkg/tools/internal/memory"

// memoOf says how a call of this loop uses its memory; nil for a call that does not.
func (l *loop) memoOf(call *Call) *memory.Call {
	a := call.Annotations
	if !a.ReadOnly || a.OpenWorld || a.Volatile || call.Async {
		return nil
	}
	return l.memo.Of(call.Name, call.Arguments, l.Tools.catalog().changes.Load())
}

// remember keeps the result of a call. It leaves out failures, which are tried again,
// results for the person, which are shown again, and results that were cut to their
// bound, which have no room for the line before them.
func (l *loop) remember(c *memory.Call, call *Call, out *outcome) {
	res, limit := out.result, call.Annotations.MaxOutput
	switch {
	case res.Async && !call.Annotations.ReadOnly:
		l.memo.SwitchOff()
	case c == nil || !out.begun || out.unknown || res.IsError || res.Async || res.ForUser != "":
	case limit > 0 && len(res.ForLLM)+len(memory.Line) > limit:
	default:
		c.Keep(res.ForLLM)
	}
}
