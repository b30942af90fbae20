package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"parley/internal/test/corpora"
	"parley/pkg/providers"
	"parley/pkg/providers/kinds"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// recorder is a server that keeps the requests and answers all of them alike.
type recorder struct {
	*httptest.Server
	refuse string // the first request is refused with it
	status int    // of that refusal

	mu   sync.Mutex
	sent []map[string]any
}

func record(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{status: http.StatusBadRequest}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		first := len(r.sent) == 0
		r.sent = append(r.sent, object(t, string(raw)))
		r.mu.Unlock()
		if first && r.refuse != "" {
			w.WriteHeader(r.status)
			json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": r.refuse}})
			return
		}
		if strings.Contains(string(raw), `"stream":true`) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, frames(say("fine"), stop, done))
			return
		}
		io.WriteString(w, `{"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(r.Close)
	return r
}

const longID = "toolu_01A09q90qw90lq917835lq9aaaaaaaaaaaaaaaaaaaa"

// past is a conversation with everything in which kinds differ.
func past() []providers.Message {
	return []providers.Message{
		{Role: "system", Content: "Be brief."},
		{Role: "user", Content: "hi"},
		{Role: "assistant", Reasoning: "hm", ToolCalls: []providers.ToolCall{toolCall(longID, "probe", `{"n":1}`, nil)}},
		{Role: "tool", ToolCallID: longID, Name: "probe", Content: "1"},
		{Role: "assistant", Content: "one"},
		{Role: "user", Content: "again"},
		{Role: "assistant", Reasoning: "so", ToolCalls: []providers.ToolCall{toolCall("call_2", "probe", `{"n":2}`, nil)}},
		{Role: "tool", ToolCallID: "call_2", Name: "probe", Content: "2"},
	}
}

// wishes are all the options that a caller may have.
func wishes() map[string]any {
	return map[string]any{
		"max_tokens": 9, "temperature": 0.5, "top_p": 0.25, "seed": 3, "stop": []string{"x"}, "reasoning_effort": "low", "tool_choice": "auto",
	}
}

// TestRowsShapeTheRequest compares the request to each server with the protocol's own.
// A path names a field, an empty value one that must be left out.
func TestRowsShapeTheRequest(t *testing.T) {
	t.Parallel()
	const short, nine = "call_10cb79a4e0a0a5ea59e24089", "9 letters"
	for _, c := range []struct {
		kind, model string
		want        map[string]any
	}{
		{"", "mine", map[string]any{
			"max_tokens": 9.0, "temperature": 0.5, "stop": []any{"x"}, "seed": 3.0, "tool_choice": "auto", "reasoning_effort": "low",
			"messages.2.content": nil, "messages.2.reasoning_content": nil, "messages.3.name": nil, "messages.3.tool_call_id": longID,
		}},
		{"openai", "gpt-4o", map[string]any{
			"max_tokens": 9.0, "temperature": 0.5, "messages.2.reasoning_content": nil, "messages.3.tool_call_id": short,
		}},
		{"openai", "gpt-5", map[string]any{
			"max_tokens": nil, "max_completion_tokens": 9.0, "temperature": nil, "top_p": nil, "stop": nil, "seed": 3.0,
		}},
		{"groq", "openai/gpt-oss-20b", map[string]any{
			"messages.2.reasoning_content": nil, "messages.2.reasoning": nil, "messages.3.name": "probe",
		}},
		{"deepseek", "deepseek-chat", map[string]any{
			"messages.2.reasoning_content": "hm", "messages.2.content": "", "messages.4.reasoning_content": " ", "temperature": 0.5,
		}},
		{"moonshot", "kimi-k2.5", map[string]any{
			"messages.2.reasoning_content": "hm", "messages.3.name": "probe", "temperature": nil, "max_tokens": 9.0,
		}},
		{"xai", "grok-code-fast-1", map[string]any{
			"messages.2.reasoning_content": nil, "messages.6.reasoning_content": "so", "stop": nil, "reasoning_effort": nil,
		}},
		{"mistral", "mistral-large-latest", map[string]any{
			"seed": nil, "stream_options": nil, "messages.3.name": "probe", "messages.3.tool_call_id": nine,
		}},
		{"ollama", "qwen3:8b", map[string]any{"messages.2.reasoning": nil, "messages.6.reasoning": "so", "messages.6.reasoning_content": nil}},
		{"llamacpp", "gpt-oss-20b", map[string]any{"messages.2.reasoning_content": nil, "messages.6.reasoning_content": "so"}},
		{"minimax", "MiniMax-M2", map[string]any{
			"messages.2.content": "<think>\nhm\n</think>\n\n", "messages.4.content": "one", "tool_choice": nil,
			"max_completion_tokens": 9.0, "seed": nil,
		}},
		{"zai", "glm-4.7", map[string]any{"messages.6.reasoning_content": "so", "messages.2.content": "", "tool_choice": "auto"}},
		{"", "ministral-8b", map[string]any{"messages.3.tool_call_id": nine}},
	} {
		t.Run(c.kind+" "+c.model, func(t *testing.T) {
			t.Parallel()
			r := record(t)
			p := provider(t, r.URL, func(o *openai.Options) { o.Kind = c.kind })
			if _, err := p.ChatStream(t.Context(), past(), providertest.Tools(), c.model, wishes(), nil); err != nil {
				t.Fatal(err)
			}
			if len(r.sent) != 1 {
				t.Fatalf("%d requests, want one that fits at once", len(r.sent))
			}
			for path, want := range c.want {
				got := at(r.sent[0], path)
				if want == nine {
					if id, _ := got.(string); len(id) != 9 || strings.ContainsFunc(id, func(r rune) bool { return r == '_' || r > 'z' }) {
						t.Errorf("%s = %v, want nine letters", path, got)
					}
					continue
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", path, d)
				}
			}
			if call, result := at(r.sent[0], "messages.2.tool_calls.0.id"), at(r.sent[0], "messages.3.tool_call_id"); call != result {
				t.Errorf("the call is %v, its result %v", call, result)
			}
		})
	}
}

// at gives the value at a path of names and indexes, or nil.
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			v = in[int(name[0]-'0')]
		}
	}
	return v
}

// TestWeakerChoices asks servers for forms of tool_choice that they do not take.
func TestWeakerChoices(t *testing.T) {
	t.Parallel()
	two := append(providertest.Tools(), providertest.Tools()...)
	two[1].Function.Name = "other"
	named := map[string]any{"name": "other"}
	for _, c := range []struct {
		kind   string
		choice any
		want   any
		tools  string
	}{
		{"vllm", named, map[string]any{"type": "function", "function": map[string]any{"name": "other"}}, "probe other"},
		{"vllm", "required", "required", "probe other"},
		{"llamacpp", named, "required", "other"},
		{"llamacpp", map[string]any{"name": "gone"}, "required", "probe other"},
		{"deepseek", named, "auto", "other"},
		{"deepseek", "required", "auto", "probe other"},
		{"deepseek", "none", "none", "probe other"},
		{"zai", "none", nil, ""},
		{"ollama", "required", "auto", "probe other"},
		{"minimax", "auto", nil, "probe other"},
		{"minimax", "required", nil, "probe other"},
		{"minimax", named, nil, "other"},
		{"minimax", "none", nil, ""},
		{"minimax", nil, nil, "probe other"},
	} {
		r := record(t)
		p := provider(t, r.URL, func(o *openai.Options) { o.Kind = c.kind })
		for range 2 { // the same for the next question
			if _, err := p.Chat(t.Context(), providertest.Question(), two, "m", map[string]any{"tool_choice": c.choice}); err != nil {
				t.Fatal(err)
			}
		}
		for _, sent := range r.sent {
			var names []string
			tools, _ := sent["tools"].([]any)
			for _, tool := range tools {
				name, _ := at(tool, "function.name").(string)
				names = append(names, name)
			}
			if got := strings.Join(names, " "); got != c.tools || !cmp.Equal(sent["tool_choice"], c.want) {
				t.Errorf("%s, %v: tool_choice %v of %q, want %v of %q", c.kind, c.choice, sent["tool_choice"], got, c.want, c.tools)
			}
		}
	}
}

// TestForceIsUnlearnt is a server that turns out to take no forced call: the request
// is sent again without it, once, and the refusal is remembered.
func TestForceIsUnlearnt(t *testing.T) {
	t.Parallel()
	for message, status := range map[string]int{
		"tool_choice 'required' is incompatible with thinking enabled":        http.StatusBadRequest,
		"No endpoints found that support the provided 'tool_choice' value. …": http.StatusNotFound,
	} {
		r := record(t)
		r.refuse, r.status = message, status
		p := provider(t, r.URL)
		for range 2 {
			resp, err := p.Chat(t.Context(), providertest.Question(), providertest.Tools(), "m", map[string]any{"tool_choice": "required"})
			if err != nil || resp.Content != "fine" {
				t.Fatalf("%q: %+v, %v", message, resp, err)
			}
		}
		var choices []any
		for _, sent := range r.sent {
			choices = append(choices, sent["tool_choice"])
		}
		if d := cmp.Diff([]any{"required", "auto", "auto"}, choices); d != "" {
			t.Errorf("%q: tool_choice of the requests: %s", message, d)
		}
	}
}

// TestReasoningIsUnlearnt are servers of no row that turn out to know no reasoning, or to
// want it with every message: the request is sent again their way, once.
func TestReasoningIsUnlearnt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model, refusal string
		want           [2]any // of a message without and with reasoning
	}{
		{"gpt-oss-20b", "messages.6: property 'reasoning_content' is unsupported", [2]any{nil, nil}},
		{"gpt-oss-20b", "reasoning_content: Extra inputs are not permitted", [2]any{nil, nil}},
		{"gpt-oss-20b", "reasoning_content is missing in assistant tool call message at index 2", [2]any{" ", "so"}},
		{"mine", "The reasoning_content in the thinking mode must be passed back to the API.", [2]any{" ", "so"}},
	} {
		r := record(t)
		r.refuse = c.refusal
		p := provider(t, r.URL)
		for range 2 {
			if _, err := p.Chat(t.Context(), past(), nil, c.model, nil); err != nil {
				t.Fatal(err)
			}
		}
		if len(r.sent) != 3 {
			t.Fatalf("%s: %d requests, want one more than questions", c.refusal, len(r.sent))
		}
		for _, sent := range r.sent[1:] {
			got := [2]any{at(sent, "messages.4.reasoning_content"), at(sent, "messages.6.reasoning_content")}
			if got != c.want {
				t.Errorf("%s: sent %q, want %q", c.refusal, got, c.want)
			}
		}
	}
}

// TestEveryRowFitsTheSpecification checks the requests to every server and family
// against OpenAI's own schema.
func TestEveryRowFitsTheSpecification(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromFile(corpora.Path(t, "openapi", "openai-2.3.0-openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	schema := doc.Components.Schemas["CreateChatCompletionRequest"].Value
	checked := 0
	for _, k := range kinds.All() {
		r := record(t)
		p := provider(t, r.URL, func(o *openai.Options) { o.Kind, o.Images = k.Name, true })
		model := "m"
		if len(k.Models) > 0 {
			model = strings.TrimPrefix(k.Models[0], "*")
		}
		messages := past()
		messages[5].Images = []providers.Image{picture("x")}
		for _, choice := range []any{"auto", "none", "required", map[string]any{"name": "probe"}, nil} {
			options := wishes()
			options["tool_choice"] = choice
			if _, err := p.Chat(t.Context(), messages, providertest.Tools(), model, options); err != nil {
				t.Fatalf("%s: %v", k.Name, err)
			}
			if _, err := p.ChatStream(t.Context(), messages, providertest.Tools(), model, options, nil); err != nil {
				t.Fatalf("%s: %v", k.Name, err)
			}
		}
		for _, sent := range r.sent {
			checked++
			if err := schema.VisitJSON(sent, openapi3.MultiErrors()); err != nil {
				t.Errorf("%s: %v\n%v", k.Name, err, sent)
			}
		}
	}
	t.Logf("%d requests of %d rows fit the specification", checked, len(kinds.All()))
}
