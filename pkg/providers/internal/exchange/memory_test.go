package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// slowReader is a transport that fails at once and reads the bodies later, as a
// connection may that writes while its request has ended.
type slowReader struct {
	bodies []io.ReadCloser
	// once: the request is begun once, otherwise twice.
	once bool
	// wrote are the ends of writing that the transport tells of before it reads the bodies.
	wrote []error
}

func (s *slowReader) RoundTrip(r *http.Request) (*http.Response, error) {
	s.bodies = append(s.bodies, r.Body)
	if !s.once {
		again, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		s.bodies = append(s.bodies, again)
	}
	for _, err := range s.wrote {
		httptrace.ContextClientTrace(r.Context()).WroteRequest(httptrace.WroteRequestInfo{Err: err})
	}
	return nil, errors.New("no connection")
}

// TestARequestKeepsItsBytes: a transport that still reads gets the bytes of its own
// request, though that request has ended, and later ones were written.
func TestARequestKeepsItsBytes(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, transport := range map[string]*slowReader{
		"no connection": {},
		"an old connection broke at the head of the request": {wrote: []error{broken}},
		"three did": {wrote: []error{broken, broken, broken}},
		"another connection wrote all of it, and the first one hangs": {wrote: []error{nil}},
		"the only connection broke, and its writer goes on":           {once: true, wrote: []error{broken}},
		"the request was given up before its only connection wrote":   {once: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, body := range keptBodies(t, transport, "", nil) {
				if err := body.Close(); err != nil {
					t.Errorf("body %d: %v", i, err)
				}
			}
		})
	}
	t.Run("with a picture", func(t *testing.T) {
		t.Parallel()
		picture := providers.Image{Open: func() (io.ReadCloser, int64, error) { return io.NopCloser(strings.NewReader("abc")), 3, nil }}
		for i, body := range keptBodies(t, &slowReader{}, "YWJj", &picture) {
			if err := body.Close(); err != nil {
				t.Error(err)
			}
			if n, err := body.Read(make([]byte, 1)); n > 0 || !errors.Is(err, http.ErrBodyReadAfterClose) {
				t.Errorf("the closed body %d gives %d bytes, %v", i, n, err)
			}
		}
	})
}

// keptBodies sends requests, each with a picture if there is one, and returns their bodies,
// each read to its end; encoded is the picture in them.
func keptBodies(t *testing.T, transport *slowReader, encoded string, picture *providers.Image) []io.ReadCloser {
	t.Helper()
	const requests = 8
	client := exchange.New(exchange.Options{BaseURL: "http://model.invalid", Transport: transport})
	text := func(n int) string { return strings.Repeat(fmt.Sprint(n), 1000) }
	for n := range requests {
		body := client.Body(1000)
		body.Text = append(body.Text, text(n)...)
		body.Share([]byte("shared"))
		if picture != nil {
			body.Picture(picture, 3)
		}
		if _, err := (adapter{client}).ask(t.Context(), false, body); err == nil {
			t.Fatal("an answer without a connection")
		}
		body.End()
	}
	for i, body := range transport.bodies {
		got, err := io.ReadAll(body)
		if want := text(i*requests/len(transport.bodies)) + "shared" + encoded; err != nil || string(got) != want {
			t.Errorf("body %d: %d bytes, %.9s…, %v; want %.9s…", i, len(got), got, err, want)
		}
	}
	return transport.bodies
}

// written keeps what was written to connections, a text for each write.
type written struct {
	net.Conn

	all *[]string
}

func (c written) Write(p []byte) (int, error) {
	*c.all = append(*c.all, string(p))
	return c.Conn.Write(p)
}

