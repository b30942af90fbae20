package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"parley/pkg/providers"
)

// reply is an answer of a scripted server: a status with a body, or a stream.
type reply struct {
	status int
	kind   string // of the content; empty: a stream for 200, JSON for the rest
	header http.Header
	body   string
	then   func(w http.ResponseWriter, r *http.Request) // after the body
}

// scripted is a server that answers its n-th request with the n-th reply, and the last
// one again.
type scripted struct {
	t       *testing.T
	replies []reply

	mu   sync.Mutex
	sent []map[string]any
}

// script starts a server that ends with the test.
func script(t *testing.T, replies ...reply) (*scripted, string) {
	t.Helper()
	s := &scripted{t: t, replies: replies}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return s, srv.URL
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var body map[string]any
	if err := acceptable(raw); r.Method == http.MethodPost && (err != nil || json.Unmarshal(raw, &body) != nil) {
		s.t.Errorf("%v in\n%s", err, raw)
	}
	s.mu.Lock()
	n := min(len(s.sent), len(s.replies)-1)
	s.sent = append(s.sent, body)
	s.mu.Unlock()
	send(w, r, &s.replies[n])
}

func send(w http.ResponseWriter, r *http.Request, a *reply) {
	kind, status := a.kind, a.status
	if status == 0 {
		status = http.StatusOK
	}
	switch {
	case kind != "":
	case status == http.StatusOK:
		kind = "text/event-stream; charset=utf-8"
	default:
		kind = "application/json"
	}
	maps.Copy(w.Header(), a.header)
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, a.body)
	if a.then != nil {
		_ = http.NewResponseController(w).Flush()
		a.then(w, r)
	}
}

// requests are the bodies that arrived.
func (s *scripted) requests() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]map[string]any(nil), s.sent...)
}

// events is a stream of events, each with its name.
func events(payloads ...string) string {
	var b strings.Builder
	for _, p := range payloads {
		var e struct{ Type string }
		_ = json.Unmarshal([]byte(p), &e)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", e.Type, p)
	}
	return b.String()
}

// The events of usual streams.
const (
	started = `{"type":"message_start","message":{"type":"message","role":"assistant","model":"claude-x","content":[],` +
		`"stop_reason":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":7,"output_tokens":1}}}`
	ping = `{"type":"ping"}`
	last = `{"type":"message_stop"}`
)

func begin(index int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block)
}

func piece(index int, delta string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, delta)
}

func textPiece(index int, text string) string {
	return piece(index, fmt.Sprintf(`{"type":"text_delta","text":%q}`, text))
}

func inputPiece(index int, text string) string {
	return piece(index, fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, text))
}

func end(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }

func stopped(reason string) string {
	return fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":5}}`, reason)
}

// says is a whole stream with one text.
func says(text, reason string) string {
	return events(started, begin(0, `{"type":"text","text":""}`), textPiece(0, text), end(0), stopped(reason), last)
}

// refuses is a refusal of the request.
func refuses(message string) reply {
	return reply{
		status: http.StatusBadRequest,
		body:   fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":%q},"request_id":"req_1"}`, message),
	}
}

// failure has an error be a typed one.
func failure(t *testing.T, resp *providers.LLMResponse, err error) *providers.Error {
	t.Helper()
	f, ok := errors.AsType[*providers.Error](err)
	if !ok || resp != nil {
		t.Fatalf("%+v, %v; want a typed error alone", resp, err)
	}
	return f
}

// acceptable holds a request against the rules of the protocol that a server answers 400
// about.
func acceptable(raw []byte) error {
	var r struct {
		MaxTokens int `json:"max_tokens"`
		System    []map[string]any
		Tools     []struct {
			Name   string
			Schema map[string]any `json:"input_schema"`
		}
		Choice   struct{ Type, Name string } `json:"tool_choice"`
		Thinking struct {
			Type   string
			Budget int `json:"budget_tokens"`
		}
		Temperature *float64
		Messages    []struct {
			Role    string
			Content []map[string]any
		}
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	if n := strings.Count(string(raw), `"cache_control"`); n > 4 {
		return fmt.Errorf("%d cache markers, 4 are allowed", n)
	}
	enabled := r.Thinking.Type == "enabled"
	forced := r.Choice.Type == "any" || r.Choice.Type == "tool"
	switch {
	case r.MaxTokens < 1, enabled && (r.Thinking.Budget < 1024 || r.Thinking.Budget >= r.MaxTokens):
		return fmt.Errorf("max_tokens %d, budget %d", r.MaxTokens, r.Thinking.Budget)
	case r.Thinking.Type != "" && r.Thinking.Type != "disabled" && (r.Temperature != nil || forced):
		return errors.New("thinking beside a temperature or a forced call")
	case r.Choice.Type != "" && len(r.Tools) == 0:
		return errors.New("a choice without tools")
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 1):
		return fmt.Errorf("temperature %v", *r.Temperature)
	}
	for _, tool := range r.Tools {
		for _, word := range []string{"anyOf", "oneOf", "allOf"} {
			if tool.Schema[word] != nil || tool.Schema["type"] != "object" || tool.Name == "" {
				return fmt.Errorf("the tool %q has the schema %v", tool.Name, tool.Schema)
			}
		}
	}
	role := "assistant"
	var open []string // calls without a result
	for i, m := range r.Messages {
		if m.Role == role || m.Role != "user" && m.Role != "assistant" || len(m.Content) == 0 {
			return fmt.Errorf("message %d: the role %q, %d blocks", i, m.Role, len(m.Content))
		}
		role = m.Role
		var err error
		if open, err = blocksAcceptable(m.Role, m.Content, open); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if enabled && len(open) > 0 && i == len(r.Messages)-2 && m.Content[0]["signature"] == nil && m.Content[0]["data"] == nil {
			return errors.New("expected thinking at the beginning of the last answer")
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("calls without results: %v", open)
	}
	return nil
}

// blocksAcceptable holds the blocks of one message against the open calls before it.
func blocksAcceptable(role string, blocks []map[string]any, open []string) ([]string, error) {
	var calls []string
	said := false
	for _, b := range blocks {
		id, _ := b["id"].(string)
		switch b["type"] {
		case "tool_result":
			if said || len(open) == 0 || open[0] != b["tool_use_id"] || role != "user" {
				return nil, fmt.Errorf("the result of %v belongs to none of %v", b["tool_use_id"], open)
			}
			open = open[1:]
			if text, _ := b["content"].(string); strings.TrimSpace(text) == "" {
				return nil, errors.New("an empty result")
			}
			continue
		case "tool_use":
			if _, ok := b["input"].(map[string]any); !ok || id == "" || strings.ContainsAny(id, ".: ") || role != "assistant" {
				return nil, fmt.Errorf("the call %v", b)
			}
			calls = append(calls, id)
		case "text":
			if text, _ := b["text"].(string); strings.TrimSpace(text) == "" {
				return nil, errors.New("a blank text")
			}
		case "thinking", "redacted_thinking":
			if role != "assistant" || b["cache_control"] != nil {
				return nil, fmt.Errorf("the thinking %v", b)
			}
		case "image":
			if role != "user" {
				return nil, errors.New("a picture of the model")
			}
		case "server_tool_use":
		default:
			return nil, fmt.Errorf("the block %v", b)
		}
		said = true
		if len(open) > 0 {
			return nil, fmt.Errorf("calls without results: %v", open)
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("calls without results: %v", open)
	}
	return calls, nil
}
