package schema

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Infer makes the schema of a Go type. Every property gets one type, because some
// servers refuse a list of types.
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
	return m, nil
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