// TestAHeadLeavesWithItsBody: no write has the head of a request alone, and a request takes two.
func TestAHeadLeavesWithItsBody(t *testing.T) {
	t.Parallel()
	arrived := ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		arrived = string(body)
		_, _ = io.WriteString(w, `{"text":"a"}`)
	}))
	defer srv.Close()
	var writes []string
	transport := exchange.NewTransport(time.Second)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		return written{c, &writes}, err
	}
	client := exchange.New(exchange.Options{BaseURL: srv.URL, Transport: transport})
	defer client.Close()
	for n := range 3 {
		words, tools := strings.Repeat(fmt.Sprint(n), 1000), strings.Repeat("tool", 1000)
		body := client.Body(1000)
		body.Text = append(body.Text, words...)
		body.Share([]byte(tools))
		body.Text = append(body.Text, "end"...)
		writes = nil
		if _, err := (adapter{client}).ask(t.Context(), false, body); err != nil {
			t.Fatal(err)
		}
		body.End()
		if want := words + tools + "end"; arrived != want {
			t.Fatalf("request %d arrived as %d bytes, %.9s…", n, len(arrived), arrived)
		}
		if _, rest, ended := strings.Cut(writes[0], "\r\n\r\n"); !ended || !strings.HasPrefix(rest, words[:500]) || len(writes) != 2 {
			t.Errorf("request %d takes %d writes, the first is %q", n, len(writes), writes[0])
		}
	}
}

// TestAnEndedRequestIsNotSentAgain: its memory may be another request's by then.
func TestAnEndedRequestIsNotSentAgain(t *testing.T) {
	t.Parallel()
	client := exchange.New(exchange.Options{BaseURL: "http://model.invalid"})
	body := client.Body(10)
	body.Text = append(body.Text, "text"...)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, client.URL(""), nil)
	if err != nil {
		t.Fatal(err)
	}
	body.Attach(req)
	body.End()
	body.End()
	if again, err := req.GetBody(); err == nil {
		t.Errorf("it gives %v", again)
	}
	if got, err := io.ReadAll(req.Body); err != nil || string(got) != "text" {
		t.Errorf("the reader before the end gives %q, %v", got, err)
	}
}

// TestNoTextCrossesBetweenRequests has many requests at once, over both versions of HTTP,
// to a server that often ends one early while callers often give up: each body that
// arrives whole is one request's.
func TestNoTextCrossesBetweenRequests(t *testing.T) {
	t.Parallel()
	for _, two := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %v", two), func(t *testing.T) {
			t.Parallel()
			var whole atomic.Int64
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := 0
				if _, err := fmt.Sscan(r.Header.Get("N"), &n); err != nil {
					t.Error(err)
				}
				if n%5 == 0 {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				got, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				whole.Add(1)
				if want := strings.Repeat(fmt.Sprintf("<%d>", n), n); string(got) != want {
					t.Errorf("request %d arrived as %d bytes, %.20s…", n, len(got), got)
				}
				_, _ = io.WriteString(w, `{"text":"a"}`)
			}))
			srv.EnableHTTP2 = two
			srv.StartTLS()
			defer srv.Close()
			client := exchange.New(exchange.Options{BaseURL: srv.URL, Transport: srv.Client().Transport})
			defer client.Close()
			var wg sync.WaitGroup
			const callers, each = 8, 40
			for c := range callers {
				wg.Go(func() {
					for i := range each {
						send(t.Context(), client, 1+(c*each+i)*7)
					}
				})
			}
			wg.Wait()
			if whole.Load() < callers*each/4 {
				t.Errorf("%d requests arrived whole", whole.Load())
			}
		})
	}
}

// send sends n times n in brackets, and gives up early now and then; it may fail.
func send(ctx context.Context, client *exchange.Client, n int) {
	if n%3 == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(n)*time.Microsecond)
		defer cancel()
	}
	body := client.Body(100)
	defer body.End()
	for range n {
		body.Text = fmt.Appendf(body.Text, "<%d>", n)
	}
	_ = client.Once(ctx, false, func(ctx context.Context, x *exchange.Exchange) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, client.URL("/ask"), nil)
		if err != nil {
			return err
		}
		req.Header.Set("N", fmt.Sprint(n))
		body.Attach(req)
		return x.Send(req)
	})
}
