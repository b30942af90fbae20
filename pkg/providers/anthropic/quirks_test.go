package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/providertest"
)

// TestRefusedParameters: a refusal of a parameter is asked around within the same answer,
// and remembered for the model.
func TestRefusedParameters(t *testing.T) {
	t.Parallel()
	const deprecated = "`temperature` is deprecated for this model."
	high := map[string]any{"reasoning_effort": "high"}
	for _, c := range []struct {
		name     string
		model    string
		options  map[string]any
		refusals []string
		check    func(r map[string]any) bool // of the request that is answered
	}{
		{
			"temperature", "claude-x",
			map[string]any{"temperature": 0.5},
			[]string{deprecated},
			func(r map[string]any) bool { return r["temperature"] == nil },
		},
		{
			"temperature beside top_p", "claude-x",
			map[string]any{"temperature": 0.5, "top_p": 0.5},
			[]string{"`temperature` and `top_p` cannot both be specified for this model. Please use only one."},
			func(r map[string]any) bool { return r["temperature"] == 0.5 && r["top_p"] == nil },
		},
		{
			"both", "claude-x",
			map[string]any{"temperature": 0.5, "top_p": 0.5},
			[]string{"temperature, top_p and top_k are not supported", "top_p and temperature are not supported"},
			func(r map[string]any) bool { return r["temperature"] == nil && r["top_p"] == nil },
		},
		{
			"a budget", "claude-sonnet-4-5", high,
			[]string{`"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`},
			func(r map[string]any) bool {
				return is(r, "thinking", "type", "adaptive") && is(r, "output_config", "effort", "high")
			},
		},
		{
			"an effort that decides", "claude-opus-4-7", high,
			[]string{"adaptive thinking is not supported on this model"},
			func(r map[string]any) bool { return is(r, "thinking", "type", "enabled") },
		},
		{
			"any thinking", "claude-opus-4-7", high,
			[]string{"thinking: Input tag 'adaptive' found", "'claude-opus-4-7' does not support thinking."},
			func(r map[string]any) bool { return r["thinking"] == nil },
		},
		{
			"the effort", "claude-opus-4-7", high,
			[]string{"This model does not support the effort parameter."},
			func(r map[string]any) bool { return is(r, "thinking", "type", "adaptive") && r["output_config"] == nil },
		},
		{
			"no thinking", "claude-opus-4-7",
			map[string]any{"reasoning_effort": "none"},
			[]string{`"thinking.type.disabled" is not supported for this model`},
			func(r map[string]any) bool { return r["thinking"] == nil },
		},
		{
			"a forced call", "claude-opus-5",
			map[string]any{"tool_choice": "required"},
			[]string{"Thinking may not be enabled when tool_choice forces tool use."},
			func(r map[string]any) bool {
				return is(r, "thinking", "type", "disabled") && is(r, "tool_choice", "type", "any")
			},
		},
		{
			"the longest answer", "claude-x",
			map[string]any{"max_tokens": 64000},
			[]string{"max_tokens: 64000 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307"},
			func(r map[string]any) bool { return r["max_tokens"] == float64(4096) },
		},
		{
			"cache markers", "claude-x", nil,
			[]string{"system.0.cache_control: Extra inputs are not permitted"},
			func(r map[string]any) bool {
				b, _ := json.Marshal(r)
				return !strings.Contains(string(b), "cache_control")
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			replies := make([]reply, 0, len(c.refusals)+1)
			for _, text := range c.refusals {
				replies = append(replies, refuses(text))
			}
			s, url := script(t, append(replies, reply{body: says("ok", "end_turn")})...)
			p := provider(t, url)
			for turn := range 2 {
				resp, err := p.ChatStream(t.Context(), providertest.Question(), providertest.Tools(), c.model, c.options, nil)
				if err != nil || resp.Content != "ok" {
					t.Fatalf("%+v, %v after %v", resp, err, s.requests())
				}
				sent := s.requests()
				if got := sent[len(sent)-1]; !c.check(got) {
					t.Errorf("turn %d: answered was %v", turn, got)
				}
				if len(sent) > len(c.refusals)+1+turn {
					t.Errorf("turn %d: %d requests", turn, len(sent))
				}
			}
		})
	}
}

func is(r map[string]any, field, name, want string) bool {
	inner, _ := r[field].(map[string]any)
	return inner[name] == want
}

