package gemini_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakegemini"
	"parley/pkg/providers"
	"parley/pkg/providers/gemini"
	"parley/pkg/providers/providertest"
)

type request struct {
	path   string
	header http.Header
}

// listen starts a plain server that answers as it is told; a path with "stream" gives
// a stream of the lines of the answer.
func listen(t *testing.T, answer func(request) string) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		body := answer(request{r.URL.RequestURI(), r.Header})
		if strings.Contains(r.URL.Path, "stream") {
			w.Header().Set("Content-Type", "text/event-stream")
			body = "data: " + strings.ReplaceAll(body, "\n", "\r\n\r\ndata: ") + "\r\n\r\n"
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

type chat = func(context.Context, []providers.Message, []providers.ToolDefinition, string, map[string]any) (*providers.LLMResponse, error)

func streaming(p *gemini.Provider) chat {
	return func(
		ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any,
	) (*providers.LLMResponse, error) {
		return p.ChatStream(ctx, messages, tools, model, options, nil)
	}
}

func failure(t *testing.T, err error) *providers.Error {
	t.Helper()
	e, ok := errors.AsType[*providers.Error](err)
	if !ok {
		t.Fatalf("%v; want a *providers.Error", err)
	}
	return e
}

// TestAnswers holds frames against the answer, streamed and whole.
func TestAnswers(t *testing.T) {
	t.Parallel()
	usage := providers.Usage{PromptTokens: 11, CompletionTokens: 7, TotalTokens: 18, CachedTokens: 3, ReasoningTokens: 2}
	const text, thought = `{"candidates":[{"content":{"parts":[{"text":"hi"}]}}]}`, `{"text":"hm","thought":true}`
	calls := fakegemini.Ends("STOP", fakegemini.Text("so"),
		fakegemini.Call("x", "add", `{"a":[ ], "b": 1.5}`), fakegemini.Call("", "add", `null`))
	for name, c := range map[string]struct {
		reply fakegemini.Reply
		want  providers.LLMResponse
		kind  providers.ErrorKind // of the error, if one is wanted
	}{
		"text":  {fakegemini.Say("hi"), providers.LLMResponse{Content: "hi", FinishReason: "stop"}, ""},
		"empty": {fakegemini.Ends("STOP"), providers.LLMResponse{FinishReason: "stop"}, ""},
		"calls": {calls, providers.LLMResponse{Content: "so", FinishReason: "tool_calls", ToolCalls: []providers.ToolCall{
			{ID: "x", Type: "function", Name: "add", RawArguments: `{"a":[],"b":1.5}`, Arguments: map[string]any{"a": []any{}, "b": 1.5}},
			{ID: "own", Type: "function", Name: "add", RawArguments: `{}`, Arguments: map[string]any{}},
		}}, ""},
		"the same id twice": {
			fakegemini.Ends("STOP", fakegemini.Call("x", "add", `{}`), fakegemini.Call("x", "add", `{}`)),
			providers.LLMResponse{FinishReason: "tool_calls", ToolCalls: []providers.ToolCall{
				{ID: "x", Type: "function", Name: "add", RawArguments: `{}`, Arguments: map[string]any{}},
				{ID: "own", Type: "function", Name: "add", RawArguments: `{}`, Arguments: map[string]any{}},
			}},
			"",
		},
		"arguments that are no object": {
			fakegemini.Ends("STOP", fakegemini.Call("x", "add", `[1]`)),
			providers.LLMResponse{FinishReason: "tool_calls", ToolCalls: []providers.ToolCall{
				{ID: "x", Type: "function", Name: "add", RawArguments: `[1]`, BadArguments: "the arguments must be a JSON object"},
			}},
			"",
		},
		"thoughts": {
			fakegemini.Ends("STOP", thought, thought, fakegemini.Text("hi")),
			providers.LLMResponse{Content: "hi", Reasoning: "hmhm", FinishReason: "stop"},
			"",
		},
		"the limit": {
			fakegemini.Ends("MAX_TOKENS", fakegemini.Text("h")), providers.LLMResponse{Content: "h", FinishReason: "length"}, "",
		},
		"thoughts alone": {fakegemini.Ends("MAX_TOKENS", thought), providers.LLMResponse{Reasoning: "hm", FinishReason: "length"}, ""},
		"filtered midway": {
			fakegemini.Ends("SAFETY", fakegemini.Text("h")), providers.LLMResponse{Content: "h", FinishReason: "content_filter"}, "",
		},
		"recited midway": {
			fakegemini.Ends("RECITATION", fakegemini.Text("h")), providers.LLMResponse{Content: "h", FinishReason: "content_filter"}, "",
		},
		"a new reason": {fakegemini.Ends("TIRED", fakegemini.Text("h")), providers.LLMResponse{Content: "h", FinishReason: "tired"}, ""},
		"filtered":     {fakegemini.Ends("PROHIBITED_CONTENT"), providers.LLMResponse{}, providers.KindFiltered},
		"recited":      {fakegemini.Ends("RECITATION"), providers.LLMResponse{}, providers.KindRecited},
		"malformed":    {fakegemini.Ends("MALFORMED_FUNCTION_CALL"), providers.LLMResponse{}, providers.KindCut},
		"malformed behind": {
			fakegemini.Ends("MALFORMED_FUNCTION_CALL", fakegemini.Text("I look."), fakegemini.Call("x", "add", `{}`)),
			providers.LLMResponse{},
			providers.KindCut,
		},
		"a new empty reason": {fakegemini.Ends("TIRED"), providers.LLMResponse{}, providers.KindCut},
		"a blocked prompt": {
			fakegemini.Reply{Frames: []string{`{"promptFeedback":{"blockReason":"SAFETY"}}`}}, providers.LLMResponse{}, providers.KindFiltered,
		},
		"no candidates": {fakegemini.Reply{Frames: []string{`{"candidates":[]}`}}, providers.LLMResponse{}, providers.KindCut},
		"late error": {
			fakegemini.Reply{Frames: []string{text, `{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}`}},
			providers.LLMResponse{},
			providers.KindOverloaded,
		},
		"another candidate": {
			fakegemini.Reply{Frames: []string{
				`{"candidates":[{"index":1,"content":{"parts":[{"text":"no"}]}}]}`,
				fakegemini.Frame(fakegemini.Text("hi"), "STOP"),
			}},
			providers.LLMResponse{Content: "hi", FinishReason: "stop"},
			"",
		},
		"a list of chunks": {
			fakegemini.Reply{Body: "[" + text + "\n,\n" + fakegemini.Frame("", "STOP") + "]"},
			providers.LLMResponse{Content: "hi", FinishReason: "stop"},
			"",
		},
		"a web page": {fakegemini.Reply{Body: "<html>"}, providers.LLMResponse{}, providers.KindOverloaded},
		"no JSON":    {fakegemini.Reply{Body: "{..."}, providers.LLMResponse{}, providers.KindCut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, serve(t, script(c.reply)).URL())
			for stream, ask := range map[bool]chat{false: p.Chat, true: streaming(p)} {
				if name == "another candidate" && !stream {
					continue // the fake joins what it sends
				}
				resp, err := ask(t.Context(), []providers.Message{user("hi")}, nil, "gemini-2.5-pro", nil)
				if c.kind != "" {
					e := failure(t, err)
					if e.Kind != c.kind || e.PersonMessage() == "" || resp != nil {
						t.Errorf("stream %v: %+v, want %s", stream, e, c.kind)
					}
					continue
				}
				if err != nil {
					t.Errorf("stream %v: %v", stream, err)
					continue
				}
				for i := range resp.ToolCalls {
					resp.ToolCalls[i].Extra = nil
					if strings.HasPrefix(resp.ToolCalls[i].ID, "call_") {
						resp.ToolCalls[i].ID = "own"
					}
				}
				want := c.want
				want.Usage, want.Model = usage, "fake-001"
				if d := cmp.Diff(&want, resp); d != "" {
					t.Errorf("stream %v (-want +got):\n%s", stream, d)
				}
			}
		})
	}
}

