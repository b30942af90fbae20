package fakehttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Server is an HTTP server on a socket of its own.
type Server struct {
	addr string
	http *http.Server
	done chan struct{}

	changed Changes // tells of connections
	mu      sync.Mutex
	open    map[string]bool // by the client's address
}

// Start serves h on addr, empty for 127.0.0.1 on a free port; ctx bounds no more
// than the start.
func Start(ctx context.Context, addr string, h http.Handler) (*Server, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return Serve(ln, h), nil
}

// Serve is Start on a listener that is there already, which it closes in the end.
func Serve(ln net.Listener, h http.Handler) *Server {
	s := &Server{addr: ln.Addr().String(), done: make(chan struct{}), open: map[string]bool{}}
	s.http = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ConnState: s.connection}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(ln) // ends with ErrServerClosed
	}()
	return s
}

func (s *Server) connection(c net.Conn, state http.ConnState) {
	if state == http.StateActive || state == http.StateIdle {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew {
		s.open[c.RemoteAddr().String()] = true
	} else {
		delete(s.open, c.RemoteAddr().String())
	}
	s.changed.Wake()
}

// Drained waits until the bytes of all clients that have ended had their effect: no
// connection is open, and none waits to be accepted.
func (s *Server) Drained(ctx context.Context) error {
	// Connections are accepted in the order in which they were made, so once this
	// one is, all older ones are.
	last, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.addr)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	err = s.changed.Until(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.open[last.LocalAddr().String()]
	})
	_ = last.Close() // no byte was written
	if err != nil {
		return err
	}
	return s.changed.Until(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.open) == 0
	})
}

// URL is the base for clients: scheme and address, no path.
func (s *Server) URL() string { return "http://" + s.addr }

// Close ends the server and cuts every connection.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// Pause waits for d, and reports false when ctx, mostly a request's, ended before.
func Pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// WriteJSON answers with v; for cut see [WriteBody].
func WriteJSON(w http.ResponseWriter, status int, v any, cut int) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	WriteBody(w, b, cut)
}

// WriteBody sends b; cut, when above 0, ends the connection after so many bytes of it.
func WriteBody(w http.ResponseWriter, b []byte, cut int) {
	if cut > 0 && cut < len(b) {
		_, _ = w.Write(b[:cut]) // the connection ends anyway
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(b) // a client that has gone asks again
}
