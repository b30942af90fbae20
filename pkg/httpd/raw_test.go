package httpd_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"parley/pkg/httpd"
)

// TestRawRequests: requests that no client writes are refused, by the guard where they are
// HTTP at all.
func TestRawRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, allRoutes)
	for name, tc := range map[string]struct {
		request string
		status  int
		ours    bool // the guard answers, with its headers
	}{
		"options of the server":    {"OPTIONS * HTTP/1.1\nHost: ADDR\n", 404, true},
		"another name in the line": {"GET http://evil.example/static HTTP/1.1\nHost: ADDR\n", 421, true},
		"no name":                  {"GET /static HTTP/1.0\n", 421, true},
		"two names":                {"GET /static HTTP/1.1\nHost: ADDR\nHost: ADDR\n", 400, false},
		"a name with a user":       {"GET /static HTTP/1.1\nHost: a@ADDR\n", 400, false},
		"a path with slashes":      {"GET //static HTTP/1.1\nHost: evil.example\n", 421, true},
		"a path with dots":         {"GET /probe/../static HTTP/1.1\nHost: evil.example\n", 421, true},
		"dots under our name":      {"GET /probe/../static HTTP/1.1\nHost: ADDR\n", 404, true},
		"an encoded path":          {"GET /probe%2f..%2fstatic HTTP/1.1\nHost: ADDR\n", 404, true},
		"another method":           {"BREW /static HTTP/1.1\nHost: ADDR\n", 405, true},
		"a tunnel":                 {"CONNECT ADDR HTTP/1.1\nHost: ADDR\n", 404, true},
		"two lengths":              {"POST /login HTTP/1.1\nHost: ADDR\nContent-Length: 1\nContent-Length: 2\n", 400, false},
		"a length and chunks":      {"POST /login HTTP/1.1\nHost: ADDR\nContent-Length: 1\nTransfer-Encoding: chunked\n", 403, true},
		"two tokens in one line":   {"GET /program HTTP/1.1\nHost: ADDR\nAuthorization: Bearer token-of-ada, Bearer token-of-ada\n", 401, true},
		"a token in the address":   {"GET /program?access_token=token-of-ada HTTP/1.1\nHost: ADDR\n", 401, true},
		"the right one":            {"GET /static HTTP/1.1\nHost: ADDR\n", 200, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", w.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			raw := strings.ReplaceAll(strings.ReplaceAll(tc.request, "ADDR", w.addr), "\n", "\r\n")
			if _, err := fmt.Fprint(conn, raw+"\r\n"); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if ours := resp.Header.Get("Content-Security-Policy") != ""; resp.StatusCode != tc.status || ours != tc.ours {
				t.Errorf("%d, want %d; our headers: %v", resp.StatusCode, tc.status, ours)
			}
		})
	}
}

// TestAddressesGiveNoRights: headers that name a request's source change no answer, also
// those of a trusted proxy.
func TestAddressesGiveNoRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t, allRoutes, func(o *httpd.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	for name, value := range map[string]string{
		"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "Forwarded": "for=127.0.0.1;host=" + w.addr,
		"X-Forwarded-Host": w.addr, "X-Forwarded-Proto": "https", "X-Remote-User": "ada", "X-HTTP-Method-Override": "GET",
	} {
		set := func(r *http.Request) { r.Header.Set(name, value) }
		if resp := w.ask(http.MethodGet, "/program", set); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s, no token: %d", name, resp.StatusCode)
		}
		resp := w.ask(http.MethodGet, "/static", func(r *http.Request) { set(r); r.Host = "evil.example" })
		if resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("%s, a foreign name: %d", name, resp.StatusCode)
		}
		resp = w.ask(http.MethodPost, "/page", func(r *http.Request) { set(r); r.Header.Set("Content-Type", "application/json") })
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s, no origin: %d", name, resp.StatusCode)
		}
	}
}
