package httpd_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/httpd"
)

// outliving adds a stream that goes on without its handler, and tells why it ended. The handler
// tells when it has returned, or what kept the stream from opening.
func outliving(returned, ends chan<- error, run func(s *httpd.Stream)) func(*httpd.Server) {
	return func(s *httpd.Server) {
		s.Handle(httpd.Route{
			Pattern: "GET /stream", Access: httpd.AccessProgram, Streams: true,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				err := httpd.Outlive(w, r, func(ctx context.Context, s *httpd.Stream) {
					run(s)
					<-ctx.Done()
					ends <- context.Cause(ctx)
				})
				returned <- err
			}),
		})
	}
}

// TestAStreamOutlivesItsHandler: its records arrive, and its end is told, once the handler has
// returned.
func TestAStreamOutlivesItsHandler(t *testing.T) {
	t.Parallel()
	returned, ends := make(chan error, 1), make(chan error, 1)
	long := strings.Repeat("x", 100_000)
	w := newWorld(t, outliving(returned, ends, func(s *httpd.Stream) {
		for _, text := range []string{"one\n\n", "", long} {
			if err := s.Write([]byte(text)); err != nil {
				t.Error(err)
			}
		}
	}))
	resp := w.ask(http.MethodGet, "/stream", bearer)
	if err := <-returned; err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("X-Content-Type-Options") == "" {
		t.Fatalf("%d %v: %v", resp.StatusCode, resp.Header, err)
	}
	want := ": ok\n\none\n\n" + long
	got := make([]byte, len(want))
	if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != want {
		t.Errorf("%.40q, %v", got, err)
	}
	w.revoke()
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 { // an end that is not told is an error
		t.Errorf("%q, %v", rest, err)
	}
	if err := <-ends; !errors.Is(err, httpd.ErrRevoked) {
		t.Errorf("the stream ended with %v", err)
	}
}

// TestAStreamEndsWithItsClient, and gives its place back.
func TestAStreamEndsWithItsClient(t *testing.T) {
	t.Parallel()
	returned, ends := make(chan error, 2*httpd.MaxStreams), make(chan error, 2*httpd.MaxStreams)
	w := newWorld(t, outliving(returned, ends, func(*httpd.Stream) {}))
	var last *answered
	for range httpd.MaxStreams {
		if last = w.ask(http.MethodGet, "/stream", bearer); last.StatusCode != http.StatusOK {
			t.Fatalf("%d", last.StatusCode)
		}
	}
	if resp := w.ask(http.MethodGet, "/stream", bearer); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one more: %d", resp.StatusCode)
	}
	_ = last.Body.Close()
	<-ends
	// The place is free a moment after the stream says so.
	for w.ask(http.MethodGet, "/stream", bearer).StatusCode != http.StatusOK {
		if t.Context().Err() != nil {
			t.Fatal("no place became free")
		}
	}
}

// TestAStreamEndsWithItsServer, which waits for it: a reader that takes no bytes keeps it a moment.
func TestAStreamEndsWithItsServer(t *testing.T) {
	t.Parallel()
	returned, ends, writing := make(chan error, 1), make(chan error, 1), make(chan struct{})
	w := newWorld(t, outliving(returned, ends, func(s *httpd.Stream) {
		close(writing)
		if err := s.Write(make([]byte, 64<<20)); err == nil { // more than the buffers between us take
			t.Error("all was written")
		}
	}))
	w.raw("GET /stream HTTP/1.1")
	<-writing
	began := time.Now()
	w.stop()
	select {
	case <-ends:
	default:
		t.Error("the server has ended before its stream")
	}
	if took := time.Since(began); took > soon {
		t.Errorf("it ended after %v", took)
	}
}

// TestTheLastWordsOfAStream: what has happened before a gateway stops still reaches the client,
// and nothing reaches one whose credential was revoked.
func TestTheLastWordsOfAStream(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(w *world)
		want string
		err  error
	}{
		"a gateway that stops": {end: func(w *world) { w.stop() }, want: "last\n\n"},
		"a revoked credential": {end: func(w *world) { w.revoke() }, err: httpd.ErrRevoked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrote := make(chan error, 1)
			w := newWorld(t, func(s *httpd.Server) {
				s.Handle(httpd.Route{
					Pattern: "GET /stream", Access: httpd.AccessProgram, Streams: true,
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						_ = httpd.Outlive(w, r, func(ctx context.Context, s *httpd.Stream) { // the client sees whether it began
							<-ctx.Done()
							wrote <- s.Write([]byte("last\n\n"))
						})
					}),
				})
			})
			resp := w.ask(http.MethodGet, "/stream", bearer)
			tt.end(w)
			got, err := io.ReadAll(resp.Body)
			if string(got) != ": ok\n\n"+tt.want || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			if err := <-wrote; !errors.Is(err, tt.err) {
				t.Errorf("the write gave %v", err)
			}
		})
	}
}

// TestAStreamThatPanicsBreaks: its client does not take it for whole, and the server goes on.
func TestAStreamThatPanicsBreaks(t *testing.T) {
	t.Parallel()
	returned, ends := make(chan error, 1), make(chan error, 1)
	var log lockedBuffer
	w := newWorld(t, outliving(returned, ends, func(*httpd.Stream) { panic("a bug") }), func(o *httpd.Options) {
		o.Log = zerolog.New(&log)
	})
	resp := w.ask(http.MethodGet, "/stream", bearer)
	if got, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("%q is whole", got)
	}
	if resp := w.ask(http.MethodGet, "/healthz", nil); resp.StatusCode != http.StatusOK || !strings.Contains(log.String(), "a bug") {
		t.Errorf("%d, log: %s", resp.StatusCode, &log)
	}
}

// TestOldClientsGetStreamsToo: they know no chunks.
func TestOldClientsGetStreamsToo(t *testing.T) {
	t.Parallel()
	returned, ends := make(chan error, 1), make(chan error, 1)
	w := newWorld(t, outliving(returned, ends, func(s *httpd.Stream) {
		if err := s.Write([]byte("one\n\n")); err != nil {
			t.Error(err)
		}
	}))
	conn := w.raw("GET /stream HTTP/1.0")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got := make([]byte, len(": ok\n\none\n\n"))
	if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != ": ok\n\none\n\n" {
		t.Errorf("%q, %v", got, err)
	}
	w.revoke()
	<-ends
}
