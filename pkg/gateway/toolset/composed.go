package toolset

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/providers"
	"parley/pkg/tools"
	"parley/pkg/tools/composed"
)

// addComposed registers the configuration's sequences. One that is broken is
// reported and kept, disabled.
func addComposed(r *tools.ToolRegistry, specs map[string]config.ComposedTool, log zerolog.Logger) {
	known := knownTools(r, specs)
	for _, name := range inwardFirst(specs) {
		spec, err := composedSpec(name, specs[name])
		err = errors.Join(err, composed.Check(spec, known))
		tool := composed.New(spec, r.Annotations)
		if err != nil {
			tool = tools.Broken(name, fmt.Errorf("tools.composed.%s: %w", name, err))
		}
		if err := r.RegisterWith(tool, tools.RegisterOptions{Community: true}); err != nil {
			log.Error().Err(err).Str("tool", name).Msg("a composed tool is left out")
		}
	}
}

// knownTools are those of the registry and the sequences, whichever come first.
func knownTools(r *tools.ToolRegistry, specs map[string]config.ComposedTool) composed.Known {
	return func(name string) (tools.Tool, bool) {
		tool, ok := r.Get(name)
		_, too := specs[name]
		return tool, ok || too
	}
}

// inwardFirst are the names of the sequences, each behind those that it calls, so that
// these are known when it is registered. Those that call each other come last: of these
// too little is known, and that counts as the worst.
func inwardFirst(specs map[string]config.ComposedTool) []string {
	var out []string
	waiting := slices.Sorted(maps.Keys(specs))
	for more := true; more; {
		more = false
		waiting = slices.DeleteFunc(waiting, func(name string) bool {
			for _, step := range specs[name].Steps {
				if _, too := specs[step.Tool]; too && !slices.Contains(out, step.Tool) {
					return false
				}
			}
			out, more = append(out, name), true
			return true
		})
	}
	return append(out, waiting...)
}

// composedSpec takes the arguments over as JSON has them.
func composedSpec(name string, c config.ComposedTool) (composed.Spec, error) {
	spec := composed.Spec{Name: name, Description: c.Description, Parameters: c.Parameters}
	for i, step := range c.Steps {
		raw, err := json.Marshal(step.Arguments)
		if err != nil {
			return spec, fmt.Errorf("step %d: %w", i+1, err)
		}
		s := composed.Step{Tool: step.Tool}
		if s.Arguments, err = providers.DecodeArguments(string(raw)); err != nil {
			return spec, fmt.Errorf("step %d: %w", i+1, err)
		}
		spec.Steps = append(spec.Steps, s)
	}
	return spec, nil
}
