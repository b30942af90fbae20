package toolmode_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
	"parley/pkg/providers/toolmode"
)

// refused is a server's refusal with the status 400.
func refused(message string) error {
	return &providers.Error{Kind: providers.KindInvalid, Status: 400, Message: message}
}

// native says whether a request offers tools in the server's own way.
func native(q asked) bool { return len(q.tools) > 0 }

// TestLearnedRefusal asks a server without tools: the first request is sent again at once,
// the next ones are not refused, and after an hour the server's own way is tried again.
func TestLearnedRefusal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var natives, others int
		p := toolmode.New(scripted(func(q asked) (*providers.LLMResponse, error) {
			if native(q) {
				natives++
				return nil, refused("registry.ollama.ai/library/gemma:2b does not support tools")
			}
			others++
			return &providers.LLMResponse{Content: `{"answer":"fine"}`}, nil
		}), toolmode.Options{})
		ask := func() {
			t.Helper()
			resp, err := p.Chat(t.Context(), user("x"), providertest.Tools(), "m", nil)
			if err != nil || resp.Content != "fine" {
				t.Fatalf("%+v, %v", resp, err)
			}
		}
		for range 3 {
			ask()
		}
		<-time.After(59 * time.Minute)
		ask()
		if natives != 1 || others != 4 {
			t.Errorf("%d requests with tools, %d without", natives, others)
		}
		<-time.After(2 * time.Minute)
		ask()
		if natives != 2 {
			t.Errorf("after an hour the server was asked %d times for its tools, want 2", natives)
		}
	})
}

// TestLearnedFromTheSameModelOnly lets one model's refusal change no other's.
func TestLearnedFromTheSameModelOnly(t *testing.T) {
	t.Parallel()
	p, s := serve(t, toolmode.Auto, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("fine") })
	for _, model := range []string{"a", "a", "b", "b"} {
		resp, err := p.ChatStream(t.Context(), user("x"), providertest.Tools(), model, nil, nil)
		if err != nil || resp.Content != "fine" {
			t.Fatalf("%+v, %v", resp, err)
		}
	}
	if got := s.Stats().Requests; got != 6 {
		t.Errorf("%d requests, want one more for each model", got)
	}
}

