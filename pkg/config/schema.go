package config

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/invopop/jsonschema"
)

// Schema is the JSON Schema of the file, for editors.
func Schema() ([]byte, error) {
	r := jsonschema.Reflector{
		Anonymous: true, ExpandedStruct: true, FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true,
		Mapper: schemaOf,
	}
	s := r.Reflect(&Config{})
	s.Title = "Parley configuration"
	raw, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("configuration schema: %w", err)
	}
	return append(raw, '\n'), nil
}

// schemaOf describes the types whose text in the file is not that of their Go type.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[Secret]():
		return &jsonschema.Schema{
			Type: "string", Pattern: `^(env|file|credential):.+$`,
			Description: "Where the secret is: env:NAME, file:PATH or credential:NAME.",
		}
	case reflect.TypeFor[Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}
	case reflect.TypeFor[ID]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}}}
	default:
		return nil
	}
}
