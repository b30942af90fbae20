package httpd_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"parley/pkg/httpd"
)

// soon is far longer than an end may take, and shorter than a slow reader's time.
const soon = 15 * time.Second

// raw sends a request by hand, and reads no answer.
func (w *world) raw(head string) net.Conn {
	w.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(w.t.Context(), "tcp", w.addr)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn, "%s\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", head, w.addr, goodToken); err != nil {
		w.t.Fatal(err)
	}
	return conn
}

// TestRevocationEndsAWriteUnderWay: a reader that takes no bytes loses its stream
// when its token is revoked.
func TestRevocationEndsAWriteUnderWay(t *testing.T) {
	t.Parallel()
	writing, ended := make(chan struct{}), make(chan error, 1)
	w := newWorld(t, func(s *httpd.Server) {
		s.Handle(httpd.Route{
			Pattern: "GET /stream", Access: httpd.AccessProgram, Streams: true,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s, err := httpd.OpenStream(r.Context(), w)
				if err == nil {
					close(writing)
					err = s.Write(make([]byte, 64<<20)) // more than the buffers between us take
				}
				ended <- err
			}),
		})
	})
	conn := w.raw("GET /stream HTTP/1.1")
	<-writing
	if _, err := io.CopyN(io.Discard, conn, 1<<20); err != nil { // it is under way
		t.Fatal(err)
	}
	w.revoke()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("all was written")
		}
	case <-time.After(soon):
		t.Error("the write goes on")
	}
}

// TestStreamsAreReadByGetAlone: a client that asks for the headers, or withholds a body, would
// wait on a connection that has no end.
func TestStreamsAreReadByGetAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, streaming(make(chan error, 3)))
	for head, status := range map[string]int{
		"HEAD /stream HTTP/1.1":                                   http.StatusMethodNotAllowed,
		"GET /stream HTTP/1.1\r\nContent-Length: 5":               http.StatusBadRequest,
		"GET /stream HTTP/1.1\r\nTransfer-Encoding: chunked":      http.StatusBadRequest,
		"GET /stream HTTP/1.1\r\nConnection: close\r\nX-Other: 1": http.StatusOK,
	} {
		conn := w.raw(head)
		if err := conn.SetReadDeadline(time.Now().Add(soon)); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%q: %v", head, err)
			continue
		}
		if resp.StatusCode != status {
			t.Errorf("%q: %d, want %d", head, resp.StatusCode, status)
		}
		_, _ = conn.Close(), resp.Body.Close() // a stream has no end of its own
	}
}

// TestASlowCallHoldsNoAdapter: an adapter ends while a stranger withholds a body.
func TestASlowCallHoldsNoAdapter(t *testing.T) {
	t.Parallel()
	var serve func(context.Context, http.Handler, func(net.Addr)) error
	w := newWorld(t, func(s *httpd.Server) { serve = s.Platform("/telegram") })
	ctx, stop := context.WithCancel(t.Context())
	reading, ended := make(chan struct{}), make(chan error, 1)
	hook := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(reading)
		_, _ = io.ReadAll(r.Body)
	})
	started := make(chan struct{})
	go func() { ended <- serve(ctx, hook, func(net.Addr) { close(started) }) }()
	<-started
	w.raw("POST /telegram HTTP/1.1\r\nContent-Length: 10")
	<-reading
	began := time.Now()
	stop()
	<-ended
	if took := time.Since(began); took > soon*2/3 { // the server's own limit for a body is 15 s
		t.Errorf("the adapter ended after %v", took)
	}
}
