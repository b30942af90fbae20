package gemini

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

const (
	maxSchemaDepth = 16
	maxSchemaNodes = 4000 // of a schema with its references followed
)

// The types of a schema.
const (
	typeObject  = "OBJECT"
	typeArray   = "ARRAY"
	typeString  = "STRING"
	typeNumber  = "NUMBER"
	typeInteger = "INTEGER"
	typeBoolean = "BOOLEAN"
)

// schema is a JSON Schema, or its form in this protocol: a part of OpenAPI's, with types
// in upper case. The server refuses a request with any keyword that it does not know.
type schema = map[string]any

// convertSchema gives the schema of a tool's arguments in the protocol's form; nil for
// one without properties, which the protocol leaves out.
func convertSchema(encoded []byte) (schema, error) {
	dec := json.NewDecoder(bytes.NewReader(encoded))
	dec.UseNumber()
	var root any
	if err := dec.Decode(&root); err != nil {
		return nil, err
	}
	source, ok := root.(schema)
	if !ok {
		return nil, nil //nolint:nilnil // no schema, no arguments
	}
	c := converter{root: source}
	out := c.convert(c.joined(source), 0)
	if len(properties(out)) == 0 {
		return nil, nil //nolint:nilnil // no arguments
	}
	return out, nil
}

// converter follows the references of one schema.
type converter struct {
	root  schema
	nodes int
}

// convert translates a schema and those below it.
func (c *converter) convert(s schema, depth int) schema {
	if c.nodes++; depth > maxSchemaDepth || c.nodes > maxSchemaNodes {
		return schema{"type": typeObject}
	}
	s = c.resolve(s, depth)
	if branches := branchesOf(s); len(branches) > 0 {
		return c.alternatives(s, branches, depth)
	}
	types, nullable := typesOf(s)
	if len(types) != 1 {
		kept := c.ofTypes(s, types, depth)
		if nullable {
			takeNone(kept)
		}
		return union(kept)
	}
	w := writer{source: s, out: schema{"type": types[0]}}
	if nullable {
		w.out["nullable"] = true
	}
	switch types[0] {
	case typeObject:
		c.object(&w, depth)
	case typeArray:
		c.array(&w, depth)
	case typeString:
		w.text()
	case typeNumber, typeInteger:
		w.number(types[0])
	}
	w.values(types[0])
	w.describe()
	return w.out
}

// branchesOf are the alternatives of a schema.
func branchesOf(s schema) []any {
	if branches := list(s["anyOf"]); len(branches) > 0 {
		return branches
	}
	return list(s["oneOf"])
}

// alternatives translates a schema with branches. The server takes no other keyword
// beside them, so the first branch gets the description.
func (c *converter) alternatives(s schema, branches []any, depth int) schema {
	around := maps.Clone(s)
	delete(around, "anyOf")
	delete(around, "oneOf")
	nullable := false
	var kept []any
	for _, b := range branches {
		branch, ok := b.(schema)
		if !ok {
			continue
		}
		branch = c.resolve(branch, depth)
		if branch["type"] == "null" {
			nullable = true
			continue
		}
		if len(kept) > 0 {
			delete(around, "description")
		}
		kept = append(kept, c.convert(merge(branch, around), depth+1))
	}
	if nullable {
		takeNone(kept)
	}
	return union(kept)
}

// ofTypes gives the alternatives of a schema of several types. A schema without a type
// takes any value.
func (c *converter) ofTypes(s schema, types []string, depth int) []any {
	if len(types) == 0 {
		types = []string{typeString, typeNumber, typeBoolean}
	}
	var kept []any
	for _, t := range types {
		one := maps.Clone(s)
		one["type"] = t
		if len(kept) > 0 {
			delete(one, "description")
		}
		kept = append(kept, c.convert(one, depth+1))
	}
	return kept
}

// takeNone lets each alternative be null.
func takeNone(kept []any) {
	for _, k := range kept {
		if one, ok := k.(schema); ok && one["anyOf"] == nil {
			one["nullable"] = true
		}
	}
}

// union is one of the alternatives, or null if kept is empty.
func union(kept []any) schema {
	if len(kept) == 0 {
		return schema{"type": typeString, "nullable": true}
	}
	if one, ok := kept[0].(schema); ok && len(kept) == 1 {
		return one
	}
	return schema{"anyOf": kept}
}

// typesOf reads the types of a schema, and infers one that is not named.
func typesOf(s schema) (types []string, nullable bool) {
	add := func(v any) {
		name, _ := v.(string)
		switch name = strings.ToUpper(name); name {
		case "NULL":
			nullable = true
		case typeObject, typeArray, typeString, typeNumber, typeInteger, typeBoolean:
			if !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
	}
	add(s["type"])
	for _, t := range list(s["type"]) {
		add(t)
	}
	if always, ok := s["nullable"].(bool); ok && always {
		nullable = true
	}
	if len(types) > 0 {
		return types, nullable
	}
	switch {
	case s["properties"] != nil || s["additionalProperties"] != nil:
		return []string{typeObject}, nullable
	case s["items"] != nil || s["prefixItems"] != nil:
		return []string{typeArray}, nullable
	}
	allowed := list(s["enum"])
	if v, ok := s["const"]; ok {
		allowed = []any{v}
	}
	for _, v := range allowed {
		add(typeOf(v))
	}
	return types, nullable
}

// typeOf names the type of a value.
func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return typeString
	case bool:
		return typeBoolean
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return typeInteger
		}
		return typeNumber
	case nil:
		return "null"
	default:
		return ""
	}
}

func (c *converter) object(w *writer, depth int) {
	w.keep("minProperties", "maxProperties")
	converted := schema{}
	for name, p := range properties(w.source) {
		below, ok := p.(schema)
		if !ok {
			below = schema{}
		}
		if name == "" {
			continue
		}
		converted[name] = c.convert(below, depth+1)
	}
	if len(converted) > 0 {
		w.out["properties"] = converted
	}
	var required []string
	for _, v := range list(w.source["required"]) {
		if name, ok := v.(string); ok && converted[name] != nil && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		w.out["required"] = required
	}
	if values, ok := w.source["additionalProperties"].(schema); ok {
		if types, _ := typesOf(values); len(types) == 1 {
			w.note("keys of your choice with values of type %s", strings.ToLower(types[0]))
		}
	}
}

func (c *converter) array(w *writer, depth int) {
	w.keep("minItems", "maxItems")
	items, ok := w.source["items"].(schema)
	if !ok {
		items = schema{}
		if places := append(list(w.source["prefixItems"]), list(w.source["items"])...); len(places) > 0 {
			items = schema{"anyOf": places}
		}
	}
	w.out["items"] = c.convert(items, depth+1)
	if unique, _ := w.source["uniqueItems"].(bool); unique {
		w.note("no item twice")
	}
}

func properties(s schema) schema {
	p, _ := s["properties"].(schema)
	return p
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
