package fakemodel

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/internal/test/fakehttp"
	"parley/pkg/providers"
)

const (
	maxBody       = 32 << 20
	keepByDefault = 1000
	maxViolations = 100
)

// Options describe a server. The zero value answers with [Echo].
type Options struct {
	// Script decides each answer. It is called from many goroutines at once.
	Script func(Request) Answer
	// Hear decides each transcript; nil is [Hear]. The fault of its answer may be a Status,
	// or a Cut below 0, which answers without an end.
	Hear func(Recording) Answer
	// Key, when set, is the key without which a request is refused.
	Key string
	// Models are listed by /models; empty means "fake".
	Models []string
	// Keep is how many requests Requests remembers, newest last; 0 means 1000, a
	// negative number no requests.
	Keep int
	// Fields are further message fields that are not violations, such as
	// extra_content, besides those that OpenAI knows.
	Fields []string
	// NoTools makes a server without tools: it refuses them with the status 400. Where a
	// request tells tools, calls and results as JSON, the script has them in their fields,
	// and its answer is sent in the form that the request wants; one that does not fit is a
	// violation.
	NoTools bool
	// Unbound has a server without tools overlook the form: its answer tells the calls of
	// the script as they are, whether they fit or not.
	Unbound bool
}

// Request is one legal chat completion request.
type Request struct {
	// N counts requests from 1.
	N     int
	Model string
	// Messages are without the notes that the gateway puts before those of a turn, and
	// Notes is the text of these.
	Messages      []providers.Message
	Notes         string
	Tools         []providers.ToolDefinition
	ToolChoice    json.RawMessage
	Stream        bool
	IncludeUsage  bool
	MaxTokens     int
	MaxCompletion int
	Temperature   *float64
	Header        http.Header
	// Body is the request as it came.
	Body []byte

	format *jsonschema.Schema
}

// notesHead begins the notes of a gateway.
const notesHead = "[the gateway's notes for this turn"

// setNotesApart takes the notes out of the messages, which scripts read as the words of
// people.
func (r *Request) setNotesApart() {
	r.Messages = slices.DeleteFunc(r.Messages, func(m providers.Message) bool {
		notes := m.Role == providers.RoleUser && strings.HasPrefix(m.Content, notesHead)
		if notes {
			r.Notes = m.Content
		}
		return notes
	})
}

// LastUser is the text of the newest user message.
func (r *Request) LastUser() string {
	for i := range slices.Backward(r.Messages) {
		if r.Messages[i].Role == providers.RoleUser {
			return r.Messages[i].Content
		}
	}
	return ""
}

// Stats are a server's counters.
type Stats struct {
	// Requests counts chat requests, refused ones included.
	Requests int
	// Violations counts the illegal ones among them.
	Violations int
	// InFlight and MaxInFlight count requests that are being answered at once.
	InFlight, MaxInFlight int
	// Cancelled counts answers that the client did not wait for.
	Cancelled int
}

// Server is a fake model server.
type Server struct {
	opts Options
	http *httptest.Server // nil for a server that only gives its Handler
	// tools that were offered before
	tools offers

	mu         sync.Mutex
	stats      Stats
	requests   []Request
	violations []string
	recordings []Recording
}

// New starts a server on a free loopback port. Close ends it.
func New(o Options) *Server {
	s := NewHandler(o)
	s.http = httptest.NewServer(s.Handler())
	return s
}

// NewHandler makes a server that listens nowhere; serve its Handler.
func NewHandler(o Options) *Server {
	if o.Script == nil {
		o.Script = Echo
	}
	if o.Hear == nil {
		o.Hear = Hear
	}
	if len(o.Models) == 0 {
		o.Models = []string{"fake"}
	}
	if o.Keep == 0 {
		o.Keep = keepByDefault
	}
	return &Server{opts: o}
}

// URL is the base URL of the API; it ends in /v1.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Close ends the server, and answers that are under way with it.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Handler serves POST /v1/chat/completions, POST /v1/audio/transcriptions and GET /v1/models.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1/audio/transcriptions", s.transcribe)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, Fault{Code: "not_found", Message: "no such path: " + r.URL.Path})
	})
	return mux
}

// Requests are the newest legal requests, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Violations tell the faults of the first hundred illegal requests.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// Stats gives the counters as they are now.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if !s.authorized(r) {
		writeError(w, http.StatusUnauthorized, Fault{Code: "invalid_api_key", Message: "Incorrect API key provided"})
		return
	}
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	list := make([]model, len(s.opts.Models))
	for i, id := range s.opts.Models {
		list[i] = model{ID: id, Object: "model"}
	}
	fakehttp.WriteJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list}, 0)
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	n := s.enter()
	defer s.leave()
	if !s.authorized(r) {
		writeError(w, http.StatusUnauthorized, Fault{Code: "invalid_api_key", Message: "Incorrect API key provided"})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // the client is gone, or told by MaxBytesReader
	}
	req, err := s.parse(body)
	if err != nil {
		s.violated(err.Error())
		writeError(w, http.StatusBadRequest, Fault{Code: "invalid_request_error", Message: err.Error()})
		return
	}
	req.N, req.Header = n, r.Header
	if refusal, refused := s.refusal(req); refused {
		writeError(w, refusal.Status, refusal)
		return
	}
	req.setNotesApart()
	if s.opts.NoTools {
		req.Tools = req.toldTools()
		req.retell()
	}
	s.keep(req)
	if !transmit(w, r, req, s.answer(req)) {
		s.mu.Lock()
		s.stats.Cancelled++
		s.mu.Unlock()
	}
}

// answer asks the script.
func (s *Server) answer(req *Request) Answer {
	a := s.opts.Script(*req)
	if s.opts.NoTools && req.format != nil && a.Fault.Body == "" && a.Fault.Status == 0 {
		if a.tell(); s.opts.Unbound {
			return a
		}
		if err := fits(a.Content, req.format); err != nil {
			s.violated("the answer does not fit the format: " + err.Error())
		}
	}
	return a
}

func (s *Server) authorized(r *http.Request) bool {
	return s.opts.Key == "" || strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") == s.opts.Key
}

func (s *Server) enter() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Requests++
	s.stats.InFlight++
	s.stats.MaxInFlight = max(s.stats.MaxInFlight, s.stats.InFlight)
	return s.stats.Requests
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.InFlight--
}

func (s *Server) violated(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Violations++
	if len(s.violations) < maxViolations {
		s.violations = append(s.violations, what)
	}
}

func (s *Server) keep(r *Request) {
	if s.opts.Keep < 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) >= s.opts.Keep {
		s.requests = slices.Delete(s.requests, 0, 1)
	}
	s.requests = append(s.requests, *r)
}
