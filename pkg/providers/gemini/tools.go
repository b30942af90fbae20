package gemini

import (
	"encoding/json"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// encodeTools writes the field "tools", with a comma behind.
func encodeTools(defs []providers.ToolDefinition, _ string) ([]byte, error) {
	b := []byte(`"tools":[{"functionDeclarations":[`)
	for i := range defs {
		f := &defs[i].Function
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = exchange.AppendString(b, wireName(f.Name))
		if f.Description != "" {
			b = append(b, `,"description":`...)
			b = exchange.AppendString(b, f.Description)
		}
		parameters, err := parametersOf(f)
		if err != nil {
			return nil, err
		}
		if parameters != nil { // the server refuses an object without properties
			b = append(b, `,"parameters":`...)
			b = append(b, parameters...)
		}
		b = append(b, '}')
	}
	return append(b, `]}],`...), nil
}

// parametersOf converts the schema of a tool; nil for a tool without arguments.
func parametersOf(f *providers.FunctionDefinition) ([]byte, error) {
	encoded := []byte(f.Encoded)
	if len(encoded) == 0 {
		var err error
		if encoded, err = json.Marshal(f.Parameters); err != nil {
			return nil, schemaError(f, err)
		}
	}
	converted, err := convertSchema(encoded)
	if err != nil {
		return nil, schemaError(f, err)
	}
	if converted == nil {
		return nil, nil
	}
	b, err := json.Marshal(converted)
	if err != nil {
		return nil, schemaError(f, err)
	}
	return b, nil
}

func schemaError(f *providers.FunctionDefinition, err error) error {
	return &providers.Error{Kind: providers.KindInvalid, Message: "the schema of the tool " + f.Name + " cannot be sent", Err: err}
}
