package output

import (
	"bytes"
	"encoding/json"
)

// JSON is v on one line, readable for a model: no \u003c for <.
func JSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// Failure is the one shape in which a model sees a failure:
// {"error":true,"type":T,"message":M,"details":{…}}. Details that cannot be shown are left out.
func Failure(kind, message string, details map[string]any) string {
	if details == nil {
		details = map[string]any{}
	}
	text, err := JSON(struct {
		Error   bool           `json:"error"`
		Type    string         `json:"type"`
		Message string         `json:"message"`
		Details map[string]any `json:"details"`
	}{true, kind, message, details})
	if err != nil {
		return Failure(kind, message, nil)
	}
	return text
}
