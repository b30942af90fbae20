package offer

import (
	"sync"

	"parley/pkg/providers"
)

// The bounds of what is kept: lists for kinds of chats, and lists of found tools. Further
// ones are made anew each time.
const (
	maxLists = 32
	maxFew   = 256
)

// Lists keeps lists of definitions: one for each kind of chat, by a mask that has a byte
// for each tool, and of each those of the found tools. Its zero value is empty.
type Lists struct {
	mu    sync.Mutex
	known map[string][]providers.ToolDefinition
	few   map[few][]providers.ToolDefinition
}

// few names a list of found tools: the list from which they are, and their names.
type few struct {
	all   *providers.ToolDefinition
	names string
}

// Of returns the list of those of n tools that offered does not answer with nil.
func (l *Lists) Of(n int, offered func(i int) *providers.ToolDefinition) []providers.ToolDefinition {
	var shortMask [64]byte
	var shortList [64]*providers.ToolDefinition
	mask, usable := shortMask[:0], shortList[:0]
	for i := range n {
		var one byte
		if d := offered(i); d != nil {
			one = 1
			usable = append(usable, d)
		}
		mask = append(mask, one)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.known[string(mask)]; ok {
		return known
	}
	list := make([]providers.ToolDefinition, len(usable))
	for i, d := range usable {
		list[i] = *d
	}
	if l.known == nil {
		l.known = map[string][]providers.ToolDefinition{}
	}
	if len(l.known) < maxLists {
		l.known[string(mask)] = list
	}
	return list
}

// fewOf returns a list of found tools, which missing makes where it is not kept.
func (l *Lists) fewOf(key few, missing func() []providers.ToolDefinition) []providers.ToolDefinition {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, ok := l.few[key]
	if ok {
		return list
	}
	list = missing()
	if l.few == nil {
		l.few = map[few][]providers.ToolDefinition{}
	}
	if len(l.few) < maxFew {
		l.few[key] = list
	}
	return list
}
