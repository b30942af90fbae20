package httpd_test

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"net/url"
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

func allRoutes(s *httpd.Server) { routes(s, "GET", "POST", "DELETE") }

// routes adds a route of each kind of access for each method.
func routes(s *httpd.Server, methods ...string) {
	for path, access := range accesses() {
		for _, method := range methods {
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

// fill makes the request of a cell out of an old one.
func (c *cell) fill(r *http.Request) {
	r.Method, r.Host, r.URL.Path = c.method, c.host, "/"+c.access
	clear(r.Header)
	r.Header["Content-Type"] = []string{"application/json"}
	if c.method == "upgrade" {
		r.Method = http.MethodGet
		r.Header["Connection"], r.Header["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
	}
	r.Header["Origin"], r.Header["Sec-Fetch-Site"] = c.origin.values, c.site.values
	r.Header["Cookie"], r.Header["Authorization"] = c.cookie.values, c.bearer.values
	if c.loads.name == "navigates" {
		r.Header["Sec-Fetch-Mode"], r.Header["Sec-Fetch-Dest"] = []string{"navigate"}, []string{"document"}
	}
}

// want is the answer by the rules, in words of the table alone; foreign is that of the Host.
func (c *cell) want(foreign bool) int {
	reads := c.method == "GET" || c.method == "HEAD"
	loads := c.loads.name == "navigates"
	siteSame, siteOwn := c.site.name == "none sent" || c.site.name == "same-origin", c.site.name == "none"
	noOrigin, ownOrigin := c.origin.name == "none sent", c.origin.name == "ours"
	var fromOurs bool
	switch {
	case c.origin.name == "twice" || strings.HasPrefix(c.site.name, "twice"):
	case c.access == "page" || c.access == "login":
		fromOurs = ownOrigin && siteSame ||
			reads && noOrigin && siteSame ||
			reads && loads && siteOwn && (noOrigin || ownOrigin)
	case c.access == "static": // the same for everyone
		fromOurs = (noOrigin || ownOrigin) && (siteSame || siteOwn || loads)
	default: // no credential is added by a browser
		fromOurs = true
	}
	switch {
	case c.access != "probe" && foreign:
		return http.StatusMisdirectedRequest
	case !fromOurs:
		return http.StatusForbidden
	case c.access == "page" && c.cookie.name != "good", c.access == "program" && c.bearer.name != "good":
		return http.StatusUnauthorized
	default:
		return http.StatusOK
	}
}

// TestGuardTable asks each cell: Host, Origin, Sec-Fetch-Site, the window that loads, cookie, bearer, method and kind of
// access, each value with each of the others. Of the many names under which nobody finds us, and of our own, one of each kind is
// asked with all; the others are asked with a part of them.
func TestGuardTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *httpd.Server) { routes(s, "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") })
	port := w.port()
	whole := map[string]bool{"127.0.0.1:" + port: true, publicHost: true, "evil.example": true, "evil.example:" + port: true, "": true}
	for access := range accesses() {
		t.Run(access, func(t *testing.T) {
			t.Parallel()
			cells := 0
			request := &http.Request{URL: &url.URL{}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody, Header: http.Header{}}
			for host, ours := range hostsOf(port) {
				v := valuesOf(ours, port).forAccess(access)
				if !whole[host] {
					v = v.part()
				}
				eachCell(access, host, v, func(c *cell) bool {
					cells++
					c.fill(request)
					got := &noted{header: http.Header{}}
					w.server.ServeHTTP(got, request)
					if want := c.want(ours == ""); got.code() != want {
						t.Errorf("%s: %d, want %d", c, got.code(), want)
					}
					if got.header["Content-Security-Policy"] == nil || got.header["Access-Control-Allow-Origin"] != nil {
						t.Errorf("%s: the headers are %v", c, got.header)
					}
					return !t.Failed()
				})
			}
			t.Logf("%d cells", cells)
		})
	}
}

// noted is the head of an answer.
type noted struct {
	header http.Header
	status int
}

// Header implements [http.ResponseWriter].
func (n *noted) Header() http.Header { return n.header }

// WriteHeader implements [http.ResponseWriter].
func (n *noted) WriteHeader(status int) { n.status = status }

// Write implements [http.ResponseWriter].
func (*noted) Write(p []byte) (int, error) { return len(p), nil }

// code is the status, which is 200 where nobody wrote one.
func (n *noted) code() int {
	if n.status == 0 {
		return http.StatusOK
	}
	return n.status
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
		publicHost + ".evil.example": "",
		"evil.example@" + publicHost: "", publicHost + ":0443": "", "localhost:" + port + ",evil.example": "",
		"[::ffff:127.0.0.1]:" + port: "", "127.1:" + port: "", "2130706433:" + port: "", "localhost.:" + port: "",
		"127.0.0.2:" + port: "", "0.0.0.0:" + port: "", "[::]:" + port: "",
	}
}

