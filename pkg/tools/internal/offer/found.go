package offer

import (
	"slices"
	"strconv"
	"strings"

	"parley/pkg/providers"
)

// The line of a found tool in a result, around its name.
const (
	lineHead = "- `"
	lineTail = "` - "
)

// maxListed bounds, in bytes, the description of the tool that finds the others, with their names.
const maxListed = 1500

// Line is the line of a tool in the result of the tool that found it.
func Line(name, description string) string {
	return lineHead + name + lineTail + strings.Join(strings.Fields(description), " ")
}

// found are the names in the lines of a result.
func found(result string) []string {
	var names []string
	for line := range strings.Lines(result) {
		rest, ok := strings.CutPrefix(line, lineHead)
		name, _, whole := strings.Cut(rest, lineTail)
		if ok && whole {
			names = append(names, name)
		}
	}
	return names
}

// Finding is a request in which one tool finds the others.
type Finding struct {
	// All are the tools of the caller by name, Finder is the name of the one that finds
	// the others.
	All    []providers.ToolDefinition
	Finder string
	// Conversation is that of the request.
	Conversation []providers.Message
	// Also is the name of a tool that is offered in any case, or "".
	Also string
}

// Tools are those that the request offers: none where there is none to find. The list must
// not be changed.
func (f *Finding) Tools(l *Lists) []providers.ToolDefinition {
	if len(f.All) <= 1 {
		return nil
	}
	mentioned := f.mentioned()
	key := few{&f.All[0], strings.Join(mentioned, " ")}
	return l.fewOf(key, func() []providers.ToolDefinition {
		list := make([]providers.ToolDefinition, 0, len(mentioned)+1)
		if i := f.index(f.Finder); i >= 0 {
			list = append(list, f.finder(f.All[i]))
		}
		for _, name := range mentioned {
			list = append(list, f.All[f.index(name)])
		}
		return list
	})
}

// mentioned are the tools that the conversation has found or called, in the order of their
// first mention, as far as they are tools of the caller.
func (f *Finding) mentioned() []string {
	var names []string
	add := func(name string) {
		if name != f.Finder && f.index(name) >= 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range f.Conversation {
		m := &f.Conversation[i]
		for j := range m.ToolCalls {
			add(m.ToolCalls[j].Name)
		}
		if m.Role == providers.RoleTool && m.Name == f.Finder {
			for _, name := range found(m.Content) {
				add(name)
			}
		}
	}
	add(f.Also)
	return names
}

// index is the place of a tool among those of the caller, or -1.
func (f *Finding) index(name string) int {
	i, ok := slices.BinarySearchFunc(f.All, name, func(d providers.ToolDefinition, name string) int {
		return strings.Compare(d.Function.Name, name)
	})
	if !ok {
		return -1
	}
	return i
}

// finder is the definition of the tool that finds the others, with their names.
func (f *Finding) finder(d providers.ToolDefinition) providers.ToolDefinition {
	var b strings.Builder
	b.WriteString(d.Function.Description)
	before, left := " Tools: ", 0
	for i := range f.All {
		switch name := f.All[i].Function.Name; {
		case name == f.Finder:
		case left > 0 || b.Len()+len(name) > maxListed:
			left++
		default:
			b.WriteString(before + name)
			before = ", "
		}
	}
	if left > 0 {
		b.WriteString(" and " + strconv.Itoa(left) + " more")
	}
	d.Function.Description = b.String() + "."
	return d
}

// Only reports whether the newest answer of the conversation has done no more than find
// tools, and has found some: the model has yet to make the call that it is asked for.
func (f *Finding) Only() bool {
	some := false
	for i := len(f.Conversation) - 1; i >= 0; i-- {
		m := &f.Conversation[i]
		switch m.Role {
		case providers.RoleTool:
			some = some || m.Name == f.Finder && len(found(m.Content)) > 0
		case providers.RoleAssistant:
			return some && !slices.ContainsFunc(m.ToolCalls, func(c providers.ToolCall) bool { return c.Name != f.Finder })
		default:
		}
	}
	return false
}
