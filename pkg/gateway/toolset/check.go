package toolset

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"parley/pkg/config"
	"parley/pkg/tools"
	"parley/pkg/tools/composed"
	"parley/pkg/tools/find"
)

// Check compares the rules of tools and the composed tools with the tools' annotations,
// for the check of the configuration.
func Check(lookup func(string) (string, bool)) func(*config.Config, func(string, error)) {
	return func(cfg *config.Config, report func(path string, err error)) {
		t := &cfg.Tools
		report("tools.lazy", lazy(t))
		if len(t.Rules)+len(t.Composed) == 0 {
			return
		}
		plain := config.Default("") // no word of the file can keep these from being made
		plain.Workspace, plain.Tools.Shell.Mode, plain.Tools.Scripts.Enabled = cfg.Workspace, t.Shell.Mode, t.Scripts.Enabled
		boxes := newSandboxes(plain, Groups{})
		c := toolCheck{cfg: cfg, registry: describe(plain, lookup).Registry, report: report}
		builtIn := c.registry.List()
		registerScripts(c.registry, plain, boxes.safe)
		own := c.registry.List()
		for _, name := range inwardFirst(t.Composed) {
			path := "tools.composed." + name
			spec, err := composedSpec(name, t.Composed[name])
			switch {
			case err != nil:
				report(path, err)
				continue
			case slices.Contains(builtIn, name):
				report(path, errors.New("a built-in tool has this name: choose another"))
			case slices.Contains(own, name):
				report(path, errors.New("a tool of your own in the workspace has this name: choose another"))
			default:
				report(path, c.registry.RegisterWith(composed.New(spec, c.registry.Annotations), tools.RegisterOptions{Community: true}))
			}
			c.sequence(path, spec)
		}
		c.nesting()
		for _, name := range slices.Sorted(maps.Keys(t.Rules)) {
			report("tools.rules."+name+".approval", c.approval(name, t.Rules[name].Approval))
		}
	}
}

// lazy is the reason for which tools.lazy would change nothing.
func lazy(t *config.Tools) error {
	switch {
	case t.Lazy && slices.Contains(t.Disabled, find.Name):
		return fmt.Errorf("changes nothing, because tools.disabled names %s: take it out there", find.Name)
	case t.Lazy && len(t.Enabled) > 0 && !slices.Contains(t.Enabled, find.Name):
		return fmt.Errorf("changes nothing, because tools.enabled does not name %s: add it there", find.Name)
	default:
		return nil
	}
}

// toolCheck reports mistakes in rules and sequences. The registry does not run tools.
type toolCheck struct {
	cfg      *config.Config
	registry *tools.ToolRegistry
	report   func(path string, err error)
}

// sequence reports a composed tool that is broken, or that no call could get to the
// end of.
func (c toolCheck) sequence(path string, spec composed.Spec) {
	for _, p := range composed.Problems(spec, knownTools(c.registry, c.cfg.Tools.Composed)) {
		at := path
		if p.Step > 0 {
			at = fmt.Sprintf("%s.steps[%d]", path, p.Step-1)
		}
		c.report(at, errors.New(p.Text))
	}
	if c.off(spec.Name) != "" {
		return
	}
	for i, step := range spec.Steps {
		if key := c.off(step.Tool); key != "" {
			c.report(fmt.Sprintf("%s.steps[%d].tool", path, i), fmt.Errorf("%s is off (%s), so that this step always fails", step.Tool, key))
		}
	}
}

// maxToolDepth is the largest max_tool_depth that the schema of the file takes.
const maxToolDepth = 10

// nesting reports the composed tools that call each other without an end, or deeper
// than max_tool_depth.
func (c toolCheck) nesting() {
	t := &c.cfg.Tools
	steps := map[string][]string{}
	for name, tool := range t.Composed {
		for _, step := range tool.Steps {
			steps[name] = append(steps[name], step.Tool)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Composed)) {
		for _, p := range composed.Nesting(name, steps, t.MaxDepth, maxToolDepth) {
			c.report(fmt.Sprintf("tools.composed.%s.steps[%d].tool", name, p.Step-1), errors.New(p.Text))
		}
	}
}

// off names the key that switches a tool off, or "".
func (c toolCheck) off(name string) string {
	t := &c.cfg.Tools
	switch {
	case slices.Contains(t.Disabled, name):
		return "tools.disabled"
	case len(t.Enabled) > 0 && !slices.Contains(t.Enabled, name):
		return "tools.enabled, which does not name it"
	case isCorpora(name) && len(c.cfg.Corpora) == 0:
		return "corpora, which names none"
	case name == find.Name && !t.Lazy:
		return "tools.lazy"
	case name == "run_command" && !t.Shell.Enabled:
		return "tools.shell.enabled"
	case name == "run_code" && !t.Code.Enabled:
		return "tools.code.enabled"
	default:
		return ""
	}
}

// changes says whether a call of a tool has effects that a rule can ask about.
func changes(an tools.Annotations) bool {
	return !an.ReadOnly && !an.Speaks || an.Destructive || an.Executes
}

// approval is the reason for which a rule about a tool would change no question.
func (c toolCheck) approval(name, rule string) error {
	tool, ok := c.registry.Get(name)
	an, known := c.registry.Annotations(name)
	if rule == "" || !ok || !known || an.Composed {
		return nil
	}
	_, examines := tool.(tools.Examiner)
	reaches := examines && an.OpenWorld // an address that the model chose
	switch {
	case rule == "never" && name == "run_code":
		return errors.New("never cannot hold here, because a person is asked for all code: take it out")
	case rule == "never" || changes(an) || rule == "destructive" && reaches:
		return nil
	case reaches:
		return fmt.Errorf("%s changes nothing, so that side_effects asks no more than destructive does: write destructive", name)
	default:
		return fmt.Errorf("%s changes nothing, so that %s asks nobody: take it out, or write the tool into tools.disabled", name, rule)
	}
}
