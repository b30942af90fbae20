package anthropic_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/providertest"
)

const mark = `,"cache_control":{"type":"ephemeral"}`

// TestRequestFields compares the sent fields with the meant ones. "messages" stands for
// a user's "hi" in a case without messages, and max_tokens is the model's usual one.
func TestRequestFields(t *testing.T) {
	t.Parallel()
	hi := providers.Message{Role: "user", Content: "hi"}
	const hiJSON = `{"role":"user","content":[{"type":"text","text":"hi"` + mark + `}]}`
	const probe = `"tools":[{"name":"probe","description":"Probes.","input_schema":{"type":"object","properties":{"n":{"type":"number"}}}` + mark + `}]`
	calls := []providers.ToolCall{
		{ID: "functions.probe:0", Name: "probe", RawArguments: ` {"n":1} `},
		{ID: "b", Name: "probe", Arguments: map[string]any{"n": 2}},
		{ID: "c", Name: "probe", RawArguments: `{"n":`, BadArguments: "no"},
	}
	results := []providers.Message{
		hi,
		{Role: "assistant", ToolCalls: calls},
		{Role: "tool", ToolCallID: "functions.probe:0", Name: "probe", Content: "one"},
		{Role: "tool", ToolCallID: "b", Name: "probe", Content: " "},
		{Role: "tool", ToolCallID: "c", Name: "probe", Content: "three"},
		{Role: "user", Content: "and?"},
	}
	const first = "call_86880f840ce7f629d84b0d51"
	resultsJSON := `"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[` +
		`{"type":"tool_use","id":"` + first + `","name":"probe","input":{"n":1}},{"type":"tool_use","id":"b","name":"probe","input":{"n":2}},` +
		`{"type":"tool_use","id":"c","name":"probe","input":{}}]},{"role":"user","content":[` +
		`{"type":"tool_result","tool_use_id":"` + first + `","content":"one"},{"type":"tool_result","tool_use_id":"b","content":"(no output)"},` +
		`{"type":"tool_result","tool_use_id":"c","content":"three"` + mark + `},{"type":"text","text":"and?"` + mark + `}]}]`
	for _, c := range []struct {
		name     string
		model    string
		messages []providers.Message
		tools    bool
		options  map[string]any
		want     string
	}{
		{name: "plain", want: `"max_tokens":16384`},
		{name: "an older model", model: "claude-3-5-haiku-20241022", want: `"max_tokens":8192`},
		{name: "the oldest", model: "claude-3-haiku-20240307", want: `"max_tokens":4096`},
		{name: "another host's", model: "kimi-k2", want: `"max_tokens":8192`},
		{
			name: "limits", options: map[string]any{"max_tokens": 7, "temperature": 1.5, "top_p": 0.25, "seed": 3, "stop": []string{"x", " "}},
			want: `"max_tokens":7,"temperature":1,"top_p":0.25,"stop_sequences":["x"]`,
		},
		{name: "options from JSON", options: map[string]any{"max_tokens": float64(7), "temperature": 0.0}, want: `"max_tokens":7,"temperature":0`},
		{name: "auto", tools: true, options: map[string]any{"tool_choice": "auto"}, want: `"max_tokens":16384,` + probe + `,"tool_choice":{"type":"auto"}`},
		{name: "none", tools: true, options: map[string]any{"tool_choice": "none"}, want: `"max_tokens":16384,` + probe + `,"tool_choice":{"type":"none"}`},
		{name: "required", tools: true, options: map[string]any{"tool_choice": "required"}, want: `"max_tokens":16384,` + probe + `,"tool_choice":{"type":"any"}`},
		{
			name: "by name", tools: true, options: map[string]any{"tool_choice": map[string]any{"name": "probe"}},
			want: `"max_tokens":16384,` + probe + `,"tool_choice":{"type":"tool","name":"probe"}`,
		},
		{name: "no choice among nothing", options: map[string]any{"tool_choice": "auto"}, want: `"max_tokens":16384`},
		{
			name: "thinking by a budget", model: "claude-sonnet-4-20250514", options: map[string]any{"reasoning_effort": "low", "temperature": 0.5},
			want: `"max_tokens":18432,"thinking":{"type":"enabled","budget_tokens":2048}`,
		},
		{
			name: "thinking within the limit", model: "claude-sonnet-4-5", options: map[string]any{"reasoning_effort": "high", "max_tokens": 4000},
			want: `"max_tokens":4000,"thinking":{"type":"enabled","budget_tokens":2000}`,
		},
		{
			name: "no room for thinking", model: "claude-sonnet-4-5",
			options: map[string]any{"reasoning_effort": "high", "max_tokens": 400},
			want:    `"max_tokens":400`,
		},
		{
			name: "thinking by an effort", model: "claude-opus-4-7", options: map[string]any{"reasoning_effort": "minimal", "top_p": 0.5},
			want: `"max_tokens":16384,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}`,
		},
		{name: "no thinking", options: map[string]any{"reasoning_effort": "none"}, want: `"max_tokens":16384,"thinking":{"type":"disabled"}`},
		{name: "a model that does not think", model: "claude-3-5-sonnet", options: map[string]any{"reasoning_effort": "high"}, want: `"max_tokens":8192`},
		{name: "an unknown effort", options: map[string]any{"reasoning_effort": "colossal"}, want: `"max_tokens":16384`},
		{
			name: "a forced call excludes thinking", tools: true, options: map[string]any{"reasoning_effort": "high", "tool_choice": "required"},
			want: `"max_tokens":16384,` + probe + `,"tool_choice":{"type":"any"}`,
		},
		{
			name: "an answer by a schema", options: map[string]any{"response_format": json.RawMessage(`{"type":"object"}`)},
			want: `"max_tokens":16384,"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}`,
		},
		{
			name: "instructions, also in the middle", messages: []providers.Message{
				{Role: "system", Content: "Be brief."}, {Role: "system", Content: " "}, hi, {Role: "system", Content: "Be polite."},
			},
			want: `"max_tokens":16384,"system":[{"type":"text","text":"Be brief."},{"type":"text","text":"Be polite."` + mark + `}],"messages":[` + hiJSON + `]`,
		},
		{
			name: "notes for one turn, which the next one has elsewhere", messages: []providers.Message{
				hi, {Role: "assistant", Content: "hello"}, {Role: "user", Content: "[notes]", Aside: true}, {Role: "user", Content: "and?"},
			},
			want: `"max_tokens":16384,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"hello"` + mark + `}]},` +
				`{"role":"user","content":[{"type":"text","text":"[notes]"},{"type":"text","text":"and?"` + mark + `}]}]`,
		},
		{name: "calls and results", messages: results, tools: true, want: `"max_tokens":16384,` + probe + `,` + resultsJSON},
		{
			name: "calls where no tools are offered", messages: results, options: map[string]any{"tool_choice": "auto"},
			want: `"max_tokens":16384,"tools":[{"name":"probe","input_schema":{"type":"object"}` + mark + `}],"tool_choice":{"type":"none"},` + resultsJSON,
		},
		{
			name: "a conversation that the model begins and ends", messages: []providers.Message{{Role: "assistant", Content: "well"}},
			want: `"max_tokens":16384,"messages":[{"role":"user","content":[{"type":"text","text":"(the beginning of this conversation is left out)"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"well"` + mark + `}]},{"role":"user","content":[{"type":"text","text":"(go on)"}]}]`,
		},
		{name: "no messages", messages: []providers.Message{}, want: `"max_tokens":16384,"messages":[{"role":"user","content":[{"type":"text","text":"(go on)"}]}]`},
		{
			name: "messages of one role, and blank ones",
			messages: []providers.Message{
				hi, {Role: "user", Content: " \n"}, {Role: "assistant"}, {Role: "user", Content: "\xff\"\n"},
			},
			want: `"max_tokens":16384,"messages":[{"role":"user","content":[{"type":"text","text":"hi"` + mark + `},{"type":"text","text":"\ufffd\"\n"` + mark + `}]}]`,
		},
		{
			name:     "pictures for a blind model",
			messages: []providers.Message{{Role: "user", Content: "see", Images: []providers.Image{{URL: "https://x.invalid/a.png"}}}},
			want:     `"max_tokens":16384,"messages":[{"role":"user","content":[{"type":"text","text":"see\n[a picture that this model cannot see]"` + mark + `}]}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, url := script(t, reply{body: says("ok", "end_turn")})
			model, messages, tools, want := c.model, c.messages, []providers.ToolDefinition(nil), c.want
			if model == "" {
				model = "claude-sonnet-4-6"
			}
			if messages == nil {
				messages = []providers.Message{hi}
			}
			if !strings.Contains(want, `"messages"`) {
				want += `,"messages":[` + hiJSON + `]`
			}
			if c.tools {
				tools = providertest.Tools()
			}
			if _, err := provider(t, url).ChatStream(t.Context(), messages, tools, model, c.options, nil); err != nil {
				t.Fatal(err)
			}
			var meant map[string]any
			if err := json.Unmarshal([]byte(`{"model":"`+model+`","stream":true,`+want+`}`), &meant); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(meant, s.requests()[0]); d != "" {
				t.Errorf("request (-want +sent):\n%s", d)
			}
		})
	}
}

func TestUnusableChoice(t *testing.T) {
	t.Parallel()
	s, url := script(t, reply{body: says("ok", "end_turn")})
	for _, choice := range []any{"maybe", 7, map[string]any{"name": ""}} {
		options := map[string]any{"tool_choice": choice}
		resp, err := provider(t, url).Chat(t.Context(), providertest.Question(), providertest.Tools(), "claude-x", options)
		if f := failure(t, resp, err); f.Kind != providers.KindInvalid || len(s.requests()) > 0 {
			t.Errorf("%v: %+v", choice, f)
		}
	}
}

// TestSchemas: a schema goes out as its author encoded it, unless the server refuses its
// form.
func TestSchemas(t *testing.T) {
	t.Parallel()
	encoded := json.RawMessage(`{"type":"object","properties":{"b":{},"a":{}}}`)
	define := func(parameters map[string]any, encoded json.RawMessage) providers.ToolDefinition {
		return providers.ToolDefinition{Function: providers.FunctionDefinition{Name: "probe", Parameters: parameters, Encoded: encoded}}
	}
	for name, c := range map[string]struct {
		tool providers.ToolDefinition
		want string
	}{
		"none":          {define(nil, nil), `{"type":"object"}`},
		"encoded alone": {define(nil, encoded), string(encoded)},
		"encoded":       {define(map[string]any{"type": "object"}, encoded), string(encoded)},
		"alternatives at the top": {
			define(map[string]any{"anyOf": []any{1}, "oneOf": []any{1}, "allOf": []any{1}, "required": []any{"a"}}, json.RawMessage(`{"anyOf":[1]}`)),
			`{"required":["a"],"type":"object"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent []byte
			p := anthropic.New(anthropic.Options{BaseURL: "http://model.invalid", Transport: recording{&sent}})
			for range 2 { // the second one reads the kept form
				if _, err := p.ChatStream(t.Context(), providertest.Question(), []providers.ToolDefinition{c.tool}, "claude-x", nil, nil); err != nil {
					t.Fatal(err)
				}
				if !bytes.Contains(sent, []byte(`"input_schema":`+c.want+`,`)) && !bytes.Contains(sent, []byte(`"input_schema":`+c.want+mark)) {
					t.Errorf("sent %s, want the schema %s", sent, c.want)
				}
			}
		})
	}
}

