package memory

import (
	"encoding/json"
	"sync"
)

// Line comes before a result from memory. It is a line of its own also before JSON: a
// field within could be taken for a part of a file that was read.
const Line = "(from memory: the same call was made before in this turn, and nothing was changed since)\n"

// Memory is the memory of one loop. Its zero value is empty.
type Memory struct {
	mu      sync.Mutex
	results map[string]result
	off     bool
}

// result is a text and the number of changes before its call.
type result struct {
	text    string
	changes uint64
}

// Call is one call's way through a memory; nil for a call that is not kept.
type Call struct {
	memory  *Memory
	key     string
	changes uint64
}

// Of is the call of a tool with arguments, after so many changes in its registry.
func (m *Memory) Of(tool string, args map[string]any, changes uint64) *Call {
	text, err := json.Marshal(args) // keys in order
	if err != nil {
		return nil
	}
	return &Call{memory: m, key: tool + "\x00" + string(text), changes: changes}
}

// Forget drops all results.
func (m *Memory) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.results = nil
}

// SwitchOff ends the memory for the rest of the loop: background work that may change
// something has begun.
func (m *Memory) SwitchOff() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.off = true
}

// Recall returns the remembered result of a call, after [Line].
func (c *Call) Recall() (string, bool) {
	if c == nil {
		return "", false
	}
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	res, ok := c.memory.results[c.key]
	if !ok || c.memory.off || res.changes != c.changes {
		return "", false
	}
	return Line + res.text, true
}

// Keep remembers the result of a call.
func (c *Call) Keep(text string) {
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	if c.memory.results == nil {
		c.memory.results = map[string]result{}
	}
	c.memory.results[c.key] = result{text, c.changes}
}
