package wire_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels/wire"
)

// logged is a log that several goroutines write.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// believes is a handler that takes every whole request for the platform's; begun gets a
// value for each with complete headers.
func believes(begun chan<- struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		if r.ContentLength > 1000 {
			wire.Large(r)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		wire.Proven(r)
		fmt.Fprint(w, "read")
	})
}

// answers says whether a connection, on which a request is complete, gets status 200.
func answers(t *testing.T, conn net.Conn) bool {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil) //nolint:bodyclose // it is dropped below
	if err != nil {
		return false
	}
	defer wire.Drop(resp.Body)
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return false
	}
	return resp.StatusCode == http.StatusOK
}

// TestConnectionsAreBounded: of 300 silent ones 256 stay, the newest; a platform's idle
// connection stays too, and the log says it once.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	var log logged
	addr, stop := served(t, wire.Server{Handler: believes(make(chan struct{}, 10)), Log: zerolog.New(&log)})
	t.Cleanup(func() { _ = stop() }) // after all connections are closed
	const request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}"
	platform := dial(t, addr)
	fmt.Fprint(platform, request)
	if !answers(t, platform) {
		t.Fatal("the platform is not answered")
	}
	var silent []net.Conn
	for range 300 {
		silent = append(silent, dial(t, addr))
	}
	newest := silent[len(silent)-1]
	fmt.Fprint(newest, request)
	if !answers(t, newest) {
		t.Error("the newest connection is not answered")
	}
	for i, conn := range silent[:300-255] { // the platform has the place that is left
		if err := conn.SetReadDeadline(time.Now().Add(3 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
			t.Fatalf("connection %d is still open: %v", i, err)
		}
	}
	fmt.Fprint(platform, request)
	if !answers(t, platform) {
		t.Error("the platform's idle connection is gone")
	}
	if n := strings.Count(log.String(), "all places for connections are taken"); n != 1 {
		t.Errorf("the log says it %d times: %s", n, log.String())
	}
}

// TestTheGreediestClientGivesWay: one call is slow, and then strangers withhold 300
// bodies. If a trusted proxy names the clients, the slow call stays; a client's own
// claim does not count.
func TestTheGreediestClientGivesWay(t *testing.T) {
	t.Parallel()
	here := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("fd00::/8")}
	for name, tc := range map[string]struct {
		trusted        []netip.Prefix
		slow, stranger string
		size           int
		stays          bool
	}{
		"a trusted proxy names the clients":    {trusted: here, slow: "192.0.2.1", stranger: "198.51.100.7", stays: true},
		"of two trusted proxies":               {trusted: here, slow: "192.0.2.1, fd00::2", stranger: "198.51.100.7, [fd00::2]:80", stays: true},
		"a client writes names before its own": {trusted: here, slow: "192.0.2.1", stranger: "2001:db8:%x::1, 198.51.100.7", stays: true},
		"a client has a network of IPv6":       {trusted: here, slow: "2001:db8::1", stranger: "2001:db8:0:1::%x", stays: true},
		"with large bodies":                    {trusted: here, slow: "192.0.2.1", stranger: "198.51.100.7", size: 100_000, stays: true},
		"no proxy is trusted":                  {slow: "192.0.2.1", stranger: "198.51.100.7"},
		"the proxy names nobody":               {trusted: here, slow: "unknown", stranger: "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := make(chan struct{}, 400)
			addr, stop := served(t, wire.Server{Handler: believes(begun), TrustedProxies: tc.trusted, Log: zerolog.Nop()})
			t.Cleanup(func() { _ = stop() }) // after all connections are closed
			size := max(tc.size, 10)
			head := func(who string) string {
				return fmt.Sprintf("POST / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: %s\r\nContent-Length: %d\r\n\r\n", who, size)
			}
			slow := dial(t, addr)
			fmt.Fprint(slow, head(tc.slow))
			<-begun
			for i := range 300 {
				who := tc.stranger
				if strings.Contains(who, "%x") {
					who = fmt.Sprintf(who, i+1)
				}
				fmt.Fprint(dial(t, addr), head(who))
				<-begun
			}
			fmt.Fprint(slow, strings.Repeat("x", size))
			if stays := answers(t, slow); stays != tc.stays {
				t.Errorf("the slow call is answered: %v", stays)
			}
		})
	}
}
