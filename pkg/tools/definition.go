package tools

import (
	"encoding/json"

	"parley/pkg/providers"
	"parley/pkg/tools/internal/output"
	"parley/pkg/tools/internal/schema"
)

// ToolToSchema describes a tool in the shape in which models read of it:
// {"type":"function","function":{"name":…,"description":…,"parameters":{…}}}.
func ToolToSchema(tool Tool) map[string]any {
	return schemaMap(tool.Name(), tool.Description(), parametersOf(tool))
}

func schemaMap(name, description string, parameters map[string]any) map[string]any {
	function := map[string]any{"name": name, "description": description, "parameters": parameters}
	return map[string]any{"type": "function", "function": function}
}

// DefinitionOf is a tool as it is sent to a model.
func DefinitionOf(tool Tool) providers.ToolDefinition {
	return definitionOf(tool.Name(), tool.Description(), parametersOf(tool))
}

func definitionOf(name, description string, parameters map[string]any) providers.ToolDefinition {
	parameters = schema.Wire(parameters)
	f := providers.FunctionDefinition{Name: name, Description: description, Parameters: parameters}
	if text, err := output.JSON(parameters); err == nil { // else the tool is disabled for its schema
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
