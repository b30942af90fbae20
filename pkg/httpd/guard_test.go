package httpd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/pkg/httpd"
)

// accesses are the kinds of access, by the path of a route.
func accesses() map[string]httpd.Access {
	return map[string]httpd.Access{
		"program": httpd.AccessProgram, "page": httpd.AccessPage, "login": httpd.AccessLogin, "static": httpd.AccessStatic,
		"platform": httpd.AccessPlatform, "probe": httpd.AccessProbe,
	}
}

func allRoutes(s *httpd.Server) {
	for path, access := range accesses() {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			s.Handle(httpd.Route{Pattern: method + " /" + path, Access: access, Handler: http.HandlerFunc(yes)})
		}
	}
}

// header is a value of a header in the table: none, one, or two.
type header struct {
	name   string
	values []string
}

// cell is one request of the table.
type cell struct {
	access, host, method                string
	origin, site, cookie, bearer, loads header
}

func (c *cell) String() string {
	return fmt.Sprintf("%s %s, Host %q, Origin %s, Sec-Fetch-Site %s, %s, cookie %s, bearer %s", c.method, c.access, c.host,
		c.origin.name, c.site.name, c.loads.name, c.cookie.name, c.bearer.name)
}

func (c *cell) request() *http.Request {
	method := c.method
	if method == "upgrade" {
		method = http.MethodGet
	}
	r := httptest.NewRequest(method, "/"+c.access, http.NoBody)
	r.Host = c.host
	r.Header.Set("Content-Type", "application/json")
	if c.method == "upgrade" {
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "websocket")
	}
	for key, h := range map[string]header{"Origin": c.origin, "Sec-Fetch-Site": c.site, "Cookie": c.cookie, "Authorization": c.bearer} {
		for _, v := range h.values {
			r.Header.Add(key, v)
		}
	}
	if c.loads.name == "navigates" {
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
	}
	return r
}

// want is the answer by the rules, in words of the headers alone.
func (c *cell) want(ours string) int {
	writes := slices.Contains([]string{"POST", "upgrade"}, c.method)
	loads := c.loads.name == "navigates"
	siteSame, siteOwn := c.site.name == "none sent" || c.site.name == "same-origin", c.site.name == "none"
	noOrigin, ownOrigin := c.origin.name == "none sent", len(c.origin.values) == 1 && c.origin.values[0] == ours
	var fromOurs bool
	switch c.access {
	case "page", "login":
		if writes {
			fromOurs = ownOrigin && siteSame
		} else {
			fromOurs = (noOrigin || ownOrigin) && (siteSame || siteOwn && loads)
		}
	case "static":
		fromOurs = (noOrigin || ownOrigin) && (siteSame || siteOwn || loads)
	default:
		fromOurs = c.origin.name != "twice"
	}
	switch {
	case c.access != "probe" && ours == "":
		return http.StatusMisdirectedRequest
	case !fromOurs:
		return http.StatusForbidden
	case c.access == "page" && c.cookie.name != "good", c.access == "program" && c.bearer.name != "good":
		return http.StatusUnauthorized
	default:
		return http.StatusOK
	}
}

// TestGuardTable asks each cell: Host, Origin, Sec-Fetch-Site, cookie, bearer, method and
// kind of access.
func TestGuardTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, allRoutes)
	port := w.port()
	cookieName := func(host string) string {
		if strings.HasPrefix(host, publicHost) {
			return "__Host-parley"
		}
		return "parley-" + port
	}
	cells := 0
	for host, ours := range hostsOf(port) {
		whole := host == "localhost:"+port || host == publicHost
		for _, access := range []string{"program", "page", "login", "static", "platform", "probe"} {
			for _, c := range cellsOf(host, access, port, cookieName(host)) {
				if !whole && (c.cookie.name != "good" || c.bearer.name != "good" || c.site.name == "odd") {
					continue // the other hosts differ only in their names: each is asked with the credentials that would let in
				}
				cells++
				got := httptest.NewRecorder()
				w.server.ServeHTTP(got, c.request())
				if want := c.want(ours); got.Code != want {
					t.Errorf("%s: %d, want %d", &c, got.Code, want)
				}
				if got.Header().Get("Content-Security-Policy") == "" || got.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Fatalf("%s: the headers are %v", &c, got.Header())
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d cells", cells)
}

// hostsOf are values of Host with the origin that is ours under them; "" marks a foreign
// one.
func hostsOf(port string) map[string]string {
	return map[string]string{
		"localhost:" + port: "http://localhost:" + port, "127.0.0.1:" + port: "http://127.0.0.1:" + port,
		"[::1]:" + port: "http://[::1]:" + port, "LOCALHOST:" + port: "http://localhost:" + port,
		publicHost: "https://" + publicHost, publicHost + ":443": "https://" + publicHost,
		"": "", "localhost": "", "127.0.0.1": "", "evil.example": "", "evil.example:" + port: "", "localhost.evil.example:" + port: "",
		"evil.localhost:" + port: "", "127.0.0.1:1": "", publicHost + ":" + port: "", publicHost + ".": "", "a." + publicHost: "",
		publicHost + ".evil.example": "", "127.0.0.2:" + port: "", "0.0.0.0:" + port: "", "[::]:" + port: "",
	}
}

func cellsOf(host, access, port, cookie string) []cell {
	own := map[bool]string{true: "https://" + publicHost, false: "http://localhost:" + port}[cookie == "__Host-parley"]
	origins := []header{
		{"none sent", nil},
		{"ours", []string{own}},
		{"127.0.0.1", []string{"http://127.0.0.1:" + port}},
		{"[::1]", []string{"http://[::1]:" + port}},
		{"null", []string{"null"}},
		{"evil", []string{"https://evil.example"}},
		{"another port", []string{"http://localhost:1"}},
		{"another scheme", []string{"http://" + publicHost}},
		{"twice", []string{own, own}},
	}
	sites := []header{{"none sent", nil}}
	for _, s := range []string{"same-origin", "same-site", "cross-site", "none", "odd"} {
		sites = append(sites, header{s, []string{s}})
	}
	cookies := []header{
		{"none sent", nil},
		{"good", []string{cookie + "=" + goodSession}},
		{"bad", []string{cookie + "=x"}},
		{"of another name", []string{"parley=" + goodSession}},
		{"twice", []string{cookie + "=" + goodSession + "; " + cookie + "=" + goodSession}},
		{"a token", []string{cookie + "=" + goodToken}},
	}
	bearers := []header{
		{"none sent", nil},
		{"good", []string{"Bearer " + goodToken}},
		{"bad", []string{"Bearer x"}},
		{"basic", []string{"Basic " + goodToken}},
		{"a session", []string{"Bearer " + goodSession}},
		{"twice", []string{"Bearer " + goodToken, "Bearer " + goodToken}},
	}
	if access != "page" {
		cookies = cookies[:2]
	}
	if access != "program" {
		bearers = bearers[:2]
	}
	var all []cell
	for _, method := range []string{"GET", "POST", "upgrade"} {
		for _, origin := range origins {
			for _, site := range sites {
				for _, loads := range []header{{"fetched", nil}, {"navigates", nil}} {
					for _, c := range cookies {
						for _, b := range bearers {
							all = append(all, cell{access, host, method, origin, site, c, b, loads})
						}
					}
				}
			}
		}
	}
	return all
}