// TestManyModelsAreForgotten bounds the memory of refusals.
func TestManyModelsAreForgotten(t *testing.T) {
	t.Parallel()
	natives := 0
	p := toolmode.New(scripted(func(q asked) (*providers.LLMResponse, error) {
		if native(q) {
			natives++
			return nil, refused("tools are not supported")
		}
		return &providers.LLMResponse{Content: `{"answer":"fine"}`}, nil
	}), toolmode.Options{})
	const models = 300
	for i := range models {
		if _, err := p.Chat(t.Context(), user("x"), providertest.Tools(), fmt.Sprint("m", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, model := range []string{"m0", "m299"} {
		if _, err := p.Chat(t.Context(), user("x"), providertest.Tools(), model, nil); err != nil {
			t.Fatal(err)
		}
	}
	if natives != models+1 {
		t.Errorf("%d requests with tools, want that of the oldest model again: %d", natives, models+1)
	}
}

// TestRefusalsThatTeach looks at the words of servers.
func TestRefusalsThatTeach(t *testing.T) {
	t.Parallel()
	invalid := providers.KindInvalid
	for _, c := range []struct {
		message string
		status  int
		kind    providers.ErrorKind
		teaches bool
	}{
		{"registry.ollama.ai/library/gemma:2b does not support tools", 400, invalid, true},
		{`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`, 400, invalid, true},
		{"`tool calling` is not supported with this model", 400, invalid, true},
		{"tools param requires --jinja flag", 400, invalid, true},
		{"Unsupported parameter: 'tools' is not supported with this model.", 400, invalid, true},
		{"Function calling is not enabled for models/gemma-3", 400, invalid, true},
		{"tools param requires --jinja flag", 500, invalid, true},
		{"No endpoints found that support tool use.", 404, invalid, true},
		{"No endpoints found that support the provided 'tool_choice' value.", 404, invalid, false},
		{"does not support tools", 422, invalid, false},
		{"does not support tools", 500, providers.KindOverloaded, false},
		{"does not support tools", 404, providers.KindNotFound, false},
		{"does not support tools", 400, providers.KindTooLong, false},
		{"does not support images", 400, invalid, false},
		{"tool_choice 'required' is not supported", 400, invalid, false},
		{"messages with role 'tool' must be a response to a preceding message with 'tool_calls'", 400, invalid, false},
		{"Invalid schema for function 'probe': 'oneOf' is not permitted, nor supported by tools", 400, invalid, false},
		{"Invalid tools[0].function.parameters: not supported", 400, invalid, false},
		{"tools: a list is expected", 400, invalid, false},
	} {
		requests := 0
		p := toolmode.New(scripted(func(q asked) (*providers.LLMResponse, error) {
			requests++
			if native(q) {
				return nil, &providers.Error{Kind: c.kind, Status: c.status, Message: c.message}
			}
			return &providers.LLMResponse{Content: `{"answer":"fine"}`}, nil
		}), toolmode.Options{})
		_, err := p.Chat(t.Context(), user("x"), providertest.Tools(), "m", nil)
		if taught := err == nil && requests == 2; taught != c.teaches || err != nil && requests != 1 {
			t.Errorf("%q (%d, %s): %d requests, %v", c.message, c.status, c.kind, requests, err)
		}
	}
}

// TestServersThatRefuseToolsWithAnotherStatus asks two servers that say by another status
// than 400 that they know no tools: another model is not asked, and no pause passes.
func TestServersThatRefuseToolsWithAnotherStatus(t *testing.T) {
	t.Parallel()
	for refusal, status := range map[string]int{
		`{"error":{"message":"No endpoints found that support tool use. To learn more, visit: https://openrouter.ai/docs","code":404}}`: 404,
		`{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`:                                    500,
	} {
		var natives, others atomic.Int32
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			if strings.Contains(string(body), `"tools":`) {
				natives.Add(1)
				w.WriteHeader(status)
				io.WriteString(w, refusal)
				return
			}
			others.Add(1)
			io.WriteString(w, `{"choices":[{"message":{"content":"{\"answer\":\"fine\"}"},"finish_reason":"stop"}]}`)
		}))
		t.Cleanup(s.Close)
		server := openai.New(openai.Options{BaseURL: s.URL})
		t.Cleanup(server.Close)
		p := providers.Failover(providers.RetryPolicy{OnRetry: func(r providers.Retried) { t.Errorf("retried: %v", r.Err) }},
			providers.Target{Provider: toolmode.New(server, toolmode.Options{})},
			providers.Target{Provider: scripted(func(asked) (*providers.LLMResponse, error) { return nil, refused("not this one") })})
		for range 2 {
			resp, err := p.Chat(t.Context(), user("x"), providertest.Tools(), "m", nil)
			if err != nil || resp.Content != "fine" {
				t.Fatalf("%s: %+v, %v", refusal, resp, err)
			}
		}
		if natives.Load() != 1 || others.Load() != 2 {
			t.Errorf("%s: %d requests with tools, %d without", refusal, natives.Load(), others.Load())
		}
	}
}

// TestRefusedTwice asks a server that knows neither tools nor a form: the answer is plain.
func TestRefusedTwice(t *testing.T) {
	t.Parallel()
	var modes []toolmode.Mode
	p := toolmode.New(scripted(func(q asked) (*providers.LLMResponse, error) {
		switch {
		case native(q):
			return nil, refused("tools are not supported")
		case q.options[toolmode.OptionFormat] != nil:
			return nil, refused("response_format of type json_schema is unknown")
		}
		return &providers.LLMResponse{Content: "fine"}, nil
	}), toolmode.Options{OnRefusal: func(_ string, next toolmode.Mode, _ *providers.Error) { modes = append(modes, next) }})
	for range 2 {
		resp, err := p.Chat(t.Context(), user("x"), providertest.Tools(), "m", nil)
		if err != nil || resp.Content != "fine" {
			t.Fatalf("%+v, %v", resp, err)
		}
	}
	if len(modes) != 2 || modes[0] != toolmode.JSONSchema || modes[1] != toolmode.None {
		t.Errorf("the modes were %v", modes)
	}
}

