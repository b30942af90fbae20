package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"parley/internal/test/faces"
)

// FuzzBodies: any body is answered, with a completion or with a refusal in OpenAI's form,
// and never by a fault of the gateway.
func FuzzBodies(f *testing.F) {
	for _, body := range []string{
		chat("hi"), chat("call look theirs", theirs), chat("hi", `"stream":true`), `{"model":"parley","messages":null}`,
		`{"model":"parley","messages":[{"role":"assistant","content":null,"tool_calls":[null]}],"tools":[null]}`,
		`{"model":"parley","messages":[{"role":"user","content":[{"type":"text","text":"\u0000\ud800"}]}],"tools":{}}`,
		`{"model":"parley","messages":[{"role":"user","content":""}],"tool_choice":{"type":"function"}}`, "\xff", "[]", `"x"`,
	} {
		f.Add([]byte(body))
	}
	address := newWorld(f, scripted, look()).URL + "/v1/chat/completions"
	f.Fuzz(func(t *testing.T, body []byte) {
		resp := faces.Send(t.Context(), t, http.MethodPost, address, "ada", string(body))
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode >= http.StatusInternalServerError {
			t.Fatalf("%d %s %v", resp.StatusCode, raw, err)
		}
		if resp.StatusCode == http.StatusOK {
			return
		}
		var e struct{ Error map[string]any }
		if err := json.Unmarshal(raw, &e); err != nil || len(e.Error) != 4 {
			t.Fatalf("%d %s", resp.StatusCode, raw)
		}
	})
}
