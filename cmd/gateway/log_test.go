package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestGosOwnLinesAreLogged: a server that answers more often than it was asked makes
// Go's HTTP client complain. Its line has the form of all others.
func TestGosOwnLinesAreLogged(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			go func() {
				in := bufio.NewReader(conn)
				for {
					req, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_ = req.Body.Close()
					const body = `{"ok":true,"result":{"id":77,"is_bot":true,"first_name":"B","username":"b_bot"}}`
					fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%snobody asked for this", len(body), body)
				}
			}()
		}
	}()
	w := newWorld(t, "")
	w.env = []string{"TOKEN=77:canary-canary-canary"}
	text := fmt.Sprintf(`state_dir: state
log: {format: json}
models: {main: {provider: offline}}
channels: {telegram: {enabled: true, token: env:TOKEN, api_url: "http://%s"}}
`, l.Addr())
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	g.errs.wait(t, "Unsolicited response")
	g.errs.wait(t, "\n")
	all := g.errs.String()
	for line := range strings.Lines(all[:strings.LastIndex(all, "\n")+1]) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is not JSON: %q", line)
		}
	}
}
