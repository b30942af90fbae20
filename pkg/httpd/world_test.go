package httpd_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/pkg/httpd"
	"parley/pkg/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	goodToken   = "token-of-ada"
	goodSession = "session-of-ada"
	publicHost  = "bot.example.org"
)

// ring knows one token and one session, which end together.
type ring struct {
	valid   context.Context
	expires time.Time
}

func (r ring) Token(_ context.Context, secret string) (*httpd.Caller, context.Context, error) {
	return r.hold(secret, goodToken, "token")
}

func (r ring) Session(_ context.Context, secret string) (*httpd.Caller, context.Context, error) {
	return r.hold(secret, goodSession, "session")
}

func (r ring) hold(secret, good, credential string) (*httpd.Caller, context.Context, error) {
	if secret != good || r.valid.Err() != nil {
		return nil, nil, httpd.ErrNoCredential
	}
	return &httpd.Caller{Person: policy.Person{Channel: "web", ID: "ada"}, Credential: credential, Expires: r.expires}, r.valid, nil
}

// world is a server that listens on loopback.
type world struct {
	t      *testing.T
	server *httpd.Server
	addr   string
	revoke context.CancelFunc
	client *http.Client
	stop   func() // ends the server, and waits for that
}

// newWorld runs a server with the routes of add until the test ends.
func newWorld(t *testing.T, add func(*httpd.Server), change ...func(*httpd.Options)) *world {
	t.Helper()
	valid, revoke := context.WithCancel(t.Context())
	fine := func(context.Context) httpd.State { return httpd.StateOK }
	o := httpd.Options{
		Listen: "127.0.0.1:0", Public: []*url.URL{{Scheme: "https", Host: publicHost}}, Keyring: ring{valid: valid},
		Healthy: fine, Ready: fine, Log: zerolog.Nop(),
	}
	for _, c := range change {
		c(&o)
	}
	w := &world{t: t, server: httpd.New(o), revoke: revoke, client: &http.Client{Transport: &http.Transport{}}}
	add(w.server)
	ctx, stop := context.WithCancel(t.Context())
	addr, ended := make(chan net.Addr, 1), make(chan error, 1)
	w.stop = sync.OnceFunc(func() {
		stop()
		<-ended
	})
	go func() { ended <- w.server.Serve(ctx, func(at net.Addr) { addr <- at }) }()
	select {
	case at := <-addr:
		w.addr = at.String()
	case err := <-ended:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.client.CloseIdleConnections()
		w.stop()
	})
	return w
}

func (w *world) port() string {
	_, port, err := net.SplitHostPort(w.addr)
	if err != nil {
		w.t.Fatal(err)
	}
	return port
}

// answered is an answer to a test; the end of the test closes its body.
type answered struct {
	StatusCode int
	Header     http.Header
	Body       io.ReadCloser
}

// ask sends a request and gives the answer.
func (w *world) ask(method, path string, change func(*http.Request)) *answered {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, "http://"+w.addr+path, http.NoBody)
	if err != nil {
		w.t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = resp.Body.Close() })
	return &answered{resp.StatusCode, resp.Header, resp.Body}
}

// yes is a handler that answers 200.
func yes(http.ResponseWriter, *http.Request) {}
