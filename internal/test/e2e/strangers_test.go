package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
)

// withheld opens n connections to the server of target that each announce a body of
// size bytes, unsigned, and do not send it. It returns once the server has closed all
// but kept of them.
func withheld(t *testing.T, target string, n, kept, size int) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	var all []net.Conn
	for range n {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, err = fmt.Fprintf(conn,
			"POST %s HTTP/1.1\r\nHost: h\r\nX-Slack-Signature: v0=0\r\nX-Slack-Request-Timestamp: %d\r\nContent-Length: %d\r\n\r\n{",
			u.Path, time.Now().Unix(), size)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, conn)
	}
	for _, conn := range all[:n-kept] {
		_, _ = io.Copy(io.Discard, conn) // until it is closed
	}
}

// TestSlackIsHeardBesideWithheldBodies has strangers announce bodies, small and large,
// that never come, on more connections than the gateway keeps. Each call that Slack
// signed is answered with 200 at its first attempt.
func TestSlackIsHeardBesideWithheldBodies(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	w, target := newPushed(t, srv, echoes)
	said := chat.Say("hello")
	w.hears(chat, "hello")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for size, kept := range map[int]int{1000: 256, 1 << 20: 16} {
		withheld(t, target, 300, kept, size)
		for i := range 48 {
			body := said.Raw
			if size > 1000 { // white space at the end makes Slack's call as large
				body = append(bytes.Clone(body), bytes.Repeat([]byte(" "), 100_000)...)
			}
			req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, target, bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			srv.Sign(req.Header, body, time.Now())
			resp, err := client.Do(req)
			if err != nil {
				t.Fatalf("call %d beside bodies of %d: %v", i, size, err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("call %d beside bodies of %d: status %d", i, size, resp.StatusCode)
			}
		}
	}
	chat.Say("and on")
	w.hears(chat, "hello", "and on")
}