// TestRefusedThinking: if the server refuses the thinking in a conversation, the provider
// asks again without it, so that the conversation is not lost.
func TestRefusedThinking(t *testing.T) {
	t.Parallel()
	body := events(started, begin(0, `{"type":"thinking","thinking":"","signature":""}`), piece(0, `{"type":"thinking_delta","thinking":"a secret"}`),
		piece(0, `{"type":"signature_delta","signature":"c2ln"}`), end(0),
		begin(1, `{"type":"tool_use","id":"toolu_a","name":"probe","input":{}}`), inputPiece(1, `{"n":1}`), end(1), stopped("tool_use"), last)
	s, url := script(t, reply{body: body},
		refuses("messages.1.content.0: Invalid `signature` in `thinking` block"), reply{body: says("ok", "end_turn")})
	p := provider(t, url)
	options := map[string]any{"reasoning_effort": "low"}
	messages := providertest.Question()
	resp, err := p.ChatStream(t.Context(), messages, providertest.Tools(), "claude-sonnet-4-5", options, nil)
	if err != nil {
		t.Fatal(err)
	}
	messages = append(messages, resp.Message(), providers.Message{Role: "tool", ToolCallID: "toolu_a", Name: "probe", Content: "ok"})
	resp, err = p.ChatStream(t.Context(), messages, providertest.Tools(), "claude-sonnet-4-5", options, nil)
	if err != nil || resp.Content != "ok" {
		t.Fatalf("%+v, %v", resp, err)
	}
	sent := s.requests()
	raw, err := json.Marshal(sent[len(sent)-1])
	if err != nil || strings.Contains(string(raw), "thinking") || len(sent) != 3 {
		t.Errorf("%d requests, the last one %s", len(sent), raw)
	}
}

// TestThinkingBegunElsewhere: the calls of another model have no thinking before them, so
// the answer that goes on behind their results is asked for without.
func TestThinkingBegunElsewhere(t *testing.T) {
	t.Parallel()
	s, url := script(t, reply{body: says("ok", "end_turn")})
	messages := append(providertest.Question(),
		providers.Message{Role: "assistant", ToolCalls: []providers.ToolCall{{ID: "call_1", Name: "probe", RawArguments: `{"n":1}`}}},
		providers.Message{Role: "tool", ToolCallID: "call_1", Name: "probe", Content: "1"})
	p := provider(t, url)
	for _, next := range [][]providers.Message{nil, {{Role: "assistant", Content: "one"}, {Role: "user", Content: "why?"}}} {
		messages = append(messages, next...)
		options := map[string]any{"reasoning_effort": "low"}
		if _, err := p.ChatStream(t.Context(), messages, providertest.Tools(), "claude-sonnet-4-5", options, nil); err != nil {
			t.Fatal(err)
		}
	}
	sent := s.requests()
	if sent[0]["thinking"] != nil || !is(sent[1], "thinking", "type", "enabled") {
		t.Errorf("in the turn: %v, in the next one: %v", sent[0]["thinking"], sent[1]["thinking"])
	}
}

// TestRefusedForGood: a refusal that teaches no lesson is asked once.
func TestRefusedForGood(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reply reply
		kind  providers.ErrorKind
	}{
		{refuses("messages.3: the roles must alternate"), providers.KindInvalid},
		{refuses("`temperature` is deprecated for this model."), providers.KindInvalid},
		{refuses("input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000"), providers.KindTooLong},
		{refuses("You have reached your specified API usage limits. You will regain access on 2027-01-01."), providers.KindQuota},
		{reply{status: http.StatusRequestEntityTooLarge, body: `{"type":"error","error":{"type":"request_too_large","message":"too large"}}`}, providers.KindTooLong},
		{reply{status: http.StatusForbidden, body: `{"type":"error","error":{"type":"permission_error","message":"no"}}`}, providers.KindAuth},
		{reply{status: http.StatusNotFound, body: `{"type":"error","error":{"type":"not_found_error","message":"model: x"}}`}, providers.KindNotFound},
		{reply{status: http.StatusPaymentRequired, body: `{"type":"error","error":{"type":"billing_error","message":"pay"}}`}, providers.KindQuota},
		{reply{status: http.StatusInternalServerError, body: `{"type":"error","error":{"type":"api_error","message":"oops"}}`}, providers.KindOverloaded},
		{reply{status: http.StatusGatewayTimeout, body: `{"type":"error","error":{"type":"timeout_error","message":"slow"}}`}, providers.KindOverloaded},
		{reply{status: http.StatusFound, header: http.Header{"Location": {"http://127.0.0.1:1/"}}}, providers.KindNotFound},
	} {
		s, url := script(t, c.reply)
		resp, err := provider(t, url).ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, nil)
		if f := failure(t, resp, err); f.Kind != c.kind || len(s.requests()) > 2 {
			t.Errorf("%s: %+v after %d requests, want %s", c.reply.body, f, len(s.requests()), c.kind)
		}
	}
}

