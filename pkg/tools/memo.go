package tools

import (
	"encoding/json"
	"sync"
)

// memo holds the results of one loop's calls that only read. A model that makes such a
// call again gets the same result without another run, and a line that says so. A result
// is good while no call that may change something was run in this registry, in any chat,
// and until a message joins the turn. Changes by other processes do not count.
type memo struct {
	mu      sync.Mutex
	results map[string]remembered
	// off is set when background work that may change something has begun.
	off bool
}

// remembered is a result and the number of changes that it was read after.
type remembered struct {
	text    string
	changes uint64
}

// memoLine comes before a result from memory. It is a line of its own also before
// JSON: a field within could be taken for a part of a file that was read.
const memoLine = "(from memory: the same call was made before in this turn, and nothing was changed since)\n"

// memoCall is one call's way through the memory; nil for one that is not kept.
type memoCall struct {
	memo *memo
	key  string
	// changes is the number before the call.
	changes uint64
}

// of says how a call uses the memory.
func (m *memo) of(c *catalog, call *Call) *memoCall {
	a := call.Annotations
	if !a.ReadOnly || a.OpenWorld || a.Volatile || call.Async {
		return nil
	}
	args, err := json.Marshal(call.Arguments) // keys in order
	if err != nil {
		return nil
	}
	return &memoCall{memo: m, key: call.Name + "\x00" + string(args), changes: c.changes.Load()}
}

// forget drops all results.
func (m *memo) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.results = nil
}

// recall answers a call from memory. All checks of the call have passed.
func (c *memoCall) recall() (outcome, bool) {
	if c == nil {
		return outcome{}, false
	}
	c.memo.mu.Lock()
	defer c.memo.mu.Unlock()
	res, ok := c.memo.results[c.key]
	if !ok || c.memo.off || res.changes != c.changes {
		return outcome{}, false
	}
	return outcome{result: NewToolResult(memoLine + res.text), memory: true}, true
}

// keep remembers the result of a call. It leaves out failures, which are tried again,
// results for the person, which are shown again, and results that were cut to their
// bound, which have no room for the line before them.
func (m *memo) keep(c *memoCall, call *Call, out *outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	res := out.result
	switch {
	case res.Async && !call.Annotations.ReadOnly:
		m.off = true
	case c == nil || !out.begun || out.unknown || res.IsError || res.Async || res.ForUser != "":
	case call.Annotations.MaxOutput > 0 && len(res.ForLLM)+len(memoLine) > call.Annotations.MaxOutput:
	default:
		if m.results == nil {
			m.results = map[string]remembered{}
		}
		m.results[c.key] = remembered{res.ForLLM, c.changes}
	}
}
