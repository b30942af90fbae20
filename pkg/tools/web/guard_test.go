package web_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"parley/pkg/tools/web"
)

// nameServer is a real name server on this machine.
type nameServer struct {
	resolver *net.Resolver
	// questions counts the questions for IPv4 addresses.
	questions atomic.Int64
}

// resolverThat answers every question for IPv4 addresses with the function's result.
func resolverThat(tb testing.TB, answer func(name string) []string) *nameServer {
	tb.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	n := &nameServer{resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			size, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := n.reply(buf[:size], answer); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	tb.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return n
}

func (n *nameServer) reply(question []byte, answer func(string) []string) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		n.questions.Add(1)
		for _, ip := range answer(q.Name.String()) {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(ip).As4()},
			})
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}

// TestNamesThatLeadInside has names with addresses that are not public.
func TestNamesThatLeadInside(t *testing.T) {
	t.Parallel()
	canary := serve(t, "127.0.0.1", 0, page("text/plain", "CANARY"))
	for _, ips := range [][]string{
		{"127.0.0.1"},
		{"10.0.0.1"},
		{"169.254.169.254"},
		{"0.0.0.0"},
		{"100.64.1.1"},
		{"192.168.1.1"},
		{"224.0.0.1"},
		{"198.18.0.1"},
		{"168.63.129.16"},
		{"127.0.0.3", "127.0.0.1"},
		{"127.0.0.2", "127.0.0.1"},
	} {
		t.Run(strings.Join(ips, " and "), func(t *testing.T) {
			t.Parallel()
			o := canary.reach(t) // 127.0.0.2, without a listener
			o.Resolver = resolverThat(t, func(string) []string { return ips }).resolver
			res := fetch(t, o, map[string]any{"url": fmt.Sprintf("http://inside.example:%d/", canary.port(t))})
			if kind, _ := failure(t, res); kind != "security_violation" {
				t.Errorf("%s", res.ForLLM)
			}
		})
	}
	t.Cleanup(func() {
		if n := canary.hits.Load(); n != 0 {
			t.Errorf("%d requests reached this machine", n)
		}
	})
}

// TestRebinding has a name that leads to one address and a moment later to another.
func TestRebinding(t *testing.T) {
	t.Parallel()
	canary := serve(t, "127.0.0.1", 0, page("text/plain", "CANARY"))
	port := int(canary.port(t))
	again := fmt.Sprintf("http://rebind.example:%d/again", port)
	open := serve(t, "127.0.0.2", port, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/go" {
			http.Redirect(w, r, again, http.StatusFound)
			return
		}
		page("text/plain", "open")(w, r)
	})
	for name, path := range map[string]string{"between two calls": "/", "at a redirect": "/go"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := open.reach(t)
			var asked atomic.Int64
			o.Resolver = resolverThat(t, func(string) []string {
				if asked.Add(1) == 1 {
					return []string{"127.0.0.2"}
				}
				return []string{"127.0.0.1"}
			}).resolver
			url := fmt.Sprintf("http://rebind.example:%d%s", port, path)
			first := fetch(t, o, map[string]any{"url": url})
			if path == "/" {
				if !strings.Contains(first.ForLLM, "open") {
					t.Fatalf("%s", first.ForLLM)
				}
				first = fetch(t, o, map[string]any{"url": url})
			}
			if kind, _ := failure(t, first); kind != "security_violation" {
				t.Errorf("%s", first.ForLLM)
			}
		})
	}
	t.Cleanup(func() {
		if n := canary.hits.Load(); n != 0 {
			t.Errorf("%d requests reached this machine", n)
		}
	})
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	canary := serve(t, "127.0.0.1", 0, page("text/plain", "CANARY"))
	s := serve(t, "127.0.0.2", 0, func(w http.ResponseWriter, r *http.Request) {
		var left int
		if r.Header.Get("Referer") != "" {
			t.Errorf("Referer %q", r.Header.Get("Referer"))
		}
		switch n, _ := fmt.Sscanf(r.URL.Path, "/chain/%d", &left); {
		case n == 1 && left > 0:
			http.Redirect(w, r, fmt.Sprintf("/chain/%d", left-1), http.StatusMovedPermanently)
		case n == 1:
			page("text/plain", "arrived")(w, r)
		default:
			w.Header().Set("Location", r.URL.Query().Get("to"))
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	})
	o := s.reach(t)
	o.Ports = append(o.Ports, canary.port(t))
	for to, want := range map[string]string{
		"/chain/0":                           "",
		"/chain/4":                           "",
		"/chain/5":                           "execution_failed",
		"/chain/99":                          "execution_failed",
		"":                                   "execution_failed",
		canary.URL:                           "security_violation",
		"//127.0.0.1/":                       "security_violation",
		"http://169.254.169.254/":            "security_violation",
		"http://localhost/":                  "security_violation",
		"http://2130706433/":                 "security_violation",
		"http://[::ffff:127.0.0.1]/":         "security_violation",
		"file:///etc/passwd":                 "security_violation",
		"javascript:alert(1)":                "security_violation",
		"http://u:p@127.0.0.2/":              "security_violation",
		"ftp://example.com/":                 "security_violation",
		"http://127.0.0.2:22/":               "security_violation",
		strings.Replace(s.URL, "//", "/", 1): "security_violation",
	} {
		t.Run(fmt.Sprintf("%.40q", to), func(t *testing.T) {
			t.Parallel()
			res := fetch(t, o, map[string]any{"url": s.URL + "/?to=" + strings.ReplaceAll(to, "&", "%26")})
			if kind, _ := failure(t, res); kind != want || want == "" && !strings.Contains(res.ForLLM, "arrived") {
				t.Errorf("%s, want %s", res.ForLLM, want)
			}
		})
	}
	t.Cleanup(func() {
		if n := canary.hits.Load(); n != 0 {
			t.Errorf("%d requests reached this machine", n)
		}
	})
}

