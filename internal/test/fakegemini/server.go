package fakegemini

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

const maxBody = 64 << 20

// Options describe a server. The zero value answers with a greeting.
type Options struct {
	// Script decides each answer. It is called from many goroutines at once.
	Script func(Request) Reply
	// Key, when set, is the key without which a request is refused; Token the same for a
	// bearer token.
	Key, Token string
	// Vertex wants paths below a project, and takes no ids of calls.
	Vertex bool
	// Lax takes requests that break a rule; they are counted.
	Lax bool
	// Models are listed.
	Models []string
}

// Request is one request.
type Request struct {
	// N counts requests from 1.
	N      int
	Model  string
	Stream bool
	Body   map[string]any
	Header http.Header
	Path   string
}

// Reply is an answer: an error if Status is set, else frames, each a whole JSON object.
type Reply struct {
	Status  int
	Body    string
	Headers map[string]string
	Frames  []string
	// Cut, when above 0, breaks the connection after so many bytes of the body.
	Cut int
	// Silence keeps the connection open behind the body, or behind its cut, until the
	// client leaves.
	Silence bool
	// Piece, when above 0, is the number of bytes sent at once.
	Piece int
}

// Server is a fake server.
type Server struct {
	opts Options
	http *httptest.Server

	mu         sync.Mutex
	n          int
	requests   []Request
	violations []string
	signatures map[string]string // given out: their model
}

// New starts a server on a free loopback port. Close ends it.
func New(o Options) *Server {
	if o.Script == nil {
		o.Script = func(Request) Reply { return Say("hello") }
	}
	s := &Server{opts: o, signatures: map[string]string{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Close ends the server, and answers that are under way with it.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL is the base URL of the API.
func (s *Server) URL() string {
	if s.opts.Vertex {
		return s.http.URL + "/v1/projects/p/locations/here"
	}
	return s.http.URL + "/v1beta"
}

// Requests are the requests so far, refused ones included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Violations tells which rules were broken.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// Forget makes all signatures so far unknown, as those of another project are.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.signatures)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "INVALID_ARGUMENT", err.Error())
		return
	}
	if !s.allowed(r.Header) {
		refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
		return
	}
	if r.Method == http.MethodGet {
		s.list(w)
		return
	}
	q := Request{Header: r.Header, Path: r.URL.RequestURI()}
	path := "/v1beta/models/"
	if s.opts.Vertex {
		path = "/v1/projects/p/locations/here/publishers/google/models/"
	}
	name, method, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, path), ":")
	q.Model, q.Stream = name, method == "streamGenerateContent"
	if !ok || !strings.HasPrefix(r.URL.Path, path) || !q.Stream && method != "generateContent" || q.Stream && r.URL.RawQuery != "alt=sse" {
		refuse(w, http.StatusNotFound, "NOT_FOUND", "no such path: "+q.Path)
		return
	}
	var broken string
	if err := json.Unmarshal(raw, &q.Body); err != nil {
		broken = "Invalid JSON payload received. " + err.Error()
	} else {
		rules := Rules{Vertex: s.opts.Vertex, Signatures: func(parts []any) string { return s.checkSignature(q.Model, parts) }}
		broken = rules.Broken(q.Body)
	}
	s.mu.Lock()
	s.n++
	q.N = s.n
	s.requests = append(s.requests, q)
	if broken != "" {
		s.violations = append(s.violations, broken)
	}
	s.mu.Unlock()
	if broken != "" && !s.opts.Lax {
		refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", broken)
		return
	}
	s.transmit(w, r, &q, s.opts.Script(q))
}

func (s *Server) allowed(h http.Header) bool {
	return (s.opts.Key == "" || h.Get("X-Goog-Api-Key") == s.opts.Key) &&
		(s.opts.Token == "" || h.Get("Authorization") == "Bearer "+s.opts.Token)
}

func (s *Server) list(w http.ResponseWriter) {
	var names []string
	for _, m := range s.opts.Models {
		names = append(names, fmt.Sprintf(`{"name":"models/%s"}`, m))
	}
	_, _ = io.WriteString(w, `{"models":[`+strings.Join(names, ",")+`]}`)
}

func refuse(w http.ResponseWriter, code int, status, message string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, Failure(code, status, message).Body)
}

// transmit sends a reply as a stream of events or as one object, which joins the frames.
func (s *Server) transmit(w http.ResponseWriter, r *http.Request, q *Request, reply Reply) {
	for name, value := range reply.Headers {
		w.Header().Set(name, value)
	}
	body := reply.Body
	switch {
	case reply.Status != 0, body != "":
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		}
		if reply.Status != 0 {
			w.WriteHeader(reply.Status)
		}
	case q.Stream:
		w.Header().Set("Content-Type", "text/event-stream")
		for _, f := range reply.Frames {
			body += "data: " + f + "\r\n\r\n"
		}
	default:
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		body = join(reply.Frames)
	}
	s.remember(q.Model, body)
	cut := reply.Cut > 0 && reply.Cut < len(body)
	if cut {
		body = body[:reply.Cut]
	}
	send(w, body, reply.Piece)
	if reply.Silence {
		<-r.Context().Done()
	}
	if cut {
		panic(http.ErrAbortHandler)
	}
}

func send(w http.ResponseWriter, body string, piece int) {
	if piece <= 0 {
		piece = max(1, len(body))
	}
	flush := http.NewResponseController(w)
	for len(body) > 0 {
		n := min(piece, len(body))
		if _, err := io.WriteString(w, body[:n]); err != nil {
			return
		}
		body = body[n:]
		_ = flush.Flush() // a client that left is noticed by the next write
	}
	_ = flush.Flush()
}
