package main

import (
	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/policy"
	"parley/pkg/tools"
)

// askRules are the configuration's words on which calls a person is asked about.
func askRules(t *config.Tools) policy.Approvals {
	rules := policy.Approvals{Default: policy.AskRule(t.Approval), Tools: map[string]policy.AskRule{}}
	for name, r := range t.Rules {
		if r.Approval != "" {
			rules.Tools[name] = policy.AskRule(r.Approval)
		}
	}
	return rules
}

// ownRules adds what the operator's own tools say of themselves, where the
// configuration does not. It is called before anything runs.
func ownRules(rules policy.Approvals, r *tools.ToolRegistry) {
	for _, name := range r.List() {
		t, _ := r.Get(name)
		own, ok := t.(interface{ Approval() string })
		if _, set := rules.Tools[name]; ok && !set && own.Approval() != "" {
			rules.Tools[name] = policy.AskRule(own.Approval())
		}
	}
}

// toolLevels are the levels that the operator set for single tools.
func toolLevels(t *config.Tools) map[string]tools.Level {
	levels := map[string]tools.Level{}
	for name, r := range t.Rules {
		if r.Level != "" {
			levels[name] = tools.Level(r.Level)
		}
	}
	return levels
}

// sayWaived says loudly which dangerous tools ask nobody.
func (a *App) sayWaived(rules policy.Approvals) {
	destroys := func(name string) bool {
		an, _ := a.registry.Annotations(name)
		return an.Destructive || an.Executes
	}
	for _, name := range rules.Waived(a.registry.List(), destroys) {
		if a.registry.Enabled(name) {
			a.log.Warn().Str("tool", name).Msg("nobody is asked before calls of this tool, though it destroys or executes (tools.rules)")
		}
	}
}

// canAsk says why a message with buttons would be refused.
func (a *App) canAsk(o channels.Outbound) error {
	if l := a.roster.at(o.Address); l != nil {
		return l.out.CanAsk(o)
	}
	return channels.ErrNoButtons
}
