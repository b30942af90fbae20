package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/pkg/providers"
	"parley/pkg/text"
)

// Schema checks arguments. It is safe for concurrent use.
type Schema struct{ resolved *jsonschema.Resolved }

// Compile reads a tool's parameters, which must describe an object. The schema may
// refer to its own parts only, and no other is loaded.
func Compile(parameters map[string]any) (*Schema, error) {
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
	return &Schema{s}, nil
}

// checkTypes finds an unknown type, which the library lets pass.
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

// checkChoices finds a number in an enum or const that the library, which keeps a
// float64, would take for another one. Bounds may be off by one: common schemas end
// at the largest int64, where that does no harm.
func checkChoices(schema map[string]any) error {
	for key, v := range schema {
		var err error
		switch key {
		case "enum", "const":
			if n, found := findNumber(v); found {
				err = fmt.Errorf("%s: a call with the number %s cannot be told from others: write a text",
					key, text.ClipBytes(n.String(), MaxProblemBytes))
			}
		case "default", "examples": // hints for the model
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

// checkInner looks at the value of a keyword: a schema, a list of them, or another
// value.
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

// findNumber finds a number that has no exact float64.
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

// Copy copies a schema, so that later changes by its owner reach no other goroutine.
func Copy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = Copy(e)
		}
		return m
	case []any:
		s := make([]any, len(v))
		for i, e := range v {
			s[i] = Copy(e)
		}
		return s
	case []string:
		return append(make([]string, 0, len(v)), v...)
	default:
		return v
	}
}

// ValidName says whether servers take the name: ^[A-Za-z0-9_-]{1,64}$.
func ValidName(name string) bool {
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
