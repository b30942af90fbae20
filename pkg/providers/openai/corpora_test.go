package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"parley/internal/test/cassette"
	"parley/internal/test/corpora"
	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// TestRecordedTraffic holds the recorded conversations of real servers again, with
// answers in small pieces. What is sent fits OpenAI's own schema.
func TestRecordedTraffic(t *testing.T) {
	t.Parallel()
	all := cassette.Load(t, cassette.OpenAI)
	ref := requestSchema(t)
	hosts, steps, streams := map[string]int{}, 0, 0
	for _, c := range all {
		first := c.Steps[0]
		hosts[first.URL.Host]++
		steps += len(c.Steps)
		if first.Stream {
			streams += len(c.Steps)
		}
		for _, piece := range []int{1, 3, 7} {
			t.Run(fmt.Sprintf("%s in pieces of %d", c.Name, piece), func(t *testing.T) {
				t.Parallel()
				sent := cassette.Play(t, c, piece, func(root string) providers.LLMProvider {
					return provider(t, root+strings.TrimSuffix(first.URL.Path, "/chat/completions"))
				})
				for _, r := range sent {
					if err := ref.VisitJSON(object(t, string(r.Body)), openapi3.MultiErrors()); err != nil {
						t.Errorf("%s\n%v", r.Body, err)
					}
				}
			})
		}
	}
	if len(hosts) < 8 || steps < 150 {
		t.Errorf("%d steps of %d hosts found; the recordings hold 157 of 8", steps, len(hosts))
	}
	t.Logf("%d conversations with %d steps, of which %d streamed, in pieces of 1, 3 and 7 bytes: %v", len(all), steps, streams, hosts)
}

// requestSchema is OpenAI's schema of a request.
func requestSchema(t *testing.T) *openapi3.Schema {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile(corpora.Path(t, "openapi", "openai-2.3.0-openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	ref := doc.Components.Schemas["CreateChatCompletionRequest"]
	if ref == nil {
		t.Fatal("the specification has no CreateChatCompletionRequest")
	}
	return ref.Value
}

// TestRequestsFitTheSpecification checks our requests against OpenAI's own schema.
func TestRequestsFitTheSpecification(t *testing.T) {
	t.Parallel()
	ref := requestSchema(t)
	srv := serve(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("fine") })
	p := provider(t, srv.URL(), func(o *openai.Options) { o.Images = true })
	messages := []providers.Message{
		{Role: "system", Content: "Be brief."},
		{Role: "user", Content: "look", Images: []providers.Image{picture("x")}},
		{Role: "assistant", ToolCalls: []providers.ToolCall{toolCall("a", "probe", `{"n":1}`, nil), toolCall("b", "probe", "", nil)}},
		{Role: "tool", ToolCallID: "a", Name: "probe", Content: "1"},
		{Role: "tool", ToolCallID: "b", Name: "probe"},
		{Role: "user", Content: "and now?"},
	}
	for _, options := range []map[string]any{
		nil,
		{"max_tokens": 5, "temperature": 0.5, "tool_choice": "auto"},
		{"temperature": 0.0, "tool_choice": "none", "reasoning_effort": "low"},
		{"tool_choice": "required", "top_p": 0.5, "stop": []string{"x"}, "seed": 1},
		{"tool_choice": map[string]any{"name": "probe"}},
	} {
		for _, tools := range [][]providers.ToolDefinition{nil, providertest.Tools()} {
			if _, err := p.Chat(t.Context(), messages, tools, "gpt-4o", options); err != nil {
				t.Fatal(err)
			}
			if _, err := p.ChatStream(t.Context(), messages, tools, "gpt-4o", options, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	sent := srv.Requests()
	if len(sent) != 20 {
		t.Fatalf("%d requests, want 20", len(sent))
	}
	for _, r := range sent {
		if err := ref.VisitJSON(object(t, string(r.Body)), openapi3.MultiErrors()); err != nil {
			t.Errorf("%s\n%v", r.Body, err)
		}
	}
	bad := object(t, `{"model":"gpt-4o","messages":[{"role":"nobody","content":"x"}]}`)
	if ref.VisitJSON(bad) == nil {
		t.Error("the schema takes an unknown role: it checks nothing")
	}
}
