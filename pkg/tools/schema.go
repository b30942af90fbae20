package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

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

// parametersOf gives a tool without parameters the schema that servers want to see.
func parametersOf(tool Tool) map[string]any {
	if p := tool.Parameters(); len(p) > 0 {
		return p
	}
	return map[string]any{"type": "object", "properties": map[string]any{}}
}

// compileSchema makes a validator of a tool's parameters. What the schema refers to
// must be its own: nothing is loaded.
func compileSchema(parameters map[string]any) (*jsonschema.Resolved, error) {
	if t, ok := parameters["type"]; ok && t != "object" {
		return nil, fmt.Errorf("the schema's type must be object, not %v", t)
	}
	b, err := json.Marshal(parameters)
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	doc := &jsonschema.Schema{}
	if err := json.Unmarshal(b, doc); err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	if err := checkTypes(doc); err != nil {
		return nil, fmt.Errorf("the schema is not valid: %w", err)
	}
	if m, err := providers.DecodeArguments(string(b)); err == nil { // one too large for a call is not looked at
		if err := checkChoices(m); err != nil {
			return nil, err
		}
	}
	s, err := doc.Resolve(&jsonschema.ResolveOptions{Loader: func(uri *url.URL) (*jsonschema.Schema, error) {
		return nil, fmt.Errorf("a tool's schema must not refer to %s", uri)
	}})
	if err != nil {
		return nil, fmt.Errorf("the schema is not valid: %w", err)
	}
	return s, nil
}

// checkTypes finds a type that there is none of, which the library lets pass.
func checkTypes(s *jsonschema.Schema) error {
	if s == nil {
		return nil
	}
	for _, t := range append([]string{s.Type}, s.Types...) {
		if !slices.Contains([]string{"", "object", "array", "string", "number", "integer", "boolean", "null"}, t) {
			return fmt.Errorf("there is no type %q", t)
		}
	}
	for _, one := range []*jsonschema.Schema{
		s.Items, s.AdditionalItems, s.Contains, s.UnevaluatedItems, s.AdditionalProperties, s.PropertyNames,
		s.UnevaluatedProperties, s.Not, s.If, s.Then, s.Else,
	} {
		if err := checkTypes(one); err != nil {
			return err
		}
	}
	for _, list := range [][]*jsonschema.Schema{s.PrefixItems, s.ItemsArray, s.AllOf, s.AnyOf, s.OneOf} {
		for _, one := range list {
			if err := checkTypes(one); err != nil {
				return err
			}
		}
	}
	for _, named := range []map[string]*jsonschema.Schema{s.Defs, s.Definitions, s.Properties, s.PatternProperties, s.DependentSchemas} {
		for _, one := range named {
			if err := checkTypes(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkChoices finds a number that a schema lets through by its value and that the
// library, which keeps a float64, would take for another one. Bounds are another
// matter: common schemas end at the largest int64, and one more or less is no harm.
func checkChoices(schema map[string]any) error {
	for key, v := range schema {
		var err error
		switch key {
		case "enum", "const":
			if n, found := findNumber(v); found {
				err = fmt.Errorf("%s: a call with the number %s cannot be told from others: write a text", key, clip(n.String(), maxProblemBytes))
			}
		case "default", "examples": // they are words for the model
		case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
			m, _ := v.(map[string]any)
			for _, one := range m {
				err = errors.Join(err, checkInner(one))
			}
		default:
			err = checkInner(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkInner looks at what a keyword holds: a schema, a list of them, or neither.
func checkInner(v any) error {
	switch v := v.(type) {
	case map[string]any:
		return checkChoices(v)
	case []any:
		for _, one := range v {
			if err := checkInner(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// findNumber finds a number that no float64 gives back.
func findNumber(v any) (json.Number, bool) {
	switch v := v.(type) {
	case json.Number:
		return v, true
	case map[string]any:
		for _, one := range v {
			if n, found := findNumber(one); found {
				return n, true
			}
		}
	case []any:
		for _, one := range v {
			if n, found := findNumber(one); found {
				return n, true
			}
		}
	}
	return "", false
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

// copySchema keeps what a tool does later to its own map away from other goroutines.
func copySchema(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = copySchema(e)
		}
		return m
	case []any:
		s := make([]any, len(v))
		for i, e := range v {
			s[i] = copySchema(e)
		}
		return s
	case []string:
		return append(make([]string, 0, len(v)), v...)
	default:
		return v
	}
}
