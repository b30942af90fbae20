package event

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"parley/pkg/channels/slack/api"
)

// Useless events are kept for the operator: one may be a kind that Slack has invented
// since.

// unreadable is the kind of an event that cannot be decoded, oversized of one that is
// too large.
const (
	unreadable = "unreadable"
	oversized  = "oversized"
)

// kind joins the words that tell a kind; all other text is left out.
func kind(words ...string) string {
	var all []string
	for _, w := range words {
		if api.IsID(w) {
			all = append(all, w)
		}
	}
	if len(all) == 0 {
		return unreadable
	}
	return strings.Join(all, " ")
}

// maxKept is the largest payload that is kept with an item.
const maxKept = 64 << 10

// secretFields are the fields by which Slack lets an app act: no record holds them.
const secretFields = " token response_url response_urls bot_access_token workflow_token action_token trigger_id upload_url "

// blank is a text that is no JSON, or a spoiled one, without the values of secrets as
// far as they can be told by their names.
func blank(text string) string {
	names := strings.Join(strings.Fields(secretFields), "|")
	secrets := regexp.MustCompile(`(?i)((?:\b|%22)(?:` + names + `)\b(?:\\*"|%22)?\s*(?::|=|%3A)\s*(?:\\*"|%22)?)(?:[^"\\&\s,}%]|\\+/|%(?:[^2]|2[^2]))+`)
	return secrets.ReplaceAllString(text, "${1}")
}

// bare is a payload without its secret fields. A text other than JSON becomes a string.
func bare(raw []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		v = blank(string(raw))
	}
	strip(v)
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

// strip removes secrets, in whatever case they are written and however deep.
func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if strings.Contains(secretFields, " "+strings.ToLower(name)+" ") {
				delete(v, name)
				continue
			}
			strip(value)
		}
	case []any:
		for _, value := range v {
			strip(value)
		}
	}
}

// kept is the payload that stays with an item; nil where it is too large. Most name
// no secret and stay as they are.
func kept(raw []byte) json.RawMessage {
	if len(raw) > maxKept {
		return nil
	}
	if !namesSecrets(raw) {
		return raw
	}
	text := bare(raw)
	if len(text) > maxKept {
		return nil // escaped text takes more
	}
	return text
}

// namesSecrets says that a payload may have a field that is one of secretFields, in
// any case and spelling.
func namesSecrets(raw []byte) bool {
	lower := bytes.ToLower(raw)
	for field := range strings.FieldsSeq(secretFields) {
		if bytes.Contains(lower, []byte(field)) {
			return true
		}
	}
	return bytes.Contains(lower, []byte(`\u00`))
}
