package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// TestDoTellsWhatWasSent: whatever becomes of a request, it is known whether a
// server may have it.
func TestDoTellsWhatWasSent(t *testing.T) {
	t.Parallel()
	refused := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("nobody is there") }
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		dial   wire.Dial
		sent   bool
		status int
		body   string
		failed bool
	}{
		"answered": {answer: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "yes") }, sent: true, status: 200, body: "yes"},
		"refused": {
			answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418); fmt.Fprint(w, "no") },
			sent:   true,
			status: 418,
			body:   "no",
		},
		"redirected": {
			answer: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", http.StatusFound) },
			sent:   true,
			status: 302,
		},
		"cut":          {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, sent: true, failed: true},
		"no answer":    {answer: silent, sent: true, failed: true},
		"never dialed": {dial: refused, failed: true},
		"too large": {answer: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, strings.Repeat("x", 101))
		}, sent: true, status: 200, failed: true},
		"cut in its midst": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "50")
			fmt.Fprint(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, sent: true, status: 200, failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(tc.answer)
			defer srv.Close()
			if tc.dial == nil {
				tc.dial = wire.NewDial()
			}
			client := wire.NewHTTP(nil, tc.dial, 2)
			defer client.CloseIdleConnections()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL, strings.NewReader("text"))
			if err != nil {
				t.Fatal(err)
			}
			resp, body, sent, err := wire.Do(client, req, 100) //nolint:bodyclose // Do has closed it
			if resp != nil {
				wire.Drop(resp.Body)
			}
			if sent != tc.sent || (err != nil) != tc.failed || string(body) != tc.body {
				t.Errorf("sent %v, %q, %v", sent, body, err)
			}
			if status := statusOf(resp); status != tc.status {
				t.Errorf("status %d, want %d", status, tc.status)
			}
			if name == "too large" && !errors.Is(err, wire.ErrTooLarge) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// silent does not answer for as long as the client waits, which the server sees once
// it has read the request.
func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func statusOf(resp *http.Response) int {
	if resp == nil {
		return 0
	}
	return resp.StatusCode
}

func TestParseProxy(t *testing.T) {
	t.Parallel()
	for raw, ok := range map[string]bool{
		"": true, "http://p:1": true, "https://p:1": true, "socks5://user:secret@p:1": true, "socks5h://p:1": true,
		"p:1": false, "ftp://p:1": false, "http://": false, "://secret": false, "http://a b": false,
	} {
		proxy, err := wire.ParseProxy(raw)
		if (err == nil) != ok || (proxy != nil) != (ok && raw != "") {
			t.Errorf("%q: %v", raw, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is in the error: %v", raw, err)
		}
	}
}

// TestNoProxyOfTheEnvironment: no configured proxy means a direct connection.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	client := wire.NewHTTP(nil, wire.NewDial(), 1)
	transport, ok := client.Transport.(*http.Transport)
	if !ok || transport.Proxy != nil {
		t.Error("the environment chooses a proxy")
	}
}

func TestParseBase(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://slack.com/api/": "https://slack.com/api", "http://127.0.0.1:1": "http://127.0.0.1:1", "https://a/": "https://a",
		"": "", "slack.com": "", "ftp://a": "", "https://a/?q": "", "https://a/#f": "", "https://u:p@a/": "", "https://": "",
	} {
		u, err := wire.ParseBase(raw)
		if (err == nil) != (want != "") || err == nil && u.String() != want {
			t.Errorf("%q: %v, %v", raw, u, err)
		}
	}
}

func TestBounded(t *testing.T) {
	t.Parallel()
	hide := func(error) error { return errors.New("hidden") }
	for text, want := range map[string]error{"12345": nil, "123456": channels.ErrTooLarge, "": nil} {
		content, err := io.ReadAll(wire.NewBounded(io.NopCloser(strings.NewReader(text)), 5, hide))
		if !errors.Is(err, want) || want == nil && string(content) != text {
			t.Errorf("%q: %q, %v", text, content, err)
		}
	}
	broken := wire.NewBounded(io.NopCloser(io.MultiReader(strings.NewReader("1"), failing{})), 5, hide)
	if _, err := io.ReadAll(broken); err == nil || err.Error() != "hidden" {
		t.Errorf("the error is %v", err)
	}
}

// failing is a reader with a secret in its error.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("secret") }

func TestScrub(t *testing.T) {
	t.Parallel()
	hide := func(s string) string { return wire.Hide(s, "se/cret") }
	for in, want := range map[string]string{
		"plain": "plain", "with se/cret": "the cause is left out: it holds the token",
		"with se%2Fcret": "the cause is left out: it holds the token",
	} {
		if got := wire.Scrub(errors.New(in), hide).Error(); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if err := wire.Scrub(fmt.Errorf("se/cret: %w", context.DeadlineExceeded), hide); !errors.Is(err, context.DeadlineExceeded) ||
		strings.Contains(err.Error(), "cret") {
		t.Errorf("a deadline: %v", err)
	}
	if got := hide("a se/cret and se%2Fcret"); got != "a [token] and [token]" {
		t.Errorf("Hide: %q", got)
	}
}

func TestPending(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		e    wire.Error
		want bool
	}{
		{wire.Error{Sent: true, Err: context.DeadlineExceeded}, true},
		{wire.Error{Err: context.DeadlineExceeded}, false},
		{wire.Error{Sent: true, Err: io.EOF}, false},
		{wire.Error{Sent: true, Status: 504, Err: io.EOF}, true},
		{wire.Error{Sent: true, Status: 502, Err: io.EOF}, false},
	} {
		if got := tc.e.Pending(); got != tc.want {
			t.Errorf("%v: %v", &tc.e, got)
		}
	}
}
