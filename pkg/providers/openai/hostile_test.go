package openai_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// told is the answer of a server that streams a text.
func told(t *testing.T, body string, within time.Duration) (*providers.LLMResponse, error) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body) // a client that has enough leaves
	}))
	t.Cleanup(srv.Close)
	p := provider(t, srv.URL, func(o *openai.Options) { o.MaxBody = 64 << 20 })
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	return p.ChatStream(ctx, providertest.Question(), nil, "m", nil, nil)
}

// TestALongAnswerIsReadOnce has answers of 16 MB that would keep a processor busy for
// minutes if each piece had all that came before it read again.
func TestALongAnswerIsReadOnce(t *testing.T) { //nolint:paralleltest // it takes a processor
	const size, within = 16 << 20, 30 * time.Second
	fill := func(piece string, size int) string { return strings.Repeat(piece, size/len(piece)) }
	piece := `{"index":0,"id":"a","function":{"name":"n","arguments":"{}` + strings.Repeat("x", 200) + `"}}`
	part := `{"type":"thinking","thinking":"` + strings.Repeat("x", 50) + `"},`
	for name, c := range map[string]struct { //nolint:paralleltest // each takes a processor
		body  string
		calls int
	}{
		"arguments": {
			frames(call(`{"index":0,"id":"a","function":{"name":"n","arguments":"{\"a\":\""}}`)) + fill(frames(call(piece)), size), 1,
		},
		"parts of reasoning": {
			fill(frames(`{"choices":[{"delta":{"content":[`+fill(part, 7<<20)+`{}]}}]}`), size), 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			resp, err := told(t, c.body+frames(stop, done), within)
			if err != nil || len(resp.ToolCalls) != c.calls || len(resp.Reasoning) < size/4 && c.calls == 0 {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestTooManyDetailsAreLeftOut: the answer itself stays whole.
func TestTooManyDetailsAreLeftOut(t *testing.T) {
	t.Parallel()
	for n, kept := range map[int]bool{100: true, 12_000: false} {
		body := frames(`{"choices":[{"delta":{"content":"so","reasoning_details":[`+strings.Repeat("{},", n)+`{}]}}]}`, stop, done)
		resp, err := told(t, body, time.Minute)
		if err != nil || resp.Content != "so" || len(resp.Extra) > 0 != kept {
			t.Errorf("%d details: %+v, %v", n, resp, err)
		}
	}
}

// TestOddDataBesideAnAnswer: the answer counts, in whatever form the data beside it comes.
func TestOddDataBesideAnAnswer(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{`null`, `"x"`, `[]`, `[1]`, `{"a":{}}`, `true`, `-3`, `1.5`, `1e400`} {
		field := func(frame, name string) string { return strings.Replace(frame, `{`, `{"`+name+`":`+odd+`,`, 1) }
		body := frames(field(say("he"), "model"), field(say("llo"), "usage"),
			strings.Replace(say("!"), `"index":0`, `"index":"0"`, 1),
			strings.Replace(say(""), `"content"`, `"reasoning_details":`+odd+`,"content"`, 1), stop,
			`{"choices":[],"usage":{"prompt_tokens":"7","completion_tokens":`+odd+`,"total_tokens":9.0,"prompt_tokens_details":`+odd+`}}`, done)
		resp, err := told(t, body, time.Minute)
		if err != nil || resp.Content != "hello!" {
			t.Errorf("with %s: %+v, %v", odd, resp, err)
		} else if u := resp.Usage; u.PromptTokens != 7 || u.CompletionTokens < 0 || u.TotalTokens != 9 {
			t.Errorf("with %s: %+v, %v", odd, resp, err)
		}
	}
}
