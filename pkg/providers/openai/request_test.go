package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// TestRequestFields compares the sent fields with the meant ones. "messages" stands
// for those of the request, a user's "hi" in a case without messages.
func TestRequestFields(t *testing.T) {
	t.Parallel()
	hi := []providers.Message{{Role: "user", Content: "hi"}}
	unread := providers.Image{MIME: "image/png", Path: "inbox/a.png", Open: func() (io.ReadCloser, int64, error) {
		t.Error("a picture is opened for a model that is blind")
		return nil, 0, fs.ErrNotExist
	}}
	const hiJSON = `[{"role":"user","content":"hi"}]`
	probe := `[{"type":"function","function":{"name":"probe","description":"Probes.","parameters":{"type":"object","properties":{"n":{"type":"number"}}}}}]`
	for _, c := range []struct {
		name     string
		messages []providers.Message
		tools    bool
		options  map[string]any
		images   bool
		want     string
	}{
		{name: "plain", want: `{"messages":` + hiJSON + `}`},
		{
			name:    "limits",
			options: map[string]any{"max_tokens": 7, "temperature": 0.5, "top_p": 0.25, "seed": 3, "stop": []string{"x"}, "reasoning_effort": "low"},
			want:    `{"messages":` + hiJSON + `,"max_tokens":7,"temperature":0.5,"top_p":0.25,"seed":3,"stop":["x"],"reasoning_effort":"low"}`,
		},
		{name: "options from JSON", options: map[string]any{"max_tokens": float64(7)}, want: `{"messages":` + hiJSON + `,"max_tokens":7}`},
		{name: "temperature 0 is said", options: map[string]any{"temperature": 0.0}, want: `{"messages":` + hiJSON + `,"temperature":1e-45}`},
		{name: "choice auto", tools: true, options: map[string]any{"tool_choice": "auto"}, want: `{"messages":` + hiJSON + `,"tools":` + probe + `,"tool_choice":"auto"}`},
		{name: "choice none", tools: true, options: map[string]any{"tool_choice": "none"}, want: `{"messages":` + hiJSON + `,"tools":` + probe + `,"tool_choice":"none"}`},
		{name: "choice required", tools: true, options: map[string]any{"tool_choice": "required"}, want: `{"messages":` + hiJSON + `,"tools":` + probe + `,"tool_choice":"required"}`},
		{
			name:    "choice by name",
			tools:   true,
			options: map[string]any{"tool_choice": map[string]any{"name": "probe"}},
			want:    `{"messages":` + hiJSON + `,"tools":` + probe + `,"tool_choice":{"type":"function","function":{"name":"probe"}}}`,
		},
		{name: "no choice among nothing", options: map[string]any{"tool_choice": "auto"}, want: `{"messages":` + hiJSON + `}`},
		{
			name: "calls and results", messages: []providers.Message{
				hi[0],
				{Role: "assistant", Content: "wait", Reasoning: "hm", ToolCalls: []providers.ToolCall{
					toolCall("a", "probe", `{ "n": 1 }`, map[string]any{"n": 1.0}),
					toolCall("b", "probe", "", map[string]any{}), toolCall("c", "probe", "", map[string]any{"n": 2}),
					{ID: "d", Name: "probe", RawArguments: `{"n`, BadArguments: "cut"},
					toolCall("e", "probe", `"{\"n\":3}"`, map[string]any{"n": 3}),
				}},
				{Role: "tool", ToolCallID: "a", Name: "probe", Content: "1"},
				{Role: "tool", ToolCallID: "b", Name: "probe", Content: ""},
				{Role: "tool", ToolCallID: "c", Name: "probe", Content: "3"},
				{Role: "tool", ToolCallID: "d", Name: "probe", Content: "4"},
				{Role: "tool", ToolCallID: "e", Name: "probe", Content: "5"},
			},
			want: `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"wait","tool_calls":[
				{"id":"a","type":"function","function":{"name":"probe","arguments":"{ \"n\": 1 }"}},
				{"id":"b","type":"function","function":{"name":"probe","arguments":"{}"}},
				{"id":"c","type":"function","function":{"name":"probe","arguments":"{\"n\":2}"}},
				{"id":"d","type":"function","function":{"name":"probe","arguments":"{}"}},
				{"id":"e","type":"function","function":{"name":"probe","arguments":"{\"n\":3}"}}]},
				{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"(no output)"},
				{"role":"tool","tool_call_id":"c","content":"3"},{"role":"tool","tool_call_id":"d","content":"4"},{"role":"tool","tool_call_id":"e","content":"5"}]}`,
		},
		{
			name: "pictures", images: true, messages: []providers.Message{
				{Role: "user", Content: "look", Images: []providers.Image{picture("abc"), {URL: "https://example.org/a.png"}}},
				{Role: "user", Images: []providers.Image{picture("\x89PNG\r\n\x1a\n"), {MIME: "image/png", Path: "inbox/gone.png"}}},
			},
			want: `{"messages":[{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,YWJj"}},{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}]},
				{"role":"user","content":[{"type":"text","text":"[a picture that is not there any more]"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}]}`,
		},
		{
			name: "pictures for a model that is blind", messages: []providers.Message{
				{Role: "user", Content: "look", Images: []providers.Image{unread}}, {Role: "user", Images: []providers.Image{unread}},
			},
			want: `{"messages":[{"role":"user","content":"look\n[a picture that this model cannot see]"},{"role":"user","content":"[a picture that this model cannot see]"}]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, nil)
			p := provider(t, srv.URL(), func(o *openai.Options) { o.Images = c.images })
			messages, tools := hi, []providers.ToolDefinition(nil)
			if c.messages != nil {
				messages = c.messages
			}
			if c.tools {
				tools = providertest.Tools()
			}
			if _, err := p.Chat(t.Context(), messages, tools, "m", c.options); err != nil {
				t.Fatal(err)
			}
			if _, err := p.ChatStream(t.Context(), messages, tools, "m", c.options, nil); err != nil {
				t.Fatal(err)
			}
			sent := srv.Requests()
			plain, stream := object(t, c.want), object(t, c.want)
			plain["model"], plain["stream"] = "m", false
			stream["model"], stream["stream"], stream["stream_options"] = "m", true, map[string]any{"include_usage": true}
			if d := cmp.Diff(plain, object(t, string(sent[0].Body))); d != "" {
				t.Errorf("request (-want +got):\n%s", d)
			}
			if d := cmp.Diff(stream, object(t, string(sent[1].Body))); d != "" {
				t.Errorf("streaming request (-want +got):\n%s", d)
			}
		})
	}
}

// TestRequestsKeepTheirOwnSettings asks one provider in many ways, twice each, with two
// keys: each request has the settings and the key that it has on a provider of its own.
func TestRequestsKeepTheirOwnSettings(t *testing.T) {
	t.Parallel()
	srv := serve(t, nil)
	key := ""
	keyed := func(o *openai.Options) { o.Key = func() string { return key } }
	shared := provider(t, srv.URL(), keyed)
	ways := []map[string]any{
		nil,
		{"max_tokens": 7},
		{"max_tokens": 8},
		{"temperature": 0.5},
		{"top_p": 0.5},
		{"seed": 1},
		{"seed": 2},
		{"stop": []string{"a"}},
		{"stop": []string{"b"}},
		{"reasoning_effort": "low"},
		{"tool_choice": "auto"},
		{"tool_choice": "required"},
		{"tool_choice": map[string]any{"name": "probe"}},
		{"response_format": json.RawMessage(`{"type":"object"}`)},
		{"response_format": json.RawMessage(`{"type":"string"}`)},
	}
	for n := range 4 * len(ways) {
		key = fmt.Sprint("key", n/2%2)
		model, way := fmt.Sprint("m", n%2), ways[n/4]
		for _, p := range []*openai.Provider{shared, provider(t, srv.URL(), keyed)} {
			messages := []providers.Message{{Role: "user", Content: fmt.Sprint("question ", n)}}
			if _, err := p.Chat(t.Context(), messages, providertest.Tools(), model, way); err != nil {
				t.Fatal(err)
			}
			if _, err := p.ChatStream(t.Context(), messages, providertest.Tools(), model, way, nil); err != nil {
				t.Fatal(err)
			}
		}
		sent := srv.Requests()
		sent = sent[len(sent)-4:]
		for i := range 2 {
			one, own := sent[i], sent[i+2]
			if d := cmp.Diff(string(own.Body), string(one.Body)); d != "" {
				t.Errorf("%v (-own +shared):\n%s", way, d)
			}
			if d := cmp.Diff(own.Header, one.Header); d != "" || one.Header.Get("Authorization") != "Bearer "+key {
				t.Errorf("%v, headers (-own +shared):\n%s", way, d)
			}
		}
	}
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestToolChoiceUnknown(t *testing.T) {
	t.Parallel()
	p := provider(t, serve(t, nil).URL())
	for _, choice := range []any{"sometimes", map[string]any{}, 7} {
		_, err := p.Chat(t.Context(), providertest.Question(), providertest.Tools(), "m", map[string]any{"tool_choice": choice})
		var failure *providers.Error
		if !errors.As(err, &failure) || failure.Kind != providers.KindInvalid {
			t.Errorf("tool_choice %v: %v, want invalid", choice, err)
		}
	}
}

func TestKeyHeader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		key  func() string
		want string
	}{
		{"none", nil, ""},
		{"empty", func() string { return "" }, ""},
		{"given", func() string { return "k-1\n" }, "Bearer k-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, nil)
			p := provider(t, srv.URL(), func(o *openai.Options) { o.Key = c.key })
			if _, err := p.Chat(t.Context(), providertest.Question(), nil, "m", nil); err != nil {
				t.Fatal(err)
			}
			if got := srv.Requests()[0].Header.Get("Authorization"); got != c.want {
				t.Errorf("Authorization = %q, want %q", got, c.want)
			}
		})
	}
}

// TestExtraRoundTrip is Gemini's thought signature and OpenRouter's reasoning
// blocks, which the server that sent them wants to see again, and no other.
func TestExtraRoundTrip(t *testing.T) {
	t.Parallel()
	const signature = `{"google":{"thought_signature":"c2ln"}}`
	body := frames(
		`{"choices":[{"index":0,"delta":{"content":"hm","reasoning_details":[{"type":"reasoning.text","index":0,"text":"th"}]}}]}`,
		`{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"ink","signature":"s"},{"type":"reasoning.encrypted","index":1,"data":"x"}]}}]}`,
		call(`{"index":0,"id":"a","function":{"name":"probe","arguments":"{}"},"extra_content":`+signature+`},{"index":1,"id":"b","function":{"name":"probe","arguments":"{}"}}`),
		done)
	script := func(r fakemodel.Request) fakemodel.Answer {
		if len(r.Messages) == 1 {
			return fakemodel.Answer{Fault: fakemodel.Fault{Body: body, ContentType: "text/event-stream"}}
		}
		return fakemodel.Say("done")
	}
	srv := fakemodel.New(fakemodel.Options{Script: script, Fields: []string{"extra_content", "reasoning_details"}})
	t.Cleanup(srv.Close)
	other := serve(t, nil) // takes no foreign fields
	history := []providers.Message{{Role: "user", Content: "hi"}}
	p := provider(t, srv.URL())
	resp, err := p.ChatStream(t.Context(), history, providertest.Tools(), "m", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := json.Marshal(append(history, resp.Message(),
		providers.Message{Role: "tool", ToolCallID: "a", Content: "1"}, providers.Message{Role: "tool", ToolCallID: "b", Content: "2"}))
	if err != nil {
		t.Fatal(err)
	}
	var loaded []providers.Message
	if err := json.Unmarshal(stored, &loaded); err != nil {
		t.Fatal(err)
	}
	history = providers.Repair(loaded)
	for _, model := range []string{"m", "another"} {
		if _, err := p.ChatStream(t.Context(), history, providertest.Tools(), model, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	sent := srv.Requests()
	message := object(t, string(sent[1].Body))["messages"].([]any)[1].(map[string]any)
	calls := message["tool_calls"].([]any)
	if d := cmp.Diff(object(t, signature), calls[0].(map[string]any)["extra_content"]); d != "" {
		t.Errorf("thought signature (-want +got):\n%s", d)
	}
	if _, there := calls[1].(map[string]any)["extra_content"]; there {
		t.Error("the second call has a signature that it never had")
	}
	blocks := object(t, `{"v":[{"type":"reasoning.text","index":0,"text":"think","signature":"s"},{"type":"reasoning.encrypted","index":1,"data":"x"}]}`)["v"]
	if d := cmp.Diff(blocks, message["reasoning_details"]); d != "" {
		t.Errorf("reasoning blocks (-want +got):\n%s", d)
	}
	if strings.Contains(string(sent[2].Body), "thought_signature") {
		t.Error("another model sees the signature")
	}
	if _, err := provider(t, other.URL()).Chat(t.Context(), history, providertest.Tools(), "m", nil); err != nil {
		t.Errorf("another server: %v", err)
	}
}

// TestRefusedParameters are parameters that a model does not take: the request is
// sent again without them, once, and the refusal is remembered.
func TestRefusedParameters(t *testing.T) {
	t.Parallel()
	options := map[string]any{"max_tokens": 9, "temperature": 0.5}
	for _, c := range []struct {
		name     string
		model    string
		refuses  func(r fakemodel.Request) string
		requests int
	}{
		{"max_tokens", "m", func(r fakemodel.Request) string {
			if r.MaxTokens != 0 {
				return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
			}
			return ""
		}, 2},
		{"temperature", "m", func(r fakemodel.Request) string {
			if r.Temperature != nil {
				return "Unsupported value: 'temperature' does not support 0.5 with this model."
			}
			return ""
		}, 2},
		{"usage", "m", func(r fakemodel.Request) string {
			if r.IncludeUsage {
				return "Extra inputs are not permitted: stream_options"
			}
			return ""
		}, 2},
		{"all of them", "m", func(r fakemodel.Request) string {
			switch {
			case r.IncludeUsage:
				return "unknown field stream_options"
			case r.MaxTokens != 0:
				return "max_tokens is not supported"
			case r.Temperature != nil:
				return "temperature is not supported"
			}
			return ""
		}, 4},
		{"a model that the library knows", "o3-mini", func(r fakemodel.Request) string {
			if r.MaxTokens != 0 || r.Temperature != nil {
				return "refused"
			}
			return ""
		}, 1},
		{"reasoning that must come back", "m", func(r fakemodel.Request) string {
			if !strings.Contains(string(r.Body), `"reasoning_content":"thought"`) {
				return "The reasoning_content in the thinking mode must be passed back to the API."
			}
			return ""
		}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			srv := fakemodel.New(fakemodel.Options{Fields: []string{"reasoning_content"}, Script: func(r fakemodel.Request) fakemodel.Answer {
				if message := c.refuses(r); message != "" {
					return fakemodel.Fail(http.StatusBadRequest, "invalid_request_error", message)
				}
				return fakemodel.Say("fine")
			}})
			t.Cleanup(srv.Close)
			p := provider(t, srv.URL())
			messages := append(providertest.Question(), providers.Message{Role: "assistant", Content: "x", Reasoning: "thought"})
			for i := range 2 {
				resp, err := p.ChatStream(t.Context(), messages, nil, c.model, options, nil)
				if err != nil || resp.Content != "fine" {
					t.Fatalf("answer %d: %+v, %v", i, resp, err)
				}
				if got := len(srv.Requests()); got != c.requests+i {
					t.Fatalf("%d requests after answer %d, want %d", got, i, c.requests+i)
				}
			}
		})
	}
}

// TestRefusedForGood is a refusal that no change helps against.
func TestRefusedForGood(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(fakemodel.Request) fakemodel.Answer {
		return fakemodel.Fail(http.StatusBadRequest, "invalid_request_error", "max_tokens, temperature, stream_options: all wrong")
	})
	_, err := provider(t, srv.URL()).ChatStream(t.Context(), providertest.Question(),
		nil, "m", map[string]any{"max_tokens": 9, "temperature": 0.5}, nil)
	var failure *providers.Error
	if !errors.As(err, &failure) || failure.Kind != providers.KindInvalid {
		t.Errorf("%v, want invalid", err)
	}
	if got := len(srv.Requests()); got > 4 {
		t.Errorf("%d requests, want at most one for each parameter and the first", got)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	srv := fakemodel.New(fakemodel.Options{Models: []string{"a", "b"}, Key: "right"})
	t.Cleanup(srv.Close)
	got, err := provider(t, srv.URL(), func(o *openai.Options) { o.Key = func() string { return "right" } }).Models(t.Context())
	if err != nil || fmt.Sprint(got) != "[a b]" {
		t.Errorf("%v, %v", got, err)
	}
	_, err = provider(t, srv.URL()).Models(t.Context())
	var failure *providers.Error
	if !errors.As(err, &failure) || failure.Kind != providers.KindAuth {
		t.Errorf("%v, want auth", err)
	}
}
