package openai_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"parley/internal/test/corpora"
	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

type interaction struct {
	file     string
	Request  struct{ Body, URL string }
	Response struct {
		Body    string
		Code    int
		Headers map[string][]string
	}
}

func interactions(t *testing.T) []interaction {
	t.Helper()
	root := corpora.Path(t, "llm-cassettes", "fantasy")
	var all []interaction
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var cassette struct{ Interactions []interaction }
		if err := yaml.Unmarshal(raw, &cassette); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, i := range cassette.Interactions {
			if strings.Contains(i.Request.URL, "/chat/completions") {
				i.file = strings.TrimPrefix(path, root+"/")
				all = append(all, i)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// recorded is the content of an interaction, read by the simplest means.
type recorded struct {
	Text, Reasoning string
	Calls           [][3]string // id, name, arguments
	Prompt, Output  float64
}

// read understands only the content of the recordings: objects, or "data: " lines of
// them.
func (i *interaction) read(t *testing.T) recorded {
	t.Helper()
	var out recorded
	objects := []string{i.Response.Body}
	if strings.Contains(i.Response.Headers["Content-Type"][0], "event-stream") {
		objects = nil
		for line := range strings.SplitSeq(i.Response.Body, "\n") {
			if data, ok := strings.CutPrefix(line, "data: "); ok && !strings.HasPrefix(data, "[DONE]") {
				objects = append(objects, data)
			}
		}
	}
	at := map[any]int{} // position of a call by its index
	for _, o := range objects {
		m := object(t, o)
		if u, ok := m["usage"].(map[string]any); ok {
			out.Prompt, out.Output = u["prompt_tokens"].(float64), u["completion_tokens"].(float64)
		}
		choices, _ := m["choices"].([]any)
		if len(choices) == 0 {
			continue
		}
		choice := choices[0].(map[string]any)
		d, _ := choice["delta"].(map[string]any)
		if d == nil {
			d, _ = choice["message"].(map[string]any)
		}
		str := func(m map[string]any, key string) string { s, _ := m[key].(string); return s }
		out.Text += str(d, "content")
		if r := str(d, "reasoning_content"); r != "" {
			out.Reasoning += r
		} else {
			out.Reasoning += str(d, "reasoning")
		}
		calls, _ := d["tool_calls"].([]any)
		for n, c := range calls {
			c := c.(map[string]any)
			key := c["index"]
			if choice["message"] != nil && choice["delta"] == nil {
				key = n
			}
			if _, there := at[key]; !there {
				at[key] = len(out.Calls)
				out.Calls = append(out.Calls, [3]string{str(c, "id")})
			}
			f := c["function"].(map[string]any)
			call := &out.Calls[at[key]]
			call[1] += str(f, "name")
			call[2] += str(f, "arguments")
		}
	}
	return out
}

// TestRecordedTraffic replays answers of real servers, in small pieces.
func TestRecordedTraffic(t *testing.T) {
	t.Parallel()
	all := interactions(t)
	if len(all) < 150 {
		t.Fatalf("only %d interactions found; the recordings hold 157", len(all))
	}
	streams, calls, texts := 0, 0, 0
	for n := range all {
		want := all[n].read(t)
		if strings.Contains(all[n].Response.Headers["Content-Type"][0], "event-stream") {
			streams++
		}
		calls += len(want.Calls)
		if want.Text != "" {
			texts++
		}
		if want.Text == "" && len(want.Calls) == 0 || want.Prompt == 0 {
			t.Errorf("%s: the simple decoder found nothing: %+v", all[n].file, want)
		}
		for _, piece := range []int{1, 3, 7} {
			t.Run(fmt.Sprintf("%s %d in pieces of %d", all[n].file, n, piece), func(t *testing.T) {
				t.Parallel()
				replay(t, &all[n], piece, want)
			})
		}
	}
	t.Logf("%d interactions checked in pieces of 1, 3 and 7 bytes: %d streams, %d with text, %d tool calls", len(all), streams, texts, calls)
}

func replay(t *testing.T, i *interaction, piece int, want recorded) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = i.Response.Headers["Content-Type"]
		w.WriteHeader(i.Response.Code)
		for body := i.Response.Body; body != ""; {
			size := min(piece, len(body))
			w.Write([]byte(body[:size]))
			w.(http.Flusher).Flush()
			body = body[size:]
		}
	}))
	t.Cleanup(srv.Close)
	var q struct {
		Model  string
		Stream bool
	}
	if err := json.Unmarshal([]byte(i.Request.Body), &q); err != nil {
		t.Fatal(err)
	}
	shown := ""
	p := provider(t, srv.URL)
	var resp *providers.LLMResponse
	var err error
	if q.Stream {
		resp, err = p.ChatStream(t.Context(), providertest.Question(), nil, q.Model, nil, func(e providers.StreamEvent) {
			if d, ok := e.(providers.TextDelta); ok {
				shown += d.Text
			}
		})
	} else {
		resp, err = p.Chat(t.Context(), providertest.Question(), nil, q.Model, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := recorded{
		Text:      resp.Content,
		Reasoning: resp.Reasoning,
		Prompt:    float64(resp.Usage.PromptTokens),
		Output:    float64(resp.Usage.CompletionTokens),
	}
	for _, c := range resp.ToolCalls {
		got.Calls = append(got.Calls, [3]string{c.ID, c.Name, c.RawArguments})
		if c.BadArguments != "" {
			t.Errorf("arguments %q: %s", c.RawArguments, c.BadArguments)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-recorded +decoded):\n%s", d)
	}
	if q.Stream && shown != want.Text {
		t.Errorf("emitted %q, recorded %q", shown, want.Text)
	}
	if resp.FinishReason == "" {
		t.Error("the finish reason is lost")
	}
}

// TestRequestsFitTheSpecification checks our requests against OpenAI's own schema.
func TestRequestsFitTheSpecification(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromFile(corpora.Path(t, "openapi", "openai-2.3.0-openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	ref := doc.Components.Schemas["CreateChatCompletionRequest"]
	if ref == nil {
		t.Fatal("the specification has no CreateChatCompletionRequest")
	}
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
		if err := ref.Value.VisitJSON(object(t, string(r.Body)), openapi3.MultiErrors()); err != nil {
			t.Errorf("%s\n%v", r.Body, err)
		}
	}
	bad := object(t, `{"model":"gpt-4o","messages":[{"role":"nobody","content":"x"}]}`)
	if ref.Value.VisitJSON(bad) == nil {
		t.Error("the schema takes an unknown role: it checks nothing")
	}
}
