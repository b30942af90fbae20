package command

import (
	"fmt"
	"slices"
	"strings"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/text"
	"parley/pkg/visible"
)

// tools answers /tools: it names the tools of the chat by what their calls do, or describes one.
// An owner is also told how often they were called, in all chats together.
func (h *commandTurn) tools() string {
	offered := h.T.Offered()
	names := offered.List()
	if len(names) == 0 {
		return textNoTools
	}
	if h.arg != "" {
		return h.tool(names)
	}
	var b strings.Builder
	fmt.Fprintf(&b, textTools, h.T.Typed("tools"))
	reading := func(name string) bool { an, _ := offered.Annotations(name); return an.ReadOnly }
	listed(&b, textToolsRead, names, reading)
	listed(&b, textToolsAct, names, func(name string) bool { return !reading(name) })
	if h.T.Principal.Owner {
		counted(h.T, &b)
	}
	return b.String()
}

// listed adds the names that fit.
func listed(b *strings.Builder, said string, names []string, fits func(string) bool) {
	var some []string
	for _, name := range names {
		if fits(name) {
			some = append(some, "`"+name+"`")
		}
	}
	if len(some) > 0 {
		fmt.Fprintf(b, said, strings.Join(some, ", "))
	}
}

// counted adds the counts of the tools that were called.
func counted(t *turn.Turn, b *strings.Builder) {
	all := t.Offered().Stats()
	if len(all) > 0 {
		b.WriteString(textToolsCounts)
	}
	for i := range all {
		s := &all[i]
		if s.Tool == "" {
			fmt.Fprintf(b, textToolsUnknown, s)
		} else {
			fmt.Fprintf(b, textToolsCount, s.Tool, s)
		}
	}
}

// tool describes the tool that the argument names.
func (h *commandTurn) tool(names []string) string {
	name := named.Plain(h.arg)
	i := slices.IndexFunc(names, func(one string) bool { return strings.EqualFold(one, name) })
	if i < 0 {
		return fmt.Sprintf(textNoTool, visible.Text(text.Clip(name, maxArg)), h.T.Typed("tools"))
	}
	offered := h.T.Offered()
	tool, _ := offered.Get(names[i])
	var b strings.Builder
	fmt.Fprintf(&b, textToolAbout, names[i], tool.Description())
	all := offered.Stats()
	for j := range all {
		if s := &all[j]; h.T.Principal.Owner && s.Tool == names[i] {
			fmt.Fprintf(&b, textToolCounts, s)
		}
	}
	return b.String()
}