// TestAllowPrivate shows that only the allowed addresses are reached.
func TestAllowPrivate(t *testing.T) {
	t.Parallel()
	s := serve(t, "127.0.0.1", 0, page("text/plain", "inside"))
	at := map[string]string{"wiki.internal.": "127.0.0.1", "other.internal.": "127.0.0.1", "meta.internal.": "169.254.169.254"}
	names := resolverThat(t, func(name string) []string { return []string{at[name]} })
	for name, c := range map[string]struct {
		host  string
		allow web.Options
		want  string
	}{
		"an address": {"127.0.0.1", web.Options{AllowPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}, ""},
		"another address": {
			"127.0.0.1",
			web.Options{AllowPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.5/32")}},
			"security_violation",
		},
		"a name":                  {"wiki.internal", web.Options{AllowHosts: []string{"wiki.internal"}}, ""},
		"another name":            {"other.internal", web.Options{AllowHosts: []string{"wiki.internal"}}, "security_violation"},
		"its address":             {"127.0.0.1", web.Options{AllowHosts: []string{"wiki.internal"}}, "security_violation"},
		"a name for the metadata": {"meta.internal", web.Options{AllowHosts: []string{"meta.internal"}}, "security_violation"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := c.allow
			o.Ports, o.Resolver, o.Timeout = []uint16{s.port(t)}, names.resolver, 20*time.Second
			res := fetch(t, o, map[string]any{"url": fmt.Sprintf("http://%s:%d/", c.host, s.port(t))})
			if kind, _ := failure(t, res); kind != c.want {
				t.Errorf("%s, want %s", res.ForLLM, c.want)
			}
		})
	}
}

// TestProxyOfTheEnvironment shows that no proxy variable leads requests elsewhere.
func TestProxyOfTheEnvironment(t *testing.T) { //nolint:paralleltest // it sets the environment
	proxy := serve(t, "127.0.0.1", 0, page("text/plain", "CANARY"))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	s := serve(t, "127.0.0.2", 0, page("text/plain", "direct"))
	o := s.reach(t)
	// Addresses of this machine are asked without a proxy anyway: only a name shows whether there is one.
	o.Resolver = resolverThat(t, func(string) []string { return []string{"127.0.0.2"} }).resolver
	res := fetch(t, o, map[string]any{"url": fmt.Sprintf("http://direct.example:%d/", s.port(t))})
	if !strings.Contains(res.ForLLM, "direct") || proxy.hits.Load() != 0 {
		t.Errorf("%d requests to the proxy, %s", proxy.hits.Load(), res.ForLLM)
	}
}