// TestCallsNameTheToolThatWasOffered lets the model write a name in other forms.
func TestCallsNameTheToolThatWasOffered(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"probe": "probe", "default_api:probe": "probe", "default_api.probe": "probe", "_9lives": "9lives", "other": "other",
	} {
		p := provider(t, serve(t, script(fakegemini.Ends("STOP", fakegemini.Call("x", written, `{}`)))).URL())
		tools := append(providertest.Tools(), providers.ToolDefinition{Function: providers.FunctionDefinition{Name: "9lives"}})
		resp, err := p.Chat(t.Context(), []providers.Message{user("hi")}, tools, "gemini-3-pro", nil)
		if err != nil || resp.ToolCalls[0].Name != want {
			t.Errorf("%s: %+v, %v; want %s", written, resp, err, want)
		}
	}
}

// TestAStreamWithoutAnEndIsCut takes the end of a stream away, byte by byte.
func TestAStreamWithoutAnEndIsCut(t *testing.T) {
	t.Parallel()
	body := ""
	for _, f := range fakegemini.Ends("STOP", fakegemini.Text("hello"), fakegemini.Call("x", "add", `{}`)).Frames {
		body += "data: " + f + "\r\n\r\n"
	}
	whole := strings.TrimRight(body, "\r\n")
	s := serve(t, fakegemini.Options{Script: func(r fakegemini.Request) fakegemini.Reply {
		return fakegemini.Reply{Body: whole[:r.N], Headers: map[string]string{"Content-Type": "text/event-stream"}}
	}})
	p := provider(t, s.URL())
	for n := 1; n <= len(whole); n++ {
		resp, err := p.ChatStream(t.Context(), []providers.Message{user("hi")}, nil, "gemini-2.5-pro", nil, nil)
		switch {
		case n == len(whole):
			if err != nil || resp.Content != "hello" || len(resp.ToolCalls) != 1 {
				t.Errorf("the whole answer: %+v, %v", resp, err)
			}
		case err == nil:
			t.Fatalf("an answer of %d of %d bytes: %+v", n, len(whole), resp)
		case failure(t, err).Kind != providers.KindCut:
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}
