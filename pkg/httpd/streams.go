package httpd

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"parley/pkg/policy"
)

// streams counts the streams under way of each person.
type streams struct {
	mu   sync.Mutex
	open map[policy.Person]int
}

func (s *streams) take(p policy.Person) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[p] >= MaxStreams {
		return false
	}
	if s.open == nil {
		s.open = map[policy.Person]int{}
	}
	s.open[p]++
	return true
}

func (s *streams) give(p policy.Person) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[p]--; s.open[p] <= 0 {
		delete(s.open, p)
	}
}

// writeWait is how long one write to a stream may take: a reader that takes nothing for so
// long is gone.
const writeWait = 30 * time.Second

// Stream is an answer of the type text/event-stream that lasts. It has one writing
// goroutine.
type Stream struct {
	w  http.ResponseWriter
	to *http.ResponseController
}

// OpenStream begins a stream: headers and a first comment leave at once. The body of the
// request must have been read.
func OpenStream(w http.ResponseWriter) (*Stream, error) {
	s := &Stream{w: w, to: http.NewResponseController(w)}
	if err := s.to.SetReadDeadline(time.Time{}); err != nil {
		return nil, fmt.Errorf("open a stream: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	return s, s.Write([]byte(": ok\n\n"))
}

// Write sends bytes that end a record, at once.
func (s *Stream) Write(record []byte) error {
	if err := s.to.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return fmt.Errorf("write to a stream: %w", err)
	}
	if _, err := s.w.Write(record); err != nil { //nolint:gosec // event-stream, which no browser sniffs
		return fmt.Errorf("write to a stream: %w", err)
	}
	if err := s.to.Flush(); err != nil {
		return fmt.Errorf("write to a stream: %w", err)
	}
	return nil
}
