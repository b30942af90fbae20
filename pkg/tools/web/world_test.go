package web_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/pkg/tools"
	"parley/pkg/tools/web"
)

// site is a server on this machine that counts its requests.
type site struct {
	*httptest.Server

	hits atomic.Int64
}

// serve starts a server at an address of this machine; port 0 is any.
func serve(tb testing.TB, ip string, port int, h http.HandlerFunc) *site {
	tb.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(ip, strconv.Itoa(port)))
	if err != nil {
		tb.Fatal(err)
	}
	s := &site{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hits.Add(1)
		h(w, r)
	}))
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	tb.Cleanup(s.Close)
	return s
}

func (s *site) port(tb testing.TB) uint16 {
	tb.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		tb.Fatal(err)
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		tb.Fatal(err)
	}
	return uint16(n)
}

// reach are options with which web_fetch reaches this one site.
func (s *site) reach(tb testing.TB) web.Options {
	tb.Helper()
	return web.Options{
		Timeout: 20 * time.Second, Ports: []uint16{s.port(tb)}, AllowPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")},
	}
}

// page serves one body of one type.
func page(media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		_, _ = w.Write([]byte(body))
	}
}

func registry(o web.Options) *tools.ToolRegistry {
	r := tools.NewToolRegistry()
	for _, t := range web.New(o) {
		r.Register(t)
	}
	return r
}

func fetch(tb testing.TB, o web.Options, args map[string]any) *tools.ToolResult {
	tb.Helper()
	return registry(o).Execute(tb.Context(), "web_fetch", args)
}

// failure is the type and the sentence of a failed call; empty for one that went well.
func failure(tb testing.TB, res *tools.ToolResult) (kind, message string) {
	tb.Helper()
	if !res.IsError {
		return "", ""
	}
	var e struct{ Type, Message string }
	if err := json.Unmarshal([]byte(res.ForLLM), &e); err != nil {
		tb.Fatalf("%v in %s", err, res.ForLLM)
	}
	if e.Message == "" || strings.Contains(e.Message, "\n") {
		tb.Errorf("not one sentence: %q", e.Message)
	}
	return e.Type, e.Message
}
