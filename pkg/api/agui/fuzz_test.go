package agui_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/faces"
)

// FuzzABody: a body is a run that the verifier takes, or is refused; it is no fault of ours.
func FuzzABody(f *testing.F) {
	for _, seed := range []string{
		body("t", "1", "hello"), body("main", "2", "paint"), `{}`, `[]`, `{"threadId":"t","runId":"1","resume":[{}]}`,
		`{"threadId":"\u0000","runId":"\ud800","messages":[{"role":"user","content":"\u0000"}]}`,
		pictured("user", `"type":"data","mimeType":"image/png","value":"iVBORw0KGgo="`, 1),
		`{"threadId":"t","runId":"1","messages":[{"role":"tool","toolCallId":"x","content":"y"}]}`,
		`{"threadId":"t","runId":"1","messages":[{"role":"user","content":[{"type":"text"}]}],"tools":[{"name":"a","parameters":[]}]}`,
		`{"threadId":"t","runId":"1","messages":[{"role":"user","content":"x"}],"forwardedProps":"parley","context":[{}]}`,
	} {
		f.Add(seed)
	}
	w := newWorld(f, paints, look())
	f.Fuzz(func(t *testing.T, sent string) {
		ctx, cancel := context.WithTimeout(context.Background(), faces.Patience)
		defer cancel()
		resp := faces.Send(ctx, t, http.MethodPost, w.URL+"/agui", "ada", sent)
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode >= http.StatusInternalServerError {
			t.Fatalf("%q: %s %s, %v", sent, resp.Status, raw, err)
		}
		ended := strings.Contains(string(raw), `"type":"RUN_FINISHED"`) || strings.Contains(string(raw), `"type":"RUN_ERROR"`)
		if resp.StatusCode == http.StatusOK && !ended {
			t.Errorf("%q: %s", sent, raw)
		}
	})
}
