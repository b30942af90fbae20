package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/pkg/strictyaml"
)

// Schema is the JSON Schema of the file, for editors. It is made of the tags that the
// loader holds the file against.
func Schema() ([]byte, error) {
	r := reflector{defs: map[string]*jsonschema.Schema{}}
	s := r.structure(reflect.TypeFor[Config]())
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "Parley configuration"
	s.Defs = r.defs
	raw, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("configuration schema: %w", err)
	}
	return append(raw, '\n'), nil
}

// reflector describes Go types; every struct but the outermost is one of defs.
type reflector struct {
	defs map[string]*jsonschema.Schema
}

// structure describes a struct by the yaml names of its fields.
func (r reflector) structure(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}, // no further key
	}
	for f := range t.Fields() {
		name := f.Tag.Get("yaml")
		if name == "" {
			continue // the file does not set it
		}
		s.Properties[name] = r.field(f)
		s.PropertyOrder = append(s.PropertyOrder, name)
		if hasWord(f.Tag, "required") {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// field describes a field with the limits and the description of its tags.
func (r reflector) field(f reflect.StructField) *jsonschema.Schema {
	s := r.value(f.Type)
	s.Description = cmp.Or(f.Tag.Get("jsonschema_description"), s.Description)
	limited := s
	for limited.Items != nil {
		limited = limited.Items
	}
	for _, word := range strictyaml.TagValues(f.Tag, "enum") {
		limited.Enum = append(limited.Enum, word)
	}
	for _, p := range strictyaml.TagValues(f.Tag, "pattern") {
		limited.Pattern = p
	}
	limited.Minimum = numberIn(f.Tag, "minimum")
	limited.Maximum = numberIn(f.Tag, "maximum")
	if n := numberIn(f.Tag, "maxLength"); n != nil {
		limited.MaxLength = new(int(*n))
	}
	return s
}

// value describes a type; named types with a text form other than their Go type come
// first.
func (r reflector) value(t reflect.Type) *jsonschema.Schema {
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
	}
	switch t.Kind() {
	case reflect.Pointer:
		return r.value(t.Elem())
	case reflect.Struct:
		if _, known := r.defs[t.Name()]; !known {
			r.defs[t.Name()] = nil // it may contain itself
			r.defs[t.Name()] = r.structure(t)
		}
		return &jsonschema.Schema{Ref: "#/$defs/" + t.Name()}
	case reflect.Map:
		s := &jsonschema.Schema{Type: "object"}
		if t.Elem().Kind() != reflect.Interface {
			s.AdditionalProperties = r.value(t.Elem())
		}
		return s
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: r.value(t.Elem())}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	default:
		return &jsonschema.Schema{} // any value
	}
}

// numberIn is a number that a tag sets, or nil.
func numberIn(tag reflect.StructTag, name string) *float64 {
	for _, text := range strictyaml.TagValues(tag, name) {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return &n
		}
	}
	return nil
}

// hasWord says whether a word stands in a field's tag.
func hasWord(tag reflect.StructTag, word string) bool {
	return slices.Contains(strings.Split(tag.Get("jsonschema"), ","), word)
}
