package fakehttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Server is an HTTP server on a socket of its own.
type Server struct {
	url  string
	http *http.Server
	done chan struct{}
}

// Start serves h on addr, empty for 127.0.0.1 on a free port; ctx bounds no more
// than the start. Unless it is nil, connections is told of every connection.
func Start(ctx context.Context, addr string, h http.Handler, connections func(net.Conn, http.ConnState)) (*Server, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return Serve(ln, h, connections), nil
}

// Serve is Start on a listener that is there already, which it closes in the end.
func Serve(ln net.Listener, h http.Handler, connections func(net.Conn, http.ConnState)) *Server {
	s := &Server{
		url:  "http://" + ln.Addr().String(),
		http: &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ConnState: connections},
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(ln) // ends with ErrServerClosed
	}()
	return s
}

// URL is the base for clients: scheme and address, no path.
func (s *Server) URL() string { return s.url }

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
