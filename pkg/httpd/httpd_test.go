package httpd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/httpd"
)

func bearer(r *http.Request) { r.Header.Set("Authorization", "Bearer "+goodToken) }

// TestWritesNeedJSON: requests that a form of a foreign page can send are refused, uploads
// need a header that no form sets.
func TestWritesNeedJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *httpd.Server) {
		s.Handle(httpd.Route{Pattern: "POST /json", Access: httpd.AccessProgram, Handler: http.HandlerFunc(yes)})
		s.Handle(httpd.Route{Pattern: "POST /file", Access: httpd.AccessProgram, Upload: true, Handler: http.HandlerFunc(yes)})
	})
	for path, want := range map[string]map[string]int{
		"/json": {
			"application/json": 200, "application/json; charset=utf-8": 200, "text/plain": 415, "": 415, "application/jsonp": 415,
			"application/x-www-form-urlencoded": 415, "multipart/form-data; boundary=x": 415, "text/plain; a=application/json": 415,
		},
		"/file": {"application/json": 415, "image/png": 415, "upload": 200},
	} {
		for kind, status := range want {
			resp := w.ask(http.MethodPost, path, func(r *http.Request) {
				bearer(r)
				if kind == "upload" {
					r.Header.Set(httpd.UploadHeader, "1")
				} else {
					r.Header.Set("Content-Type", kind)
				}
			})
			if resp.StatusCode != status {
				t.Errorf("%s %q: %d, want %d", path, kind, resp.StatusCode, status)
			}
		}
	}
}

// TestADeletionNeedsNoBody: clients send none, and name no kind of it. What has a body says that it is JSON.
func TestADeletionNeedsNoBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *httpd.Server) {
		for path, access := range map[string]httpd.Access{"/program": httpd.AccessProgram, "/page": httpd.AccessPage} {
			s.Handle(httpd.Route{Pattern: "DELETE " + path, Access: access, Handler: http.HandlerFunc(yes)})
		}
	})
	for _, c := range []struct {
		path, kind, body string
		want             int
	}{
		{"/program", "", "", 200},
		{"/program", "application/json", "{}", 200},
		{"/program", "text/plain", "", 415},
		{"/program", "", "{}", 415},
		{"/page", "", "", 415},
	} {
		resp := w.ask(http.MethodDelete, c.path, func(r *http.Request) {
			if bearer(r); c.path == "/page" {
				r.Header.Set("Origin", "http://127.0.0.1:"+w.port())
			}
			if c.kind != "" {
				r.Header.Set("Content-Type", c.kind)
			}
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(c.body)), int64(len(c.body))
		})
		if resp.StatusCode != c.want {
			t.Errorf("%+v: %d", c, resp.StatusCode)
		}
	}
}

// TestBodiesAreBounded, whether they tell their size or not.
func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *httpd.Server) {
		s.Handle(httpd.Route{
			Pattern: "POST /small", Access: httpd.AccessProgram, MaxBody: 10,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err != nil {
					httpd.Refuse(w, httpd.Refusal{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: err.Error()})
				}
			}),
		})
	})
	for size, status := range map[int]int{10: 200, 11: 413} {
		for _, told := range []bool{true, false} {
			resp := w.ask(http.MethodPost, "/small", func(r *http.Request) {
				bearer(r)
				r.Header.Set("Content-Type", "application/json")
				r.Body = io.NopCloser(strings.NewReader(strings.Repeat("1", size)))
				r.ContentLength = -1
				if told {
					r.ContentLength = int64(size)
				}
			})
			if resp.StatusCode != status {
				t.Errorf("%d bytes, told %v: %d, want %d", size, told, resp.StatusCode, status)
			}
		}
	}
	long := func(r *http.Request) { r.Header.Set("X-Long", strings.Repeat("x", 32<<10)) }
	if resp := w.ask(http.MethodGet, "/healthz", long); resp.StatusCode != 431 {
		t.Errorf("a header of 32 KiB: %d", resp.StatusCode)
	}
}

