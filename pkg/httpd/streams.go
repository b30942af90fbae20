package httpd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"parley/pkg/policy"
)

// shares counts the requests under way of each person.
type shares struct {
	mu   sync.Mutex
	open map[policy.Person]int
}

// take counts one more, unless there are as many as may be.
func (s *shares) take(p policy.Person, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[p] >= most {
		return false
	}
	if s.open == nil {
		s.open = map[policy.Person]int{}
	}
	s.open[p]++
	return true
}

func (s *shares) give(p policy.Person) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[p]--; s.open[p] <= 0 {
		delete(s.open, p)
	}
}

// writeWait is how long one write to a stream may take: a reader that takes no bytes for
// so long is gone.
const writeWait = 30 * time.Second

// endWait is how long a write under way may go on once its stream has ended: a reader that
// takes no bytes must not keep the stream of a revoked credential, or a gateway that stops.
const endWait = 500 * time.Millisecond

// hurried ends the writes of a stream soon after ctx does, until the returned function is
// called.
func hurried(ctx context.Context, to sink) (done func()) {
	stop := context.AfterFunc(ctx, func() {
		// one that cannot be set is that of a connection which is gone
		_ = to.SetWriteDeadline(time.Now().Add(endWait))
	})
	return func() { stop() }
}

// sink is the way to the client.
type sink interface {
	SetWriteDeadline(t time.Time) error
	Flush() error
}

// Stream is an answer of the type text/event-stream that lasts. It has one writing
// goroutine.
type Stream struct {
	ctx context.Context //nolint:containedctx // the stream ends with its request
	w   io.Writer
	to  sink
}

// OpenStream begins a stream, which lasts until ctx, that of its request, ends: headers and
// a first comment leave at once. The body of the request must have been read.
func OpenStream(ctx context.Context, w http.ResponseWriter) (*Stream, error) {
	s, err := BeginStream(ctx, w)
	if err == nil {
		err = s.Flush()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// BeginStream is OpenStream for one whose first records are at hand: they leave together
// with the headers, at the first [Stream.Flush].
func BeginStream(ctx context.Context, w http.ResponseWriter) (*Stream, error) {
	to := http.NewResponseController(w)
	s := &Stream{ctx: ctx, w: w, to: to}
	if err := to.SetReadDeadline(time.Time{}); err != nil {
		return nil, fmt.Errorf("open a stream: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	if err := s.Put([]byte(": ok\n\n")); err != nil {
		return nil, err
	}
	return s, nil
}

// Write sends bytes that end a record, at once.
func (s *Stream) Write(record []byte) error {
	if err := s.Put(record); err != nil {
		return err
	}
	return s.Flush()
}

// Put writes bytes that end a record; [Stream.Flush] sends them at the latest. It fails once the
// credential is revoked. A gateway that stops still sends the records of what has happened.
func (s *Stream) Put(record []byte) error {
	if err := s.to.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return fmt.Errorf("write to a stream: %w", err)
	}
	// Looked at behind the deadline, which is shorter from then on.
	switch cause := context.Cause(s.ctx); {
	case errors.Is(cause, ErrRevoked):
		return cause
	case cause != nil: // the last words of a gateway that stops
		if err := s.to.SetWriteDeadline(time.Now().Add(endWait)); err != nil {
			return fmt.Errorf("write to a stream: %w", err)
		}
	}
	if _, err := s.w.Write(record); err != nil {
		return fmt.Errorf("write to a stream: %w", err)
	}
	return nil
}

// Flush sends what was put, within the time of the last Put.
func (s *Stream) Flush() error {
	if err := s.to.Flush(); err != nil {
		return fmt.Errorf("write to a stream: %w", err)
	}
	return nil
}
