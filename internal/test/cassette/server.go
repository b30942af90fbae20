package cassette

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Server gives the answers of a cassette, one for each request in turn.
type Server struct {
	srv   *httptest.Server
	steps []Step
	piece int

	mu   sync.Mutex
	sent []Sent
}

// Sent is a request that arrived.
type Sent struct {
	Header http.Header
	Body   []byte
}

// Serve starts a server that ends with the test. It answers in pieces of so many bytes,
// and only at the recorded addresses.
func Serve(tb testing.TB, c *Cassette, piece int) *Server {
	tb.Helper()
	s := &Server{steps: c.Steps, piece: piece}
	s.srv = httptest.NewServer(s)
	tb.Cleanup(s.srv.Close)
	return s
}

// URL is the server's address without a path.
func (s *Server) URL() string { return s.srv.URL }

// Sent are the requests that arrived at the recorded addresses.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent(nil), s.sent...)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	n := len(s.sent)
	if n < len(s.steps) && r.Method == http.MethodPost && r.URL.RequestURI() == s.steps[n].URL.RequestURI() && err == nil {
		s.sent = append(s.sent, Sent{Header: r.Header.Clone(), Body: body})
	}
	taken := len(s.sent) > n
	s.mu.Unlock()
	if !taken {
		http.Error(w, r.Method+" "+r.URL.RequestURI()+" is not what was recorded", http.StatusNotFound)
		return
	}
	step := &s.steps[n]
	w.Header().Set("Content-Type", step.ContentType)
	w.WriteHeader(step.Status)
	out := http.NewResponseController(w)
	for rest := step.Answer; rest != ""; {
		size := min(s.piece, len(rest))
		if _, err := io.WriteString(w, rest[:size]); err != nil {
			return // the client has gone
		}
		_ = out.Flush() // the same client
		rest = rest[size:]
	}
}
