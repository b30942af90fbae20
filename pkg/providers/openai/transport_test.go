package openai_test

import (
	"crypto/tls"
	"errors"
	"io"
	"log" //nolint:depguard // to keep the test server quiet
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// secure is a model server with TLS, over HTTP/2 unless change says otherwise, and a
// provider that trusts it. The transport is the provider's own but for the trust.
func secure(t *testing.T, h http.HandlerFunc, change func(*httptest.Server)) (*httptest.Server, *openai.Provider) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	if change != nil {
		change(srv)
	}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv, trusting(t, srv, srv.URL, 10*time.Second)
}

// trusting is a provider that reaches srv at a URL, within connect, and trusts it.
func trusting(t *testing.T, srv *httptest.Server, url string, connect time.Duration) *openai.Provider {
	t.Helper()
	client, ok := srv.Client().Transport.(*http.Transport)
	if !ok {
		t.Fatal("the client's transport is another one")
	}
	transport := exchange.NewTransport(connect)
	transport.TLSClientConfig = &tls.Config{RootCAs: client.TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	p := openai.New(openai.Options{BaseURL: url + "/v1", Transport: transport, IdleTimeout: 2 * time.Second, TotalTimeout: 20 * time.Second})
	t.Cleanup(p.Close)
	return p
}

// TestFaultsOfHTTP2: whatever a server does to a stream of HTTP/2 has a kind that says
// whether to ask again, and the next question is answered.
func TestFaultsOfHTTP2(t *testing.T) {
	t.Parallel()
	answer := frames(say("well again"), stop, done)
	begin := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, frames(say("half")))
		_ = http.NewResponseController(w).Flush()
	}
	for name, c := range map[string]struct {
		fault func(w http.ResponseWriter, r *http.Request)
		kind  providers.ErrorKind
	}{
		"the stream is reset at once": {
			func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, providers.KindUnreachable,
		},
		"the stream is reset in the middle": {
			func(w http.ResponseWriter, _ *http.Request) { begin(w); panic(http.ErrAbortHandler) }, providers.KindCut,
		},
		"the stream ends in the middle": {func(w http.ResponseWriter, _ *http.Request) { begin(w) }, providers.KindCut},
		"the stream hangs": {
			func(w http.ResponseWriter, r *http.Request) { begin(w); <-r.Context().Done() }, providers.KindTimeout,
		},
		"no headers": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, providers.KindTimeout},
		"overloaded": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
			providers.KindOverloaded,
		},
		"the body is longer than it says": {
			func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "5"); begin(w) },
			providers.KindCut,
		},
		"the body is shorter than it says": {
			func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "5000"); begin(w) },
			providers.KindCut,
		},
		"told to use HTTP/1.1 (misdirected)": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMisdirectedRequest) },
			providers.KindInvalid,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			_, p := secure(t, func(w http.ResponseWriter, r *http.Request) {
				if r.ProtoMajor != 2 {
					t.Errorf("asked over %s", r.Proto)
				}
				_, _ = io.Copy(io.Discard, r.Body)
				if asked.Add(1) == 1 {
					c.fault(w, r)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, answer)
			}, nil)
			ask(t, p, c.kind)
			if resp, err := p.ChatStream(t.Context(), providertest.Question(), nil, "m", nil, nil); err != nil || resp.Content != "well again" {
				t.Errorf("afterwards: %+v, %v", resp, err)
			}
		})
	}
}

// ask has a question fail with a kind.
func ask(t *testing.T, p *openai.Provider, kind providers.ErrorKind) *providers.Error {
	t.Helper()
	resp, err := p.ChatStream(t.Context(), providertest.Question(), nil, "m", nil, nil)
	failure, ok := errors.AsType[*providers.Error](err)
	if !ok || failure.Kind != kind {
		t.Fatalf("%+v, %v; want %s", resp, err, kind)
	}
	return failure
}

// TestAHalfOpenConnectionOfHTTP2: all chats share one connection to a server. Where it
// goes silent without an end, it is found, and questions are asked over another one.
func TestAHalfOpenConnectionOfHTTP2(t *testing.T) {
	t.Parallel()
	srv, _ := secure(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, frames(say("here"), stop, done))
	}, nil)
	var conns atomic.Int64
	var silent atomic.Bool
	between := listener(t, func(conn net.Conn) {
		first := conns.Add(1) == 1
		to, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", srv.Listener.Addr().String())
		if err != nil {
			return
		}
		defer func() { _ = to.Close() }()
		go func() { _, _ = io.Copy(conn, to) }()
		buffer := [4096]byte{}
		for {
			n, err := conn.Read(buffer[:])
			if err != nil {
				return
			}
			if first && silent.Load() {
				continue // taken, and kept
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
	})
	p := trusting(t, srv, "https://"+between, 300*time.Millisecond)
	hello := func() error {
		_, err := p.ChatStream(t.Context(), providertest.Question(), nil, "m", nil, nil)
		return err
	}
	if err := hello(); err != nil {
		t.Fatal(err)
	}
	silent.Store(true)
	if err := hello(); err == nil {
		t.Error("an answer came over the connection that is silent")
	}
	if err := hello(); err != nil || conns.Load() < 2 {
		t.Errorf("over %d connections: %v", conns.Load(), err)
	}
}

// TestFaultsOfTLS: a server without a valid certificate gets no question, and the
// error names the cause and no key.
func TestFaultsOfTLS(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	count := func(http.ResponseWriter, *http.Request) { asked.Add(1) }
	known, _ := secure(t, count, nil)
	_, old := secure(t, count, func(s *httptest.Server) {
		s.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	})
	plain := httptest.NewServer(http.HandlerFunc(count))
	t.Cleanup(plain.Close)
	ended := listener(t, func(conn net.Conn) { _ = conn.Close() })
	silent := listener(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	reachIn := func(limit time.Duration, url string) *openai.Provider {
		p := openai.New(openai.Options{BaseURL: url + "/v1", Key: func() string { return "sk-canary" }, ConnectTimeout: limit})
		t.Cleanup(p.Close)
		return p
	}
	reach := func(url string) *openai.Provider { return reachIn(time.Minute, url) }
	for name, c := range map[string]struct {
		p    *openai.Provider
		want string
	}{
		"a certificate of nobody": {reach(known.URL), "certificate"},
		"an old version":          {old, "protocol version"},
		"no TLS at all":           {reach("https" + strings.TrimPrefix(plain.URL, "http")), "HTTP"},
		"TLS where none is meant": {reach("http" + strings.TrimPrefix(known.URL, "https")), ""},
		"it ends at once":         {reach("https://" + ended), ""},
		"no handshake":            {reachIn(300*time.Millisecond, "https://"+silent), "TLS handshake timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.p.ChatStream(t.Context(), providertest.Question(), nil, "m", nil, nil)
			failure, ok := errors.AsType[*providers.Error](err)
			if !ok || !strings.Contains(failure.Error(), c.want) || strings.Contains(failure.Error(), "canary") {
				t.Fatalf("%v, want %q in it", err, c.want)
			}
			if said := failure.PersonMessage(); said == "" || strings.Contains(said, "x509") || strings.Contains(said, "tls:") {
				t.Errorf("a person is told %q", said)
			}
		})
	}
	t.Cleanup(func() {
		if n := asked.Load(); n != 0 {
			t.Errorf("%d questions were asked", n)
		}
	})
}

// listener serves connections until the test ends.
func listener(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			go serve(conn)
		}
	}()
	return l.Addr().String()
}
