package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Infer makes the schema of a Go type. Every property gets one type, because some
// servers refuse a list of types. Beside the tags of the library, a field of the struct
// may have enum, a list with commas, and minimum and maximum, which are numbers.
func Infer[In any]() (map[string]any, error) {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, fmt.Errorf("no schema can be made: %w", err)
	}
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	dropNull(m)
	return m, bound[In](m)
}

// bound puts the bounds of the fields' tags into the schema.
func bound[In any](m map[string]any) error {
	properties, _ := m["properties"].(map[string]any)
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		property, ok := properties[name].(map[string]any)
		if !ok {
			continue
		}
		if list := f.Tag.Get("enum"); list != "" {
			var all []any
			for one := range strings.SplitSeq(list, ",") {
				all = append(all, one)
			}
			property["enum"] = all
		}
		for _, key := range []string{"minimum", "maximum"} {
			tag := f.Tag.Get(key)
			if tag == "" {
				continue
			}
			n, err := strconv.ParseFloat(tag, 64)
			if err != nil {
				return fmt.Errorf("the %s of %s is no number: %w", key, name, err)
			}
			property[key] = n
		}
	}
	return nil
}

// dropNull replaces the type ["null", T] by T.
func dropNull(v any) {
	switch v := v.(type) {
	case map[string]any:
		if list, ok := v["type"].([]any); ok && len(list) == 2 && list[0] == "null" {
			v["type"] = list[1]
		}
		for _, e := range v {
			dropNull(e)
		}
	case []any:
		for _, e := range v {
			dropNull(e)
		}
	}
}