// TestChosenModesStay returns a refusal where the operator chose the mode.
func TestChosenModesStay(t *testing.T) {
	t.Parallel()
	for _, mode := range []toolmode.Mode{toolmode.Native, toolmode.JSONSchema} {
		p := toolmode.New(scripted(func(asked) (*providers.LLMResponse, error) {
			return nil, refused("tools and response_format are not supported")
		}), toolmode.Options{Mode: mode})
		if resp, err := p.Chat(t.Context(), user("x"), providertest.Tools(), "m", nil); err == nil {
			t.Errorf("%s: %+v", mode, resp)
		}
	}
}

// TestNone leaves tools out, tells earlier calls as text, and tells the person once that a
// call was required and cannot be made.
func TestNone(t *testing.T) {
	t.Parallel()
	p, s := serve(t, toolmode.None, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("It is noon.") })
	call := providers.ToolCall{ID: "1", Name: "probe", RawArguments: `{"n":1}`}
	messages := append(user("x"),
		providers.Message{Role: providers.RoleAssistant, ToolCalls: []providers.ToolCall{call}},
		providers.Message{Role: providers.RoleTool, ToolCallID: "1", Name: "probe", Content: "one"},
		providers.Message{Role: providers.RoleAssistant, Content: "It is one."}, user("again")[0])
	ask := func(choice any) string {
		t.Helper()
		shown := ""
		resp, err := p.ChatStream(t.Context(), messages, providertest.Tools(), "m", map[string]any{"tool_choice": choice},
			func(e providers.StreamEvent) {
				if text, ok := e.(providers.TextDelta); ok {
					shown += text.Text
				}
			})
		if err != nil || resp.Content != shown {
			t.Fatalf("%+v, shown %q, %v", resp, shown, err)
		}
		messages = append(messages, resp.Message(), user("and now?")[0])
		return shown
	}
	if got := ask("auto"); got != "It is noon." {
		t.Errorf("where a call may be made: %q", got)
	}
	first, second := ask("required"), ask(map[string]any{"name": "probe"})
	if !strings.HasPrefix(first, "(This model cannot use tools") || !strings.HasSuffix(first, "\n\nIt is noon.") || second != "It is noon." {
		t.Errorf("where a call must be made: %q, then %q", first, second)
	}
	if v := s.Violations(); len(v) > 0 {
		t.Errorf("violations: %q", v)
	}
	sent := s.Requests()[0]
	if len(sent.Tools) > 0 || sent.Messages[0].Role != providers.RoleSystem || len(sent.Messages) != 6 ||
		!strings.Contains(string(sent.Body), `{\"calls\":[{\"tool\":\"probe\",\"arguments\":{\"n\":1}}]}`) {
		t.Errorf("the request is %s", sent.Body)
	}
}

// TestWithoutTools leaves a conversation alone that has nothing to do with tools.
func TestWithoutTools(t *testing.T) {
	t.Parallel()
	for _, mode := range []toolmode.Mode{toolmode.Auto, toolmode.Native, toolmode.JSONSchema, toolmode.None} {
		p := toolmode.New(scripted(func(q asked) (*providers.LLMResponse, error) {
			if len(q.messages) != 1 || len(q.options) > 0 {
				t.Errorf("%s: %+v", mode, q)
			}
			return &providers.LLMResponse{Content: `{"answer":"as it is"}`}, nil
		}), toolmode.Options{Mode: mode})
		if resp, err := p.Chat(t.Context(), user("x"), nil, "m", nil); err != nil || resp.Content != `{"answer":"as it is"}` {
			t.Errorf("%s: %+v, %v", mode, resp, err)
		}
	}
}