// TestPictures: pictures go out whole, in base64 or by their URL; those of a kind or a
// size that the server refuses are replaced by a note.
func TestPictures(t *testing.T) {
	t.Parallel()
	file := func(mime string, size int) providers.Image {
		data := bytes.Repeat([]byte{'x'}, size)
		return providers.Image{MIME: mime, Path: "inbox/a", Open: func() (io.ReadCloser, int64, error) {
			return io.NopCloser(bytes.NewReader(data)), int64(size), nil
		}}
	}
	gone := providers.Image{MIME: "image/png", Path: "inbox/b", Open: func() (io.ReadCloser, int64, error) { return nil, 0, fs.ErrNotExist }}
	s, url := script(t, reply{body: says("ok", "end_turn")})
	p := provider(t, url, func(o *anthropic.Options) { o.Images = true })
	messages := []providers.Message{{Role: "user", Content: "see", Images: []providers.Image{
		file("image/png", 10), {URL: "https://x.invalid/a.png"}, file("image/tiff", 10), file("image/jpeg", 4<<20), gone,
	}}}
	for range 2 {
		if _, err := p.ChatStream(t.Context(), messages, nil, "claude-x", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	source := func(s map[string]any) map[string]any { return map[string]any{"type": "image", "source": s} }
	text := func(s string) map[string]any { return map[string]any{"type": "text", "text": s} }
	final := text("see\n[a picture that is not there any more]")
	final["cache_control"] = map[string]any{"type": "ephemeral"}
	want := []any{
		source(map[string]any{"type": "base64", "media_type": "image/png", "data": base64.StdEncoding.EncodeToString([]byte("xxxxxxxxxx"))}),
		source(map[string]any{"type": "url", "url": "https://x.invalid/a.png"}),
		text("[a picture of a kind that this model cannot see: image/tiff]"),
		text("[a picture that is too large for this model]"),
		final,
	}
	for _, sent := range s.requests() {
		if d := cmp.Diff(want, sent["messages"].([]any)[0].(map[string]any)["content"]); d != "" {
			t.Errorf("content (-want +sent):\n%s", d)
		}
	}
}

// TestCacheMarkers: the tools, the instructions, the history before the newest message
// and the newest message end with a marker each, and the text up to a marker of the
// history is the same in the next turn.
func TestCacheMarkers(t *testing.T) {
	t.Parallel()
	var sent []byte
	p := anthropic.New(anthropic.Options{BaseURL: "http://model.invalid", Transport: recording{&sent}})
	messages := []providers.Message{{Role: "system", Content: "Be brief."}}
	before, old := "", 0
	for turn := range 4 {
		messages = append(messages, providers.Message{Role: "user", Content: strings.Repeat("question ", turn+1)})
		if _, err := p.ChatStream(t.Context(), messages, providertest.Tools(), "claude-x", nil, nil); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(sent, []byte(mark)); n != min(turn, 1)+3 {
			t.Errorf("turn %d: %d markers in %s", turn, n, sent)
		}
		bare := strings.ReplaceAll(string(sent), mark, "")
		if !strings.HasPrefix(bare, before[:old]) {
			t.Errorf("turn %d: the beginning has changed:\n%s\n%s", turn, before[:old], bare)
		}
		before, old = bare, strings.LastIndex(bare, "question")
		messages = append(messages, providers.Message{Role: "assistant", Content: "answer"})
	}
}
