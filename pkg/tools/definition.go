package tools

import (
	"encoding/json"

	"parley/pkg/providers"
)

// ToolToSchema describes a tool as it is sent to a model:
// {"type":"function","function":{"name":…,"description":…,"parameters":{…}}}.
func ToolToSchema(tool Tool) map[string]any {
	return schemaMap(tool.Name(), tool.Description(), parametersOf(tool))
}

func schemaMap(name, description string, parameters map[string]any) map[string]any {
	return map[string]any{
		"type": "function",
		"function": map[string]any{
			"name":        name,
			"description": description,
			"parameters":  parameters,
		},
	}
}

func definitionOf(name, description string, parameters map[string]any) providers.ToolDefinition {
	f := providers.FunctionDefinition{Name: name, Description: description, Parameters: parameters}
	if text, err := jsonText(parameters); err == nil { // else the tool is disabled for its schema
		f.Encoded = json.RawMessage(text)
	}
	return providers.ToolDefinition{Type: "function", Function: f}
}

// parametersOf gives a tool without parameters the empty schema that servers want to see.
func parametersOf(tool Tool) map[string]any {
	if p := tool.Parameters(); len(p) > 0 {
		return p
	}
	return map[string]any{"type": "object", "properties": map[string]any{}}
}

// validName says whether servers take the name: ^[A-Za-z0-9_-]{1,64}$.
func validName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