// TestEnvironmentDecidesNothing: neither variables nor files of the SDK's own login
// change a request. The SDK takes the first of them that it finds.
//

func TestEnvironmentDecidesNothing(t *testing.T) {
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "sk-environment", "ANTHROPIC_AUTH_TOKEN": "sk-environment",
		"ANTHROPIC_PROFILE": "other", "ANTHROPIC_CUSTOM_HEADERS": "X-Environment: 1",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("HOME", dir)
			t.Setenv("ANTHROPIC_CONFIG_DIR", dir)
			t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
			t.Setenv(name, value)
			if err := os.WriteFile(filepath.Join(dir, "active_config"), []byte("other"), fs.FileMode(0o600)); err != nil {
				t.Fatal(err)
			}
			var header http.Header
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				header = r.Header.Clone()
				send(w, r, &reply{body: says("ok", "end_turn")})
			}))
			defer srv.Close()
			p := anthropic.New(anthropic.Options{BaseURL: srv.URL + "/v1/"})
			defer p.Close()
			if _, err := p.ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, nil); err != nil {
				t.Fatal(err)
			}
			if header.Get("X-Api-Key")+header.Get("Authorization")+header.Get("X-Environment") != "" {
				t.Errorf("sent %v", header)
			}
		})
	}
}

// TestSecretsStayOut: no error has the key or the password of the base URL.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	_, url := script(t, refuses("the key sk-canary of user:canary is wrong, sk-canary"))
	for _, base := range []string{
		strings.Replace(url, "://", "://user:canary@", 1), "http://user:canary@127.0.0.1:1",
		"http://user:canary@[::1", "canary", "http://canary:x y/",
	} {
		for _, path := range []string{"", "/models/{model}"} {
			p := provider(t, base, func(o *anthropic.Options) { o.Key, o.Path = func() string { return "sk-canary" }, path })
			resp, err := p.Chat(t.Context(), providertest.Question(), nil, "m", nil)
			f := failure(t, resp, err)
			if said := f.Error() + f.PersonMessage(); strings.Contains(strings.ReplaceAll(said, f.Server, ""), "canary") {
				t.Errorf("%s: %s", base, said)
			}
			if _, err := p.Models(t.Context()); err == nil || strings.Contains(strings.ReplaceAll(err.Error(), f.Server, ""), "canary") {
				t.Errorf("%s: %v", base, err)
			}
		}
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Header.Get("X-Api-Key") != "k" {
			t.Errorf("asked for %s with %v", r.URL, r.Header)
		}
		send(w, r, &reply{kind: "application/json", body: `{"data":[{"id":"claude-a","type":"model"},{"id":" "},{"id":"claude-b"}],"has_more":false}`})
	}))
	t.Cleanup(srv.Close)
	names, err := provider(t, srv.URL, func(o *anthropic.Options) { o.Key = func() string { return " k\n" } }).Models(t.Context())
	if err != nil || strings.Join(names, " ") != "claude-a claude-b" {
		t.Errorf("%v, %v", names, err)
	}
}

// TestTimeLimits: a server that hangs, drips or sends without end is left in time.
func TestTimeLimits(t *testing.T) {
	t.Parallel()
	half := events(started, begin(0, `{"type":"text","text":""}`), textPiece(0, "half"))
	drip := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			select {
			case <-time.After(10 * time.Millisecond):
				_, _ = w.Write([]byte(events(ping)))
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
			}
		}
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		line := []byte("data: " + strings.Repeat("x", 64<<10))
		for r.Context().Err() == nil {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, c := range map[string]struct {
		reply reply
		kind  providers.ErrorKind
	}{
		"hang":    {reply{body: half, then: hang}, providers.KindTimeout},
		"drip":    {reply{body: half, then: drip}, providers.KindTimeout},
		"endless": {reply{body: half, then: endless}, providers.KindInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, url := script(t, c.reply)
			p := provider(t, url, func(o *anthropic.Options) {
				o.IdleTimeout, o.TotalTimeout = 300*time.Millisecond, time.Second
				if c.kind == providers.KindInvalid {
					o.IdleTimeout, o.TotalTimeout = time.Minute, time.Minute
				}
			})
			resp, err := p.ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, nil)
			if f := failure(t, resp, err); f.Kind != c.kind {
				t.Errorf("%+v, want %s", f, c.kind)
			}
		})
	}
	t.Run("the end of the stream is not awaited", func(t *testing.T) {
		t.Parallel()
		_, url := script(t, reply{body: says("hello", "end_turn"), then: hang})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		resp, err := provider(t, url).ChatStream(ctx, providertest.Question(), nil, "claude-x", nil, nil)
		if err != nil || resp.Content != "hello" || errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("%+v, %v", resp, err)
		}
	})
}
