package toolset

import (
	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/policy"
	"parley/pkg/tools"
)

// askRules are the rules of the configuration about which calls a person is asked.
func askRules(t *config.Tools) policy.Approvals {
	rules := policy.Approvals{Default: policy.AskRule(t.Approval), Tools: map[string]policy.AskRule{}}
	for name, r := range t.Rules {
		if r.Approval != "" {
			rules.Tools[name] = policy.AskRule(r.Approval)
		}
	}
	return rules
}

// ownRules adds the annotations of the operator's own tools, where the configuration
// has no rule. It is called before anything runs.
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

// logWaived warns of the dangerous tools that no person is asked about.
func logWaived(rules policy.Approvals, r *tools.ToolRegistry, log zerolog.Logger) {
	destroys := func(name string) bool {
		an, _ := r.Annotations(name)
		return an.Destructive || an.Executes
	}
	for _, name := range rules.Waived(r.List(), destroys) {
		if r.Enabled(name) {
			log.Warn().Str("tool", name).Msg("nobody is asked before calls of this tool, though it destroys or executes (tools.rules)")
		}
	}
}
