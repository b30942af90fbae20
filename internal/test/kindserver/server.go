package kindserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"parley/pkg/providers/kinds"
)

const maxBody = 4 << 20

// Server is the scripted server of one row.
type Server struct {
	http *httptest.Server
	rule rule

	mu      sync.Mutex
	refused []string
}

// New starts the server of a row: that server, or one of OpenAI's protocol with a
// model of that family, whose name it gives.
func New(k *kinds.Kind) (s *Server, model string) {
	s, model = &Server{rule: serverRules()[k.Name]}, "scripted"
	if len(k.Models) > 0 {
		s.rule, model = familyRules()[k.Name], strings.TrimPrefix(k.Models[0], "*")
	}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s, model
}

// URL is the base URL of the API; it ends in /v1.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Close ends the server.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Refused are the reasons of all refusals.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.refused...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{"id": "scripted"}}})
		return
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	var fields map[string]any
	if err == nil {
		err = json.Unmarshal(raw, &fields)
	}
	if err != nil {
		s.refuse(w, "the body is no JSON object: "+err.Error())
		return
	}
	if complaint := s.rule.judge(fields); complaint != "" {
		s.refuse(w, complaint)
		return
	}
	a := s.rule.answer(fields)
	if fields["stream"] == true {
		s.rule.stream(w, a)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"model": fields["model"], "usage": usage(),
		"choices": []any{map[string]any{"index": 0, "message": s.rule.message(a), "finish_reason": a.finish()}},
	})
}

func (s *Server) refuse(w http.ResponseWriter, reason string) {
	s.mu.Lock()
	s.refused = append(s.refused, reason)
	s.mu.Unlock()
	status := s.rule.status
	if status == 0 {
		status = http.StatusBadRequest
	}
	writeJSON(w, status, map[string]any{"error": map[string]any{"message": reason, "type": "invalid_request_error"}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(fmt.Sprintf("kindserver: %v", err))
	}
}

func usage() map[string]any {
	return map[string]any{"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
}
