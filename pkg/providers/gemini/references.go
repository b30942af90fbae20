package gemini

import (
	"maps"
	"slices"
	"strings"
)

// joined is a schema of arguments without alternatives, which the protocol has only below
// properties: those of the root become one object that takes the properties of each.
func (c *converter) joined(s schema) schema {
	s = c.resolve(s, 0)
	for _, key := range []string{"anyOf", "oneOf"} {
		branches := list(s[key])
		if len(branches) == 0 {
			continue
		}
		s = maps.Clone(s)
		delete(s, key)
		for _, b := range branches {
			if branch, ok := b.(schema); ok {
				branch = maps.Clone(c.resolve(branch, 0))
				delete(branch, "required")
				s = merge(s, branch)
			}
		}
	}
	s["type"] = "object"
	return s
}

// resolve follows a reference and joins all parts of allOf.
func (c *converter) resolve(s schema, depth int) schema {
	s = maps.Clone(s)
	if c.nodes++; c.nodes > maxSchemaNodes {
		depth = maxSchemaDepth
	}
	if ref, ok := s["$ref"].(string); ok {
		delete(s, "$ref")
		if target := c.lookUp(ref); target != nil && depth < maxSchemaDepth {
			s = merge(s, c.resolve(target, depth+1))
		}
	}
	all := list(s["allOf"])
	delete(s, "allOf")
	for _, one := range all {
		if part, ok := one.(schema); ok && depth < maxSchemaDepth {
			s = merge(s, c.resolve(part, depth+1))
		}
	}
	return s
}

// lookUp finds a part of the schema by a reference such as #/$defs/point.
func (c *converter) lookUp(ref string) schema {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := c.root
	for key := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if key == "" {
			continue
		}
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		if at, ok = at[key].(schema); !ok {
			return nil
		}
	}
	return at
}

// merge adds a schema to another, which has precedence but for properties and required,
// which are joined.
func merge(s, more schema) schema {
	for key, v := range more {
		switch key {
		case "properties":
			joined := maps.Clone(properties(more))
			maps.Copy(joined, properties(s))
			s[key] = joined
		case "required":
			s[key] = append(slices.Clone(list(s[key])), list(v)...)
		default:
			if _, there := s[key]; !there {
				s[key] = v
			}
		}
	}
	return s
}