// TestRefusals have one form, with all four keys, also where there is no route.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, allRoutes)
	for name, tc := range map[string]struct {
		method, path, host, code string
		status                   int
	}{
		"no route":     {"GET", "/nowhere", "", "not_found", 404},
		"no method":    {"PUT", "/probe", "", "method_not_allowed", 405},
		"preflight":    {"OPTIONS", "/program", "", "method_not_allowed", 405},
		"foreign host": {"GET", "/nowhere", "evil.example", "unknown_host", 421},
		"no token":     {"GET", "/program", "", "unauthorized", 401},
	} {
		resp := w.ask(tc.method, tc.path, func(r *http.Request) { r.Host = tc.host })
		var body struct {
			Error map[string]any `json:"error"`
		}
		if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if resp.StatusCode != tc.status || body.Error["code"] != tc.code || len(body.Error) != 4 || body.Error["message"] == "" {
			t.Errorf("%s: %d %v", name, resp.StatusCode, body.Error)
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", name, resp.Header)
		}
		if tc.status == 405 && resp.Header.Get("Allow") == "" {
			t.Errorf("%s tells no method", name)
		}
	}
}

// TestPanicsAreAnswers: the log has the panic, the client 500, and the next request its
// answer; an answer that has begun breaks off.
func TestPanicsAreAnswers(t *testing.T) {
	t.Parallel()
	log := &lockedBuffer{}
	w := newWorld(t, func(s *httpd.Server) {
		s.Handle(httpd.Route{Pattern: "GET /panic", Access: httpd.AccessStatic, Handler: http.HandlerFunc(
			func(http.ResponseWriter, *http.Request) { panic("a mistake of ours") },
		)})
		s.Handle(httpd.Route{Pattern: "GET /half", Access: httpd.AccessStatic, Handler: http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "half")
				panic("a mistake of ours")
			},
		)})
	}, func(o *httpd.Options) { o.Log = zerolog.New(log) })
	if resp := w.ask(http.MethodGet, "/panic", nil); resp.StatusCode != http.StatusInternalServerError {
		t.Errorf("a panic: %d", resp.StatusCode)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+w.addr+"/half", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := w.client.Do(req); err == nil {
		_, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err == nil {
			t.Error("half an answer came as a whole one")
		}
	}
	if resp := w.ask(http.MethodGet, "/healthz", nil); resp.StatusCode != http.StatusOK {
		t.Errorf("the next request: %d", resp.StatusCode)
	}
	if !strings.Contains(log.String(), "a mistake of ours") || !strings.Contains(log.String(), "GET /panic") {
		t.Errorf("the log is %s", log)
	}
}

// lockedBuffer is a log that many goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// streaming adds a stream that tells why it ended.
func streaming(ends chan error) func(*httpd.Server) {
	return func(s *httpd.Server) {
		s.Handle(httpd.Route{
			Pattern: "GET /stream", Access: httpd.AccessProgram, Streams: true,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := httpd.OpenStream(r.Context(), w); err != nil {
					ends <- err
					return
				}
				<-r.Context().Done()
				ends <- context.Cause(r.Context())
			}),
		})
	}
}

// TestRevocationEndsStreams, and requests that come later are refused.
func TestRevocationEndsStreams(t *testing.T) {
	t.Parallel()
	ends := make(chan error, 1)
	w := newWorld(t, streaming(ends))
	resp := w.ask(http.MethodGet, "/stream", bearer)
	if first := make([]byte, 6); resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	} else if _, err := io.ReadFull(resp.Body, first); err != nil || string(first) != ": ok\n\n" {
		t.Fatalf("%q, %v", first, err)
	}
	w.revoke()
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	if err := <-ends; !errors.Is(err, httpd.ErrRevoked) {
		t.Errorf("the stream ended with %v", err)
	}
	if resp := w.ask(http.MethodGet, "/stream", bearer); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a revoked token: %d", resp.StatusCode)
	}
}