// values are those of the headers in a part of the table.
type values struct{ origins, sites, cookies, bearers []header }

// forAccess leaves out the odd credentials of the kind that a kind of access does not look at.
func (v values) forAccess(access string) values {
	if access != "page" {
		v.cookies = v.cookies[:2]
	}
	if access != "program" {
		v.bearers = v.bearers[:2]
	}
	return v
}

// part is the beginning of each.
func (v values) part() values {
	return values{v.origins[:4], v.sites[:2], v.cookies[:2], v.bearers[:2]}
}

// valuesOf are those under a name; ours is the origin that is ours there. Those that would let in, and the plainest that would
// not, come first.
func valuesOf(ours, port string) values {
	own, cookie := cmp.Or(ours, "http://localhost:"+port), "parley-"+port
	if strings.HasPrefix(own, "https://") {
		cookie = "__Host-parley"
	}
	v := values{
		origins: []header{
			{"none sent", nil},
			{"ours", []string{own}},
			{"of the Host", []string{"http://evil.example:" + port}},
			{"evil", []string{"https://evil.example"}},
			{"null", []string{"null"}},
			{"empty", []string{""}},
			{"another port", []string{"http://localhost:1"}},
			{"another scheme", []string{"http://" + publicHost}},
			{"another name of ours", []string{otherThan(own, port)}},
			{"a path", []string{own + "/"}},
			{"twice", []string{own, own}},
		},
		cookies: []header{
			{"none sent", nil},
			{"good", []string{cookie + "=" + goodSession}},
			{"bad", []string{cookie + "=x"}},
			{"of another name", []string{"parley=" + goodSession}},
			{"a token", []string{cookie + "=" + goodToken}},
			{"twice", []string{cookie + "=" + goodSession + "; " + cookie + "=" + goodSession}},
		},
		bearers: []header{
			{"none sent", nil},
			{"good", []string{"Bearer " + goodToken}},
			{"bad", []string{"Bearer x"}},
			{"basic", []string{"Basic " + goodToken}},
			{"a session", []string{"Bearer " + goodSession}},
			{"twice", []string{"Bearer " + goodToken, "Bearer " + goodToken}},
		},
	}
	for _, s := range []string{"same-origin", "cross-site", "same-site", "none", "odd", "", "Same-Origin"} {
		v.sites = append(v.sites, header{s, []string{s}})
	}
	v.sites = append(v.sites, header{"none sent", nil}, header{"twice", []string{"same-origin", "same-origin"}})
	return v
}

// eachCell gives each cell of a kind of access under a name until take says no.
func eachCell(access, host string, v values, take func(*cell) bool) {
	loads := []header{{"fetched", nil}, {"navigates", nil}}
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "upgrade"} {
		for at := range product(len(v.origins), len(v.sites), len(loads), len(v.cookies), len(v.bearers)) {
			c := cell{access, host, method, v.origins[at[0]], v.sites[at[1]], v.cookies[at[3]], v.bearers[at[4]], loads[at[2]]}
			if !take(&c) {
				return
			}
		}
	}
}

// product gives each choice of one index for each number.
func product(sizes ...int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		at := make([]int, len(sizes))
		for yield(at) {
			i := 0
			for i < len(at) && at[i]+1 == sizes[i] {
				at[i] = 0
				i++
			}
			if i == len(at) {
				return
			}
			at[i]++
		}
	}
}

// otherThan is an origin that is ours under another name than that of the request.
func otherThan(own, port string) string {
	if other := "http://127.0.0.1:" + port; other != own {
		return other
	}
	return "http://[::1]:" + port
}
