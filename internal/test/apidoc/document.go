package apidoc

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"

	"parley/pkg/api/spec"
)

// Document is the OpenAPI document. Requests are held against it as it stands: unknown fields
// pass. Answers are held against a copy of it in which objects have no other fields than it names.
type Document struct {
	asked, answered *openapi3.T
	// fields are the names of all fields and parameters.
	fields map[string]bool
}

// Load reads the document, which must be a valid one.
func Load(tb testing.TB) *Document {
	tb.Helper()
	raw, err := spec.Document()
	if err != nil {
		tb.Fatal(err)
	}
	d := &Document{fields: map[string]bool{}}
	var whole map[string]any
	if err := json.Unmarshal(raw, &whole); err != nil {
		tb.Fatal(err)
	}
	d.asked = read(tb, raw)
	if err := d.asked.Validate(tb.Context()); err != nil {
		tb.Fatalf("the document is no OpenAPI document: %v", err)
	}
	d.note(whole)
	closed(whole)
	if raw, err = json.Marshal(whole); err != nil {
		tb.Fatal(err)
	}
	d.answered = read(tb, raw)
	return d
}

func read(tb testing.TB, raw []byte) *openapi3.T {
	tb.Helper()
	t, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// note collects the names of fields and parameters.
func (d *Document) note(v any) {
	switch v := v.(type) {
	case map[string]any:
		if fields, ok := v["properties"].(map[string]any); ok {
			for name := range fields {
				d.fields[name] = true
			}
		}
		if name, ok := v["name"].(string); ok && v["in"] != nil {
			d.fields[name] = true
		}
		for _, below := range v {
			d.note(below)
		}
	case []any:
		for _, below := range v {
			d.note(below)
		}
	}
}

// closed lets the objects of a document have no other fields than it names.
func closed(v any) {
	switch v := v.(type) {
	case map[string]any:
		_, has := v["properties"].(map[string]any)
		if _, said := v["additionalProperties"]; has && !said {
			v["additionalProperties"] = false
		}
		for _, below := range v {
			closed(below)
		}
	case []any:
		for _, below := range v {
			closed(below)
		}
	}
}

// Operation is one of the document.
type Operation struct {
	// Method and Path are those of a request; the path has names in braces.
	Method, Path string
	// Open says that it takes no token.
	Open bool
}

// Operations are all of the document, in order.
func (d *Document) Operations() []Operation {
	var all []Operation
	for path, item := range d.asked.Paths.Map() {
		for method, op := range item.Operations() {
			all = append(all, Operation{method, path, op.Security != nil && len(*op.Security) == 0})
		}
	}
	slices.SortFunc(all, func(a, b Operation) int { return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method) })
	return all
}

// find is the operation of a request in a document, with the parameters of its path; nil where there is
// none.
func find(in *openapi3.T, method string, at *url.URL) (*routers.Route, map[string]string) {
	var best *routers.Route
	var with map[string]string
	for path, item := range in.Paths.Map() {
		op := item.GetOperation(method)
		params, ok := fits(path, at.EscapedPath(), item)
		if op == nil || !ok || best != nil && len(params) >= len(with) {
			continue
		}
		best = &routers.Route{Spec: in, Path: path, PathItem: item, Method: method, Operation: op}
		with = params
	}
	return best, with
}

// fits says whether a path is one of a template.
func fits(template, path string, item *openapi3.PathItem) (map[string]string, bool) {
	wants, has := strings.Split(template, "/"), strings.Split(path, "/")
	if n := len(wants); len(has) > n && takesRest(item) {
		has = append(has[:n-1:n-1], strings.Join(has[n-1:], "/"))
	}
	if len(has) != len(wants) {
		return nil, false
	}
	params := map[string]string{}
	for i, want := range wants {
		name, isParam := strings.CutPrefix(want, "{")
		value, err := url.PathUnescape(has[i])
		if err != nil || !isParam && want != value || isParam && value == "" {
			return nil, false
		}
		if isParam {
			params[strings.TrimSuffix(name, "}")] = value
		}
	}
	return params, true
}

// takesRest says whether the last parameter of a path may have slashes.
func takesRest(item *openapi3.PathItem) bool {
	return slices.ContainsFunc(item.Parameters, func(p *openapi3.ParameterRef) bool {
		slashes, _ := p.Value.Extensions["x-slashes"].(bool)
		return slashes
	})
}

// schema is a component of the document for answers.
func (d *Document) schema(name string) (*openapi3.Schema, error) {
	ref := d.answered.Components.Schemas[name]
	if ref == nil {
		return nil, fmt.Errorf("the document has no schema %s", name)
	}
	return ref.Value, nil
}
