package anthropic_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/providertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	wait := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	hang := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	fail := func(status int, kind, message string) reply {
		return reply{status: status, body: `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"}}`}
	}
	half := events(started, begin(0, `{"type":"text","text":""}`), textPiece(0, "half an answer"))
	probe := func(i int, id, n string) string {
		return events(begin(i, `{"type":"tool_use","id":"`+id+`","name":"probe","input":{}}`), inputPiece(i, `{"n":`), inputPiece(i, n+`}`), end(i))
	}
	limited := fail(http.StatusTooManyRequests, "rate_limit_error", "Number of requests has exceeded your rate limit")
	limited.header = http.Header{"Retry-After": {"7"}}
	replies := map[providertest.Behaviour]reply{
		providertest.Answers: {body: says("well, hello", "end_turn")},
		providertest.CallsTools: {
			body: events(started) + probe(0, "toolu_a", "1") + probe(1, "toolu_b", "2") + events(stopped("tool_use"), last),
		},
		providertest.RateLimited: limited,
		providertest.Overloaded:  fail(529, "overloaded_error", "Overloaded"),
		providertest.OutOfQuota: fail(http.StatusBadRequest, "invalid_request_error",
			"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."),
		providertest.BadKey:  fail(http.StatusUnauthorized, "authentication_error", "invalid x-api-key"),
		providertest.TooLong: fail(http.StatusBadRequest, "invalid_request_error", "prompt is too long: 213021 tokens > 200000 maximum"),
		providertest.Cuts:    {body: half, then: hang},
		providertest.Silent:  {body: half, then: wait},
		providertest.FailsLate: {
			body: half + events(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
		},
	}
	providertest.Run(t, func(t *testing.T, b providertest.Behaviour) providers.LLMProvider {
		t.Helper()
		if b == providertest.Unreachable {
			return anthropic.New(anthropic.Options{BaseURL: "http://127.0.0.1:1", ConnectTimeout: 5 * time.Second})
		}
		return provider(t, serve(t, replies[b]))
	})
}

// serve starts a server that gives a streamed reply as a stream, or whole where no stream
// is asked for.
func serve(t *testing.T, a reply) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Stream bool }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		a := a
		if !asked.Stream && a.status == 0 {
			a.kind, a.body = "application/json", whole(a.body)
		}
		send(w, r, &a)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// whole is a stream as the same server says it in one piece; the beginning of an object
// for a stream that does not end.
func whole(stream string) string {
	var content []map[string]any
	var reason string
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type  string
			Error any
			Block map[string]any `json:"content_block"`
			Delta struct {
				Text, Input string
				Partial     string `json:"partial_json"`
				Reason      string `json:"stop_reason"`
			}
		}
		_ = json.Unmarshal([]byte(data), &e)
		switch {
		case e.Error != nil:
			return data
		case e.Block != nil:
			content = append(content, e.Block)
		case e.Delta.Text != "":
			content[len(content)-1]["text"] = e.Delta.Text
		case e.Delta.Partial != "":
			input, _ := content[len(content)-1]["raw"].(string)
			content[len(content)-1]["raw"] = input + e.Delta.Partial
		case e.Delta.Reason != "":
			reason = e.Delta.Reason
		}
	}
	for _, b := range content {
		if raw, ok := b["raw"].(string); ok {
			b["input"] = json.RawMessage(raw)
			delete(b, "raw")
		}
	}
	out, _ := json.Marshal(map[string]any{ //nolint:errchkjson // maps and texts
		"type": "message", "model": "claude-x", "content": content, "stop_reason": reason,
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 5},
	})
	if reason == "" {
		out = out[:len(out)/2]
	}
	return string(out)
}

// TestCutsEverywhere cuts a stream with text, thinking and calls behind each byte: each
// gives the whole answer or an error of KindCut, and the answer only behind the stop
// reason.
func TestCutsEverywhere(t *testing.T) {
	t.Parallel()
	head := events(started, begin(0, `{"type":"thinking","thinking":"","signature":""}`), piece(0, `{"type":"thinking_delta","thinking":"hm"}`),
		piece(0, `{"type":"signature_delta","signature":"c2ln"}`), end(0), begin(1, `{"type":"text","text":""}`), textPiece(1, "hello"), end(1),
		begin(2, `{"type":"tool_use","id":"toolu_a","name":"probe","input":{}}`), inputPiece(2, `{"n":1}`), end(2))
	reason := events(stopped("tool_use"))
	stream := head + reason + events(last)
	complete := len(head) + len(strings.TrimRight(reason, "\n"))
	transport := &canned{}
	for cut := range len(stream) + 1 {
		transport.body = stream[:cut]
		p := anthropic.New(anthropic.Options{BaseURL: "http://model.invalid", Transport: transport})
		resp, err := p.ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, nil)
		if err == nil && (cut < complete || resp.Content != "hello" || len(resp.ToolCalls) != 1 || resp.Reasoning != "hm") {
			t.Fatalf("cut after %d of %d bytes: %+v", cut, len(stream), resp)
		}
		if err != nil {
			if f := failure(t, resp, err); f.Kind != providers.KindCut || cut >= complete {
				t.Fatalf("cut after %d of %d bytes (complete at %d): %+v", cut, len(stream), complete, f)
			}
		}
	}
}
