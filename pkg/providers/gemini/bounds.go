package gemini

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// writer writes one schema. Its notes say in words the bounds that have no keyword.
type writer struct {
	source, out schema
	notes       []string
}

func (w *writer) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// keep copies whole numbers.
func (w *writer) keep(keys ...string) {
	for _, key := range keys {
		if n, ok := w.source[key].(json.Number); ok {
			if whole, err := n.Int64(); err == nil && whole >= 0 {
				w.out[key] = whole
			}
		}
	}
}

func (w *writer) text() {
	w.keep("minLength", "maxLength")
	if pattern, ok := w.source["pattern"].(string); ok {
		if _, err := regexp.Compile(pattern); err == nil {
			w.out["pattern"] = pattern
		} else {
			w.note("pattern %s", pattern)
		}
	}
	w.format("date-time")
}

func (w *writer) number(kind string) {
	if kind == typeInteger {
		w.format("int32", "int64")
	} else {
		w.format("float", "double")
	}
	for _, key := range []string{"minimum", "maximum"} {
		if n, ok := w.source[key].(json.Number); ok {
			if _, err := n.Float64(); err == nil {
				w.out[key] = n
			}
		}
	}
	w.beyond(kind, "exclusiveMinimum", "minimum", "more than", 1)
	w.beyond(kind, "exclusiveMaximum", "maximum", "less than", -1)
	if n, ok := w.source["multipleOf"].(json.Number); ok {
		w.note("a multiple of %s", n)
	}
}

// beyond writes a bound that is itself not allowed: as the next whole number, or in words.
func (w *writer) beyond(kind, key, bound, words string, step int64) {
	n, ok := w.source[key].(json.Number)
	if !ok {
		return
	}
	const exact = 1 << 53 // in a float64, which the server makes of it
	whole, err := n.Int64()
	if _, there := w.out[bound]; kind == typeInteger && err == nil && !there && -exact < whole && whole < exact {
		w.out[bound] = whole + step
		return
	}
	w.note("%s %s", words, n)
}

// format keeps a format that the server knows for this type.
func (w *writer) format(known ...string) {
	format, _ := w.source["format"].(string)
	switch {
	case format == "":
	case slices.Contains(known, format):
		w.out["format"] = format
	default:
		w.note("format %s", format)
	}
}

// values writes the allowed values. The server takes a list of texts that are not empty.
func (w *writer) values(kind string) {
	allowed := list(w.source["enum"])
	if v, ok := w.source["const"]; ok {
		allowed = []any{v}
	}
	listed := kind == typeString
	var texts, spelled []string
	for _, v := range allowed {
		text, isText := v.(string)
		b, err := json.Marshal(v)
		switch {
		case err != nil || v != nil && isText != (kind == typeString):
		case v == nil:
			w.out["nullable"] = true
		default:
			listed = listed && text != ""
			texts, spelled = append(texts, text), append(spelled, string(b))
		}
	}
	switch {
	case len(texts) == 0:
	case listed:
		w.out["enum"] = texts
	default:
		w.note("one of %s", strings.Join(spelled, ", "))
	}
	if v, ok := w.source["default"]; ok {
		if b, err := json.Marshal(v); err == nil {
			w.note("default %s", b)
		}
	}
}

// describe writes the description with the notes.
func (w *writer) describe() {
	description, _ := w.source["description"].(string)
	if len(w.notes) > 0 {
		description = strings.TrimSpace(description + " (" + strings.Join(w.notes, "; ") + ")")
	}
	if description != "" {
		w.out["description"] = description
	}
}
