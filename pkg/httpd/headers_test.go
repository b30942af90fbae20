package httpd_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHeadersOfEachAnswer: what is served, each kind of refusal and a probe carry the same headers, word for word.
func TestHeadersOfEachAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, allRoutes)
	want := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; " +
			"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
			"require-trusted-types-for 'script'; trusted-types 'none'",
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		"Access-Control-Allow-Origin": "", "Access-Control-Allow-Credentials": "", "Set-Cookie": "",
	}
	for name, tc := range map[string]struct {
		method, path, host string
		status             int
	}{
		"served":       {http.MethodGet, "/static", "", http.StatusOK},
		"a probe":      {http.MethodGet, "/healthz", "", http.StatusOK},
		"no route":     {http.MethodGet, "/nowhere", "", http.StatusNotFound},
		"no method":    {http.MethodPut, "/probe", "", http.StatusMethodNotAllowed},
		"foreign host": {http.MethodGet, "/static", "evil.example", http.StatusMisdirectedRequest},
		"no token":     {http.MethodGet, "/program", "", http.StatusUnauthorized},
		"no login":     {http.MethodGet, "/page", "", http.StatusUnauthorized},
		"no origin":    {http.MethodPost, "/page", "", http.StatusForbidden},
	} {
		resp := w.ask(tc.method, tc.path, func(r *http.Request) { r.Host = tc.host })
		got := map[string]string{}
		for field := range want {
			got[field] = resp.Header.Get(field)
		}
		if d := cmp.Diff(want, got); d != "" || resp.StatusCode != tc.status {
			t.Errorf("%s: %d, want %d; %s", name, resp.StatusCode, tc.status, d)
		}
	}
}
