package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/providers/openai"
)

// TestSpeakersByTurns asks servers of models with a template that takes the speakers only by
// turns. The order is learnt from the first refusal where the model's row does not tell it.
func TestSpeakersByTurns(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]struct {
		model   string
		known   bool
		status  int
		message string
	}{
		"llama.cpp": {
			"mine", false, 500, "Value is not callable: raise_exception: Conversation roles must alternate user/assistant/user/assistant/...",
		},
		"vLLM":      {"mine", false, 400, "After the optional system message, conversation roles must alternate user and assistant roles"},
		"Mistral":   {"mine", false, 400, "Unexpected role 'user' after role 'tool'"},
		"a Gemma":   {"google/gemma-3-27b-it", true, 400, "Conversation roles must alternate user/assistant/user/assistant/..."},
		"a Mixtral": {"mixtral:8x7b", true, 500, "Conversation roles must alternate user/assistant/user/assistant/..."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			var last atomic.Value
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				asked.Add(1)
				var body struct {
					Messages []struct{ Role, Content string }
				}
				if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
					t.Error(err)
				}
				var said []string
				before := ""
				for _, m := range body.Messages {
					said = append(said, m.Role+": "+m.Content)
					if m.Role == before && m.Role != "tool" || before == "tool" && m.Role == "user" {
						w.WriteHeader(refuse.status)
						json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": refuse.message}})
						return
					}
					before = m.Role
				}
				last.Store(strings.Join(said, "\n"))
				io.WriteString(w, `{"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}]}`)
			}))
			t.Cleanup(s.Close)
			p := openai.New(openai.Options{BaseURL: s.URL + "/v1"})
			t.Cleanup(p.Close)
			messages := []providers.Message{
				{Role: "system", Content: "Be brief."},
				{Role: "user", Content: "[notes]"},
				{Role: "user", Content: "hi"},
				{Role: "assistant", Content: "Hello."},
				{Role: "assistant", Content: "A moment.", ToolCalls: []providers.ToolCall{toolCall("call_1", "probe", `{"n":1}`, nil)}},
				{Role: "tool", ToolCallID: "call_1", Name: "probe", Content: "1"},
				{Role: "user", Content: "and?"},
			}
			const want = "system: Be brief.\nuser: [notes]\n\nhi\nassistant: Hello.\n\nA moment.\ntool: 1\nassistant: (no answer)\nuser: and?"
			for i := range 2 {
				resp, err := p.Chat(t.Context(), messages, nil, refuse.model, nil)
				if err != nil || resp.Content != "fine" {
					t.Fatalf("ask %d: %+v, %v", i, resp, err)
				}
				if got := fmt.Sprint(last.Load()); got != want {
					t.Errorf("ask %d sent\n%s\nwant\n%s", i, got, want)
				}
			}
			if n := asked.Load(); n != 3 && !refuse.known || n != 2 && refuse.known {
				t.Errorf("%d requests, want two, and one that is refused if the order is unknown", n)
			}
			if messages[2].Content != "hi" || messages[4].Content != "A moment." {
				t.Error("the caller's messages were changed")
			}
		})
	}
}