// TestExpiryEndsStreams: a credential that ends by its time does too.
func TestExpiryEndsStreams(t *testing.T) {
	t.Parallel()
	ends := make(chan error, 1)
	w := newWorld(t, streaming(ends), func(o *httpd.Options) {
		o.Keyring = ring{valid: context.Background(), expires: time.Now().Add(200 * time.Millisecond)}
	})
	if resp := w.ask(http.MethodGet, "/stream", bearer); resp.StatusCode == http.StatusOK {
		if err := <-ends; !errors.Is(err, httpd.ErrRevoked) {
			t.Errorf("the stream ended with %v", err)
		}
	} // else the machine was so busy that its time was over before it began
	if resp := w.ask(http.MethodGet, "/stream", bearer); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("an expired token: %d", resp.StatusCode)
	}
}

// TestAPersonHasFewStreams: one more is refused, and one that ends makes room.
func TestAPersonHasFewStreams(t *testing.T) {
	t.Parallel()
	ends := make(chan error, httpd.MaxStreams+1)
	w := newWorld(t, streaming(ends))
	var last *answered
	for range httpd.MaxStreams {
		if last = w.ask(http.MethodGet, "/stream", bearer); last.StatusCode != http.StatusOK {
			t.Fatalf("%d", last.StatusCode)
		}
	}
	resp := w.ask(http.MethodGet, "/stream", bearer)
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("one more: %d", resp.StatusCode)
	}
	_ = last.Body.Close()
	<-ends
	// The place is free once the handler has returned, a moment after it says so.
	for w.ask(http.MethodGet, "/stream", bearer).StatusCode != http.StatusOK {
		if t.Context().Err() != nil {
			t.Fatal("no place became free")
		}
	}
}

// TestAPersonHasFewRequests under way: one more is refused, streams are counted apart, and a
// request that ends makes room.
func TestAPersonHasFewRequests(t *testing.T) {
	t.Parallel()
	served, goOn, codes := make(chan struct{}, httpd.MaxPlain), make(chan struct{}), make(chan int, httpd.MaxPlain)
	w := newWorld(t, func(s *httpd.Server) {
		s.Handle(httpd.Route{Pattern: "GET /slow", Access: httpd.AccessProgram, Handler: http.HandlerFunc(
			func(http.ResponseWriter, *http.Request) {
				served <- struct{}{}
				<-goOn
			},
		)})
		s.Handle(httpd.Route{Pattern: "GET /quick", Access: httpd.AccessProgram, Handler: http.HandlerFunc(yes)})
		s.Handle(httpd.Route{Pattern: "GET /lasting", Access: httpd.AccessProgram, Streams: true, Handler: http.HandlerFunc(yes)})
	})
	for range httpd.MaxPlain {
		go func() { codes <- w.ask(http.MethodGet, "/slow", bearer).StatusCode }()
	}
	for range httpd.MaxPlain {
		<-served
	}
	for path, want := range map[string]int{"/quick": http.StatusTooManyRequests, "/lasting": http.StatusOK} {
		if resp := w.ask(http.MethodGet, path, bearer); resp.StatusCode != want {
			t.Errorf("%s beside many: %d", path, resp.StatusCode)
		}
	}
	close(goOn)
	for range httpd.MaxPlain {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("%d", code)
		}
	}
	for w.ask(http.MethodGet, "/quick", bearer).StatusCode != http.StatusOK {
		if t.Context().Err() != nil {
			t.Fatal("no place became free")
		}
	}
}

// TestProbes answer under any name, with one word.
func TestProbes(t *testing.T) {
	t.Parallel()
	for state, status := range map[httpd.State]int{httpd.StateOK: 200, httpd.StateDegraded: 200, httpd.StateDown: 503} {
		w := newWorld(t, func(*httpd.Server) {}, func(o *httpd.Options) {
			o.Healthy = func(context.Context) httpd.State { return state }
			o.Ready = o.Healthy
		})
		for _, path := range []string{"/healthz", "/readyz"} {
			resp := w.ask(http.MethodGet, path, func(r *http.Request) { r.Host = "10.1.2.3" })
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != status || string(body) != string(state)+"\n" {
				t.Errorf("%s, %s: %d %q, %v", path, state, resp.StatusCode, body, err)
			}
		}
	}
}
