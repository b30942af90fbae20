package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/pkg/strictyaml"
)

// tools checks the names of tools, for all chats and for single ones, and the rules
// about them.
func (c toolChecker) tools() {
	t := &c.cfg.Tools
	c.toolNames("tools.enabled", t.Enabled)
	c.toolNames("tools.disabled", t.Disabled)
	for _, name := range slices.Sorted(maps.Keys(t.Rules)) {
		path := "tools.rules." + name
		c.toolName(path, name)
		switch rule := t.Rules[name]; {
		case rule == ToolRule{}:
			c.at(path, "says nothing: write level or approval, or leave it out")
		case rule.Level == "none":
			c.at(path+".level",
				"none would let everybody use the tool, because none is the right that it needs: write it into tools.disabled to switch "+
					"it off, or the level chat")
		}
	}
	for _, place := range slices.Sorted(maps.Keys(t.Chats)) {
		c.chatTools("tools.chats."+place, place, t.Chats[place])
	}
	if c.options.CheckTools != nil {
		c.options.CheckTools(c.cfg, c.report)
	}
}

func (c toolChecker) chatTools(path, place string, t ChatTools) {
	c.place(path, place)
	if len(t.Enabled)+len(t.Disabled) == 0 && t.Level == "" {
		c.at(path, "says nothing: write enabled, disabled or level, or leave it out")
	}
	c.toolNames(path+".enabled", t.Enabled)
	c.toolNames(path+".disabled", t.Disabled)
	for i, name := range t.Enabled {
		at := fmt.Sprintf("%s.enabled[%d]", path, i)
		switch all := &c.cfg.Tools; {
		case slices.Contains(all.Disabled, name):
			c.at(at, "%s is never offered, because tools.disabled names it: take it out there", strictyaml.Quote(name))
		case len(all.Enabled) > 0 && !slices.Contains(all.Enabled, name):
			c.at(at, "%s is never offered, because tools.enabled does not name it: add it there", strictyaml.Quote(name))
		}
	}
}

func (c toolChecker) toolNames(path string, names []string) {
	for i, name := range names {
		c.toolName(fmt.Sprintf("%s[%d]", path, i), name)
	}
}

// toolName reports a name that no tool has.
func (c toolChecker) toolName(path, name string) {
	if c.options.Tools == nil {
		return
	}
	known := slices.AppendSeq(c.options.Tools(c.cfg), maps.Keys(c.cfg.Tools.Composed))
	if slices.Sort(known); !slices.Contains(known, name) {
		c.at(path, "there is no tool %s: the tools are %s", strictyaml.Quote(name), strings.Join(known, ", "))
	}
}
