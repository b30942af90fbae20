package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// encodeTools writes the array of the offered tools, with a marker for the cache at its end.
func encodeTools(defs []providers.ToolDefinition, marker string) ([]byte, error) {
	b := []byte{'['}
	for i := range defs {
		f := &defs[i].Function
		schema, err := inputSchema(f)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = exchange.AppendString(b, f.Name)
		if f.Description != "" {
			b = append(b, `,"description":`...)
			b = exchange.AppendString(b, f.Description)
		}
		b = append(b, `,"input_schema":`...)
		b = append(b, schema...)
		if i == len(defs)-1 {
			b = append(b, marker...)
		}
		b = append(b, '}')
	}
	return append(b, ']'), nil
}

// inputSchema gives a tool's schema as the server takes it: of the type object, and
// without alternatives at its top, which it refuses.
func inputSchema(f *providers.FunctionDefinition) (json.RawMessage, error) {
	refused := [...]string{"anyOf", "oneOf", "allOf"}
	parameters := f.Parameters
	if parameters == nil && len(f.Encoded) > 0 {
		if err := json.Unmarshal(f.Encoded, &parameters); err != nil {
			return nil, fmt.Errorf("read the parameters of %s: %w", f.Name, err)
		}
	}
	plain := parameters["type"] == "object"
	for _, word := range refused {
		_, has := parameters[word]
		plain = plain && !has
	}
	if plain && len(f.Encoded) > 0 {
		return f.Encoded, nil
	}
	schema := map[string]any{}
	for word, value := range parameters {
		if !slices.Contains(refused[:], word) {
			schema[word] = value
		}
	}
	schema["type"] = "object"
	b, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("encode the parameters of %s: %w", f.Name, err)
	}
	return b, nil
}

// called are the tools that a conversation calls, for a request that offers no tools: the
// server wants the tools of all calls defined.
func called(messages []providers.Message) []providers.ToolDefinition {
	var defs []providers.ToolDefinition
	seen := map[string]bool{}
	for i := range messages {
		for j := range messages[i].ToolCalls {
			if name := messages[i].ToolCalls[j].Name; !seen[name] {
				seen[name] = true
				defs = append(defs, providers.ToolDefinition{Function: providers.FunctionDefinition{Name: name}})
			}
		}
	}
	return defs
}
