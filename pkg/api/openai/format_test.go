package openai_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestTheFormOfAnAnswer: a form that the model holds its answers to is taken, and any other is
// refused with the name of the field, whole and streamed.
func TestTheFormOfAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted)
	const schema = `"schema":{"type":"object","properties":{"a":{"type":"number"}}},"strict":true`
	object, inChat, inResponse := `{"type":"json_object"}`, `{"type":"json_schema","json_schema":{"name":"x",`+schema+`}}`,
		`{"type":"json_schema","name":"x",`+schema+`}`
	for _, c := range []struct {
		token, model, chat, response string
		want                         int
	}{
		{"ada", "parley", `{"type":"text"}`, `{"type":"text"}`, http.StatusOK},
		{"ada", "parley", `null`, `{}`, http.StatusOK},
		{"ada", "parley", object, object, http.StatusOK},
		{"ada", "parley", inChat, inResponse, http.StatusOK},
		{"chooser", "vendor/large", inChat, inResponse, http.StatusOK},
		{"chooser", "vendor/large", object, object, http.StatusBadRequest},
		{"chooser", "small", inChat, inResponse, http.StatusBadRequest},
		{"ada", "parley", `{"type":"grammar"}`, `{"type":"grammar"}`, http.StatusBadRequest},
		{"ada", "parley", `{"type":"json_schema"}`, `{"type":"json_schema","schema":7}`, http.StatusBadRequest},
		{"ada", "parley", `{"type":"json_schema","json_schema":{"name":"x","schema":{}}}`, `{"type":"json_schema","schema":{}}`, http.StatusBadRequest},
	} {
		for path, body := range map[string]string{
			"/chat/completions": fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hi"}],"response_format":%s}`, c.model, c.chat),
			"/responses":        fmt.Sprintf(`{"model":%q,"input":"hi","text":{"format":%s}}`, c.model, c.response),
		} {
			status, answer := w.do(c.token, http.MethodPost, path, body)
			e, _ := answer["error"].(map[string]any)
			if status != c.want || status != http.StatusOK && e["param"] == nil {
				t.Errorf("%s: %d %v", body, status, answer)
			}
		}
	}
}
