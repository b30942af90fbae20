package fakegemini

import (
	"fmt"
	"regexp"
	"slices"
)

func legalName(name string) bool {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$`).MatchString(name)
}

// checkTools gives the names of the declared functions, and the first broken rule.
func checkTools(v any) (declared []string, broken string) {
	for _, t := range list(v) {
		for key := range object(t) {
			if key != "functionDeclarations" {
				return nil, unknown(key, "tools[0]")
			}
		}
		for i, d := range list(object(t)["functionDeclarations"]) {
			f := object(d)
			name, _ := f["name"].(string)
			if !legalName(name) || slices.Contains(declared, name) {
				return nil, fmt.Sprintf("* GenerateContentRequest.tools[0].function_declarations[%d].name: Invalid function name %q.", i, name)
			}
			declared = append(declared, name)
			where := fmt.Sprintf("tools[0].function_declarations[%d].parameters", i)
			for key := range f {
				if key != "name" && key != "description" && key != "parameters" {
					return nil, unknown(key, where)
				}
			}
			if f["parameters"] == nil {
				continue
			}
			if object(f["parameters"])["type"] != "OBJECT" {
				return nil, where + ".type: should be OBJECT"
			}
			if broken := CheckSchema(f["parameters"], where); broken != "" {
				return nil, broken
			}
		}
	}
	return declared, ""
}

// CheckSchema gives the first rule that a schema breaks, or "".
func CheckSchema(v any, where string) string {
	s := object(v)
	if s == nil {
		return where + ": not an object"
	}
	if broken := checkKeywords(s, where); broken != "" {
		return broken
	}
	if branches := list(s["anyOf"]); len(branches) > 0 {
		if len(s) > 1 {
			return where + ": schema specified other fields alongside any_of. When using any_of, it must be the only field set."
		}
		for i, b := range branches {
			if broken := CheckSchema(b, fmt.Sprintf("%s.any_of[%d]", where, i)); broken != "" {
				return broken
			}
		}
		return ""
	}
	kind, _ := s["type"].(string)
	if broken := checkKind(s, kind, where); broken != "" {
		return broken
	}
	if kind == "ARRAY" {
		return CheckSchema(s["items"], where+".items")
	}
	for name, p := range object(s["properties"]) {
		if broken := CheckSchema(p, where+".properties["+name+"]"); broken != "" {
			return broken
		}
	}
	return ""
}

// checkKeywords checks that each keyword is known, and fits the type.
func checkKeywords(s map[string]any, where string) string {
	kinds := map[string][]string{
		"type": nil, "anyOf": nil, "description": nil, "nullable": nil,
		"properties": {"OBJECT"}, "required": {"OBJECT"}, "minProperties": {"OBJECT"}, "maxProperties": {"OBJECT"},
		"items": {"ARRAY"}, "minItems": {"ARRAY"}, "maxItems": {"ARRAY"},
		"enum": {"STRING"}, "minLength": {"STRING"}, "maxLength": {"STRING"}, "pattern": {"STRING"},
		"minimum": {"NUMBER", "INTEGER"}, "maximum": {"NUMBER", "INTEGER"},
		"format": {"STRING", "NUMBER", "INTEGER"},
	}
	kind, _ := s["type"].(string)
	for key := range s {
		fits, known := kinds[key]
		switch {
		case !known:
			return unknown(key, where)
		case len(fits) > 0 && !slices.Contains(fits, kind):
			return fmt.Sprintf("%s.%s: only allowed for %v type", where, key, fits)
		}
	}
	return ""
}

func checkKind(s map[string]any, kind, where string) string {
	switch kind {
	case "OBJECT":
		return checkObject(s, where)
	case "ARRAY":
		if s["items"] == nil {
			return where + ".items: missing field."
		}
	case "STRING":
		return checkString(s, where)
	case "NUMBER", "INTEGER":
		formats := map[string][]string{"NUMBER": {"float", "double"}, "INTEGER": {"int32", "int64"}}[kind]
		if f, ok := s["format"].(string); ok && !slices.Contains(formats, f) {
			return where + ".format: not supported"
		}
	case "BOOLEAN":
	default:
		return fmt.Sprintf("Invalid value at '%s.type': %q", where, kind)
	}
	return ""
}

func checkObject(s map[string]any, where string) string {
	properties, ok := s["properties"]
	if ok && len(object(properties)) == 0 {
		return where + ".properties: should be non-empty for OBJECT type"
	}
	for i, r := range list(s["required"]) {
		if name, _ := r.(string); object(properties)[name] == nil {
			return fmt.Sprintf("%s.required[%d]: property is not defined", where, i)
		}
	}
	return ""
}

func checkString(s map[string]any, where string) string {
	if f, ok := s["format"].(string); ok && f != "enum" && f != "date-time" {
		return where + ".format: only 'enum' and 'date-time' are supported for STRING type"
	}
	values, ok := s["enum"]
	if ok && len(list(values)) == 0 {
		return where + ".enum: should be non-empty"
	}
	for i, v := range list(values) {
		if text, _ := v.(string); text == "" {
			return fmt.Sprintf("%s.enum[%d]: cannot be empty", where, i)
		}
	}
	return ""
}
