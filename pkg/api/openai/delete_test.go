package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// removed deletes a response.
func (w *world) removed(token string, response map[string]any) (status int, answer map[string]any) {
	w.T.Helper()
	return w.do(token, http.MethodDelete, fmt.Sprint("/responses/", response["id"]), "")
}

// TestADeletedResponse is found no more, by its person alone; those before and behind it stay, and with the last one the chat
// of one request goes.
func TestADeletedResponse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted)
	const key = "Idempotency-Key"
	_, first := w.do("ada", http.MethodPost, "/responses", input("hi"), key, "one")
	_, second := w.respond("ada", input("again", fmt.Sprintf(`"previous_response_id":%q`, first["id"])))
	_, named := w.respond("ada", input("hi", `"conversation":"conv_1"`))
	w.Forget()
	if status, got := w.removed("bob", first); status != http.StatusNotFound {
		t.Errorf("by somebody else: %d %v", status, got)
	}
	want := map[string]any{"id": first["id"], "object": "response.deleted", "deleted": true}
	if status, got := w.removed("helper", first); status != http.StatusOK || !cmp.Equal(want, got) {
		t.Errorf("%d %v", status, got)
	}
	for _, method := range []string{http.MethodDelete, http.MethodGet} {
		if status, got := w.do("ada", method, fmt.Sprint("/responses/", first["id"]), ""); status != http.StatusNotFound {
			t.Errorf("%s again: %d %v", method, status, got)
		}
	}
	if d := cmp.Diff(outputOf(t, second), outputOf(t, w.again(second))); d != "" {
		t.Errorf("the one behind it: %s", d)
	}
	if status, got := w.do("ada", http.MethodPost, "/responses", input("hi"), key, "one"); status != http.StatusConflict {
		t.Errorf("the same request again: %d %v", status, got)
	}
	for response, want := range map[string]error{fmt.Sprint(second["id"]): session.ErrNotFound, fmt.Sprint(named["id"]): nil} {
		_, chat, _ := strings.Cut(strings.TrimPrefix(response, "resp_"), "_")
		if status, got := w.removed("ada", map[string]any{"id": response}); status != http.StatusOK {
			t.Errorf("%s: %d %v", chat, status, got)
		}
		if status, _ := w.do("ada", http.MethodGet, "/responses/"+response, ""); status != http.StatusNotFound {
			t.Errorf("%s is read: %d", chat, status)
		}
		at := channels.Address{Channel: "web", Chat: "web:ada." + chat}
		if _, err := w.Store.Sessions().Lookup(t.Context(), at); !errors.Is(err, want) {
			t.Errorf("the chat %s: %v", at.Chat, err)
		}
	}
	if status, _ := w.respond("ada", input("more", fmt.Sprintf(`"previous_response_id":%q`, second["id"]))); status != http.StatusNotFound {
		t.Errorf("gone on with: %d", status)
	}
}

// TestAResponseInProgress is deleted once it has ended.
func TestAResponseInProgress(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		<-goOn
		return faces.Says("done ")
	})
	resp := w.send(t.Context(), "/responses", input("wait", `"stream":true`))
	records := faces.NewRecords(resp.Body)
	created, _ := records.Next()
	var e struct{ Response map[string]any }
	if err := json.Unmarshal([]byte(created.Data), &e); err != nil {
		t.Fatalf("%q: %v", created, err)
	}
	if status, got := w.removed("ada", e.Response); status != http.StatusConflict {
		t.Errorf("%d %v", status, got)
	}
	close(goOn)
	for _, ok := records.Next(); ok; _, ok = records.Next() {
	}
	_ = resp.Body.Close()
	if status, got := w.removed("ada", e.Response); status != http.StatusOK {
		t.Errorf("%d %v", status, got)
	}
}
