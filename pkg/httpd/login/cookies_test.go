package login_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestCookiesOfALogin: over https a cookie has the prefix that keeps subdomains and plain http from setting it; without TLS it
// has the port in its name, because browsers send the cookies of a host to all of its ports.
func TestCookiesOfALogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &url.URL{Scheme: "https", Host: "bot.example.org"})
	for origin, name := range map[string]string{
		"https://bot.example.org": "__Host-parley", ours: "parley-8080", "http://localhost:8080": "parley-8080",
	} {
		code, _ := w.door.Link()
		for path, of := range map[string]string{"/login/link": name, "/login/ask": name + "-wait"} {
			r := httptest.NewRequest(http.MethodPost, origin+path, strings.NewReader(`{"name":"ada","code":"`+code+`"}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Origin", origin)
			answer := httptest.NewRecorder()
			w.server.ServeHTTP(answer, r)
			set := answer.Result().Cookies()
			if len(set) != 1 {
				t.Fatalf("%s%s: %d %s, cookies %v", origin, path, answer.Code, answer.Body, set)
			}
			c := set[0]
			if c.Name != of || c.Secure != strings.HasPrefix(origin, "https:") || !c.HttpOnly ||
				c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" {
				t.Errorf("%s%s: the cookie is %v", origin, path, c)
			}
			if of == name && len(c.Value) != 43 { // 32 bytes in base64
				t.Errorf("%s%s: the secret has %d characters", origin, path, len(c.Value))
			}
		}
	}
}
