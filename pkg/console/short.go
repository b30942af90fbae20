package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// maxParts is how many fields of a result are shown.
const maxParts = 2

// shortResult is the result of a call in a few words: the message of an error, the fields of an
// object that the call did not name itself, or the first line of a text.
func shortResult(result, about string) string {
	d := json.NewDecoder(bytes.NewReader([]byte(result)))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return firstLine(result)
	}
	s := shortened{about: about}
	for d.More() && !s.whole {
		name, err := d.Token()
		var value any
		if err == nil {
			err = d.Decode(&value)
		}
		key, ok := name.(string)
		if err != nil || !ok {
			return firstLine(result)
		}
		s.add(key, value)
	}
	return strings.Join(s.parts, ", ")
}

// shortened is a result of which the fields are read one after another.
type shortened struct {
	about string
	parts []string
	// failed says that it is an error, whole that the parts say all.
	failed, whole bool
}

// add adds a field.
func (s *shortened) add(key string, value any) {
	text, isText := value.(string)
	switch {
	case key == "error" && value == true:
		s.failed = true
	case s.failed && key == "message" && isText, key == "result", key == "answer", key == "output":
		s.parts, s.whole = []string{shortValue("", value)}, true
	case isText && strings.Contains(s.about, text), len(s.parts) == maxParts:
	default:
		if part := shortValue(strings.ReplaceAll(key, "_", " "), value); part != "" {
			s.parts = append(s.parts, part)
		}
	}
}

// shortValue is a field of an object in a few words, "" for one that says little.
func shortValue(key string, value any) string {
	switch v := value.(type) {
	case string:
		if n := strings.Count(strings.TrimSuffix(v, "\n"), "\n") + 1; n > 1 {
			return fmt.Sprintf(textLines, n)
		}
		return firstLine(v)
	case json.Number:
		return strings.TrimSpace(key + " " + v.String())
	case []any:
		return fmt.Sprintf("%d %s", len(v), key)
	case bool:
		if key == "" {
			return fmt.Sprint(v)
		}
		return ""
	default:
		return ""
	}
}

// firstLine is the first line of a text that is not empty.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
