package caller

import (
	"encoding/json"

	"parley/pkg/channels"
	"parley/pkg/providers"
)

// Tools are the tools that the program runs, as a model takes them.
func Tools(w *channels.Wish) []providers.ToolDefinition {
	if w == nil || len(w.Caller) == 0 {
		return nil
	}
	out := make([]providers.ToolDefinition, len(w.Caller))
	for i := range w.Caller {
		t := &w.Caller[i]
		f := providers.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: map[string]any{}}
		if json.Unmarshal(t.Parameters, &f.Parameters) != nil || len(f.Parameters) == 0 {
			f.Parameters = map[string]any{"type": "object", "properties": map[string]any{}}
		}
		out[i] = providers.ToolDefinition{Type: "function", Function: f}
	}
	return out
}

// Runs reports whether the program runs a tool.
func Runs(w *channels.Wish, tool string) bool {
	if w == nil {
		return false
	}
	for i := range w.Caller {
		if w.Caller[i].Name == tool {
			return true
		}
	}
	return false
}
