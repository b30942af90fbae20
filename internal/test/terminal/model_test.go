package terminal_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"parley/internal/test/terminal"
)

// model is a model server whose answers a test writes piece by piece.
type model struct {
	*httptest.Server

	t     *testing.T
	asked chan *request
}

// request is one that waits for its answer.
type request struct {
	t     *testing.T
	body  string
	wrote chan string
	over  chan struct{}
	calls int
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{t: t, asked: make(chan *request, 10)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.answer)
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.CloseClientConnections)
	t.Cleanup(m.Close)
	return m
}

func (m *model) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	one := &request{t: m.t, body: string(body), wrote: make(chan string), over: make(chan struct{})}
	defer close(one.over)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	m.asked <- one
	for {
		select {
		case frame, more := <-one.wrote:
			if !more {
				return
			}
			_, _ = io.WriteString(w, "data: "+frame+"\n\n")
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// next is the next request.
func (m *model) next() *request {
	m.t.Helper()
	select {
	case r := <-m.asked:
		return r
	case <-time.After(terminal.Patience):
		m.t.Fatal("the model was never asked")
		return nil
	}
}

func (r *request) frame(delta map[string]any, finish any) {
	r.t.Helper()
	raw, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
	if err != nil {
		r.t.Fatal(err)
	}
	select {
	case r.wrote <- string(raw):
	case <-r.over:
		r.t.Fatal("the gateway has left")
	case <-time.After(terminal.Patience):
		r.t.Fatal("the gateway does not read")
	}
}

// says goes on with a text.
func (r *request) says(text string) {
	r.t.Helper()
	r.frame(map[string]any{"role": "assistant", "content": text}, nil)
}

// calls a tool.
func (r *request) callsTool(name, arguments string) {
	r.t.Helper()
	call := map[string]any{
		"index": r.calls, "id": fmt.Sprintf("call_%p_%d", r, r.calls), "type": "function",
		"function": map[string]any{"name": name, "arguments": arguments},
	}
	r.calls++
	r.frame(map[string]any{"role": "assistant", "tool_calls": []any{call}}, nil)
}

// ends the answer.
func (r *request) ends() {
	r.t.Helper()
	finish := "stop"
	if r.calls > 0 {
		finish = "tool_calls"
	}
	r.frame(map[string]any{}, finish)
	r.wrote <- "[DONE]"
	close(r.wrote)
}
