package composed

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/pkg/tools"
)

// SpecError describes the mistakes in a spec.
type SpecError struct {
	// Step is counted from 1; 0 stands for the tool as a whole.
	Step int
	Text string
}

// Error names the step.
func (p SpecError) Error() string {
	if p.Step == 0 {
		return p.Text
	}
	return fmt.Sprintf("step %d: %s", p.Step, p.Text)
}

// Known finds a tool by its name. The tool is nil where no more than the name is
// known of it.
type Known func(name string) (tools.Tool, bool)

// Check returns all mistakes in a spec, or nil.
func Check(s Spec, known Known) error {
	var errs []error
	for _, p := range Problems(s, known) {
		errs = append(errs, p)
	}
	return errors.Join(errs...)
}

// Problems lists the mistakes in a spec, with the steps at which every call of the
// tool would fail.
func Problems(s Spec, known Known) []SpecError {
	var out []SpecError
	add := func(step int, format string, args ...any) {
		out = append(out, SpecError{step, fmt.Sprintf(format, args...)})
	}
	if s.Description == "" {
		add(0, "it has no description")
	}
	if len(s.Steps) == 0 || len(s.Steps) > maxSteps {
		add(0, "it has %d steps, and needs 1 to %d", len(s.Steps), maxSteps)
	}
	used := map[string]bool{}
	for i, step := range s.Steps {
		for _, text := range stepProblems(s, i, known) {
			add(i+1, "%s", text)
		}
		for _, name := range names(step.Arguments) {
			used[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		_, err := strconv.Atoi(name)
		switch {
		case err == nil || !slices.Equal(names("{{"+name+"}}"), []string{name}):
			add(0, "%q cannot be the name of a parameter: write letters, digits and _, and no number", name)
		case !used[name]:
			add(0, "the parameter %q is used in no step: write {{%s}} where it belongs, or take it out", name, name)
		}
	}
	return out
}

// stepProblems lists the mistakes in one step, counted from 0.
func stepProblems(s Spec, i int, known Known) []string {
	var out []string
	for _, name := range names(s.Steps[i].Arguments) {
		n, err := strconv.Atoi(name)
		_, isParameter := s.Parameters[name]
		switch {
		case err == nil && (n < 1 || n > i):
			out = append(out, fmt.Sprintf("{{%s}} is no earlier step", name))
		case err != nil && !isParameter:
			out = append(out, fmt.Sprintf("{{%s}} is no parameter", name))
		}
	}
	switch tool, ok := known(s.Steps[i].Tool); {
	case !ok:
		out = append(out, fmt.Sprintf("there is no tool %q", s.Steps[i].Tool))
	case tool != nil:
		out = append(out, misfits(tool, s.Steps[i].Arguments)...)
	}
	return out
}

// misfits says why a tool would refuse a step's arguments, whatever they are filled with.
func misfits(tool tools.Tool, args map[string]any) []string {
	schema := tool.Parameters()
	properties, _ := schema["properties"].(map[string]any)
	var out []string
	if _, async := tool.(tools.AsyncTool); async && args["background"] == true {
		out = append(out, "it would go on in the background, and no step can wait for that: take background out")
	}
	for _, name := range texts(schema["required"]) {
		if _, ok := args[name]; !ok {
			out = append(out, fmt.Sprintf("%s needs the argument %q", tool.Name(), name))
		}
	}
	closed := schema["additionalProperties"] == false
	for _, name := range slices.Sorted(maps.Keys(args)) {
		property, ok := properties[name].(map[string]any)
		switch {
		case !ok && closed:
			out = append(out, fmt.Sprintf("%s takes no argument %q: it takes %q", tool.Name(), name, slices.Sorted(maps.Keys(properties))))
		case ok:
			if err := fits(property, args[name]); err != nil {
				out = append(out, fmt.Sprintf("the argument %q does not fit: %v", name, err))
			}
		}
	}
	return out
}

// texts are the texts of a list.
func texts(v any) []string {
	switch v := v.(type) {
	case []string:
		return v
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	default:
		return nil
	}
}

// fits checks a value against its schema. A value with a name in braces is only known
// to be a text. The call checks the rest, which the schema cannot tell alone.
func fits(schema map[string]any, v any) error {
	if s, ok := v.(string); ok && len(names(s)) > 0 {
		if kinds := append(texts(schema["type"]), fmt.Sprint(schema["type"])); schema["type"] != nil && !slices.Contains(kinds, "string") {
			return fmt.Errorf("%q is always a text, and this is of the type %v", s, schema["type"])
		}
		return nil
	}
	if len(names(v)) > 0 {
		return nil
	}
	var parsed jsonschema.Schema
	raw, err := json.Marshal(schema)
	if err != nil || json.Unmarshal(raw, &parsed) != nil {
		return nil //nolint:nilerr // the registry disables such a tool
	}
	whole, err := parsed.Resolve(nil)
	if err != nil {
		return nil //nolint:nilerr // it refers to a part of the whole schema
	}
	var instance any
	if raw, err = json.Marshal(v); err == nil {
		err = json.Unmarshal(raw, &instance)
	}
	if err == nil {
		err = whole.Validate(instance)
	}
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "validating root: "))
	}
	return nil
}
