package caller

import (
	"encoding/json"

	"parley/pkg/channels"
	"parley/pkg/providers"
)

// Tools are the tools that the program runs, as a model takes them.
func Tools(w *channels.Wish) []providers.ToolDefinition {
	if w == nil {
		return nil
	}
	var out []providers.ToolDefinition
	for i := range w.Caller {
		if t := &w.Caller[i]; t.Bound == "" {
			out = append(out, definition(t))
		}
	}
	return out
}

// definition is the tool as a model server takes it: some refuse an object that says nothing of
// its properties.
func definition(t *channels.CallerTool) providers.ToolDefinition {
	parameters := map[string]any{}
	if json.Unmarshal(t.Parameters, &parameters) != nil || parameters == nil {
		parameters = map[string]any{}
	}
	if len(parameters) == 0 {
		parameters["type"] = "object"
	}
	if _, ok := parameters["properties"].(map[string]any); !ok && parameters["type"] == "object" {
		parameters["properties"] = map[string]any{}
	}
	return providers.ToolDefinition{
		Type: "function", Function: providers.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: parameters},
	}
}

// Runs reports whether the program runs a tool.
func Runs(w *channels.Wish, tool string) bool {
	if w == nil {
		return false
	}
	for i := range w.Caller {
		if t := &w.Caller[i]; t.Name == tool && t.Bound == "" {
			return true
		}
	}
	return false
}

// binds reports whether the program has a name of its own for a tool of the gateway.
func binds(w *channels.Wish, tool string) bool {
	for i := range w.Caller {
		if w.Caller[i].Bound == tool {
			return true
		}
	}
	return false
}
