package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// fault says in a sentence why a schema refuses a value, beside the members and items
// of the value; "" where a keyword refuses it that has no sentence here.
func fault(s *jsonschema.Schema, v any) string {
	return cmp.Or(wrongType(s, v), wrongExtent(s, v), wrongChoice(s, v))
}

// wrongExtent says that a text, a list or an object is too short or too long, or that a
// number is out of its bounds.
func wrongExtent(s *jsonschema.Schema, v any) string {
	switch v := v.(type) {
	case string:
		return wrongSize(utf8.RuneCountInString(v), s.MinLength, s.MaxLength, textMinLength, textMaxLength)
	case []any:
		return wrongSize(len(v), s.MinItems, s.MaxItems, textMinItems, textMaxItems)
	case map[string]any:
		return wrongSize(len(v), s.MinProperties, s.MaxProperties, textMinMembers, textMaxMembers)
	default:
		return outOfBounds(s, v)
	}
}

// wrongChoice says that a value is none of those that a schema lists, has another form
// than its pattern, or repeats items.
func wrongChoice(s *jsonschema.Schema, v any) string {
	switch {
	case s.Const != nil && !validates(&jsonschema.Schema{Const: s.Const}, v):
		return fmt.Sprintf(textMustEqual, encoded(*s.Const))
	case s.Enum != nil && !validates(&jsonschema.Schema{Enum: s.Enum}, v):
		choices := make([]string, len(s.Enum))
		for i, choice := range s.Enum {
			choices[i] = encoded(choice)
		}
		return fmt.Sprintf(textMustBeOneOf, strings.Join(choices, textListedChoice))
	case s.Pattern != "" && !validates(&jsonschema.Schema{Pattern: s.Pattern}, v):
		return fmt.Sprintf(textPattern, s.Pattern)
	case s.UniqueItems && !validates(&jsonschema.Schema{UniqueItems: true}, v):
		return textUnique
	default:
		return ""
	}
}

// validates says whether a schema of one keyword takes a value.
func validates(s *jsonschema.Schema, v any) bool {
	whole, err := s.Resolve(nil)
	return err == nil && whole.Validate(v) == nil
}

// wrongType names the types that a schema takes and the one that a value has; "" where
// these fit.
func wrongType(s *jsonschema.Schema, v any) string {
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if types == nil || validates(&jsonschema.Schema{Types: types}, v) {
		return ""
	}
	if slices.Contains(types, "integer") && isNumber(v) {
		return textMustBeWhole
	}
	names := map[string]string{
		"string": textTypeString, "number": textTypeNumber, "integer": textTypeInteger, "boolean": textTypeBoolean,
		"object": textTypeObject, "array": textTypeArray, "null": textTypeNull,
	}
	wanted := make([]string, len(types))
	for i, t := range types {
		wanted[i] = names[t]
	}
	return fmt.Sprintf(textMustBe, strings.Join(wanted, textTypeOr), typeOf(v))
}

func isNumber(v any) bool {
	switch v.(type) {
	case float64, int64, uint64, json.Number:
		return true
	default:
		return false
	}
}

// typeOf names the type of a value.
func typeOf(v any) string {
	switch v.(type) {
	case string:
		return textTypeString
	case bool:
		return textTypeBoolean
	case map[string]any:
		return textTypeObject
	case []any:
		return textTypeArray
	case nil:
		return textTypeNull
	}
	if isNumber(v) {
		return textTypeNumber
	}
	return textTypeOther
}

func wrongSize(n int, least, most *int, few, many string) string {
	switch {
	case least != nil && n < *least && *least == 1:
		return textNotEmpty
	case least != nil && n < *least:
		return fmt.Sprintf(few, *least)
	case most != nil && n > *most:
		return fmt.Sprintf(many, *most)
	default:
		return ""
	}
}

// outOfBounds names the bound of a schema that a number breaks, or "".
func outOfBounds(s *jsonschema.Schema, v any) string {
	for _, bound := range []struct {
		value *float64
		alone *jsonschema.Schema
		text  string
	}{
		{s.Minimum, &jsonschema.Schema{Minimum: s.Minimum}, textAtLeast},
		{s.Maximum, &jsonschema.Schema{Maximum: s.Maximum}, textAtMost},
		{s.ExclusiveMinimum, &jsonschema.Schema{ExclusiveMinimum: s.ExclusiveMinimum}, textMoreThan},
		{s.ExclusiveMaximum, &jsonschema.Schema{ExclusiveMaximum: s.ExclusiveMaximum}, textLessThan},
		{s.MultipleOf, &jsonschema.Schema{MultipleOf: s.MultipleOf}, textMultipleOf},
	} {
		if bound.value != nil && !validates(bound.alone, v) {
			return fmt.Sprintf(bound.text, strconv.FormatFloat(*bound.value, 'f', -1, 64))
		}
	}
	return ""
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
