package apidoc

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Body is a body of a request, which its route must take or refuse.
type Body struct {
	// About is the field that the body is about.
	About string
	Text  string
	Takes bool
}

// Bodies are bodies of an operation. Each example of a field makes one that the route takes, beside the examples
// of the fields that it needs; a value that the document does not allow makes one that it refuses, and so does a
// field that is missing. A value of null counts as no value everywhere, and is not tried.
func (d *Document) Bodies(tb testing.TB, method, path string) []Body {
	tb.Helper()
	route, _ := find(d.asked, method, &url.URL{Path: path})
	if route == nil || route.Operation.RequestBody == nil {
		tb.Fatalf("%s %s has no body in the document", method, path)
	}
	schema := route.Operation.RequestBody.Value.Content.Get("application/json").Schema.Value
	required := schema.Required
	if len(schema.AnyOf) > 0 { // the first of several ways
		required = append(slices.Clip(required), schema.AnyOf[0].Value.Required...)
	}
	needed := map[string]any{}
	for _, name := range required {
		needed[name] = example(tb, schema, name)
	}
	all := []Body{bodyOf(tb, "the needed fields", needed, true)}
	for _, name := range required {
		less := maps.Clone(needed)
		delete(less, name)
		all = append(all, bodyOf(tb, name+" missing", less, false))
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		with := maps.Clone(needed)
		for _, value := range schema.Properties[name].Value.Examples {
			with[name] = value
			all = append(all, bodyOf(tb, fmt.Sprintf("%s of %v", name, value), with, true))
		}
		for _, value := range []any{true, 2.0, -1.0, 0.5, "", "none of these", []any{}, []any{1.0}, map[string]any{}, []any{map[string]any{}}} {
			if schema.Properties[name].Value.VisitJSON(value, openapi3.EnableJSONSchema2020()) != nil {
				with[name] = value
				all = append(all, bodyOf(tb, fmt.Sprintf("%s of %v", name, value), with, false))
			}
		}
	}
	return all
}

// example is the first one of a field.
func example(tb testing.TB, schema *openapi3.Schema, name string) any {
	tb.Helper()
	property := schema.Properties[name]
	if property == nil || len(property.Value.Examples) == 0 {
		tb.Fatalf("the document has no example of the field %s", name)
	}
	return property.Value.Examples[0]
}

func bodyOf(tb testing.TB, about string, fields map[string]any, takes bool) Body {
	tb.Helper()
	text, err := json.Marshal(fields)
	if err != nil {
		tb.Fatal(err)
	}
	return Body{about, string(text), takes}
}
