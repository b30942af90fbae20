package openai_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"parley/internal/test/cassette"
	"parley/internal/test/corpora"
	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/kinds"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// TestRecordedTraffic holds the recorded conversations of real servers again, with
// answers in small pieces. Each server is known by its recorded address, as the table of
// kinds has it. The sent requests fit OpenAI's own schema.
func TestRecordedTraffic(t *testing.T) {
	t.Parallel()
	all := cassette.Load(t, cassette.OpenAI)
	ref := requestSchema(t)
	hosts, steps, streams := map[string]int{}, 0, 0
	for _, c := range all {
		first := c.Steps[0]
		row, _ := kinds.Of("", first.URL.String(), first.Model)
		hosts[first.URL.Host+" as "+row.Server]++
		steps += len(c.Steps)
		if first.Stream {
			streams += len(c.Steps)
		}
		for _, piece := range []int{1, 3, 7} {
			t.Run(fmt.Sprintf("%s in pieces of %d", c.Name, piece), func(t *testing.T) {
				t.Parallel()
				sent := cassette.Play(t, c, piece, func(root string) providers.LLMProvider {
					base := strings.TrimSuffix(first.URL.String(), "/chat/completions")
					return provider(t, base, func(o *openai.Options) { o.Transport = elsewhere(t, root) })
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
	for _, name := range []string{"openai", "openrouter", "groq", "huggingface", "xai", "zai", "llamacpp"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(hosts)), func(h string) bool { return strings.HasSuffix(h, " as "+name) }) {
			t.Errorf("no recorded server is known as %s: %v", name, hosts)
		}
	}
	t.Logf("%d conversations with %d steps, of which %d streamed, in pieces of 1, 3 and 7 bytes: %v", len(all), steps, streams, hosts)
}

// elsewhere sends requests to the server at root, whatever their address is.
func elsewhere(t *testing.T, root string) http.RoundTripper {
	t.Helper()
	to, err := url.Parse(root)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host = to.Scheme, to.Host
		return transport.RoundTrip(r)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

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
