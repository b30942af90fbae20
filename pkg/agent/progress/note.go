package progress

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/pkg/text"
	"parley/pkg/tools"
)

// maxNote is how much of a result a note shows, in code points, with the mark of a cut.
const maxNote = 80

// ResultNote is the outcome of a call in one line.
func ResultNote(tool string, result *tools.ToolResult, redact func(string) string) string {
	note := redact(gist(result.ForLLM)) // before it is cut, so that no cut hides a secret
	note = text.Clip(note, maxNote-1)
	if note == "" {
		note = textNoOutput
	}
	if result.IsError {
		return fmt.Sprintf(textCallFailed, tool, note)
	}
	return tool + ": " + note
}

// gist is the first line of a result that says something. Of a JSON object it is the
// message of an error, or the number of its list's entries, or its members that fit in
// a line.
func gist(result string) string {
	if said, ok := objectGist(result); ok {
		result = said
	}
	return firstLine(result)
}

// firstLine is the first line that is not blank.
func firstLine(result string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(result), "\n")
	return strings.TrimSpace(line)
}

// objectGist reports false for other text than a JSON object.
func objectGist(result string) (string, bool) {
	d := json.NewDecoder(strings.NewReader(result))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", false
	}
	var lists, members []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return "", false
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return "", false
		}
		switch v := value.(type) {
		case []any:
			lists = append(lists, fmt.Sprintf("%d %v", len(v), key))
		case string:
			if key == any("message") {
				return v, true
			}
			members = append(members, fmt.Sprint(key, ": ", firstLine(v)))
		case json.Number:
			members = append(members, fmt.Sprint(key, ": ", v))
		default: // objects and yes or no say little in a line
		}
	}
	if len(lists) > 0 {
		members = lists
	}
	return strings.Join(members, ", "), true
}
