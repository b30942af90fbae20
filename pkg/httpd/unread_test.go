package httpd_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/pkg/httpd"
)

// TestAnswersToUnreadBodies: a client that sends its whole body before it reads, and asks the
// server to close the connection, has its answer.
func TestAnswersToUnreadBodies(t *testing.T) {
	t.Parallel()
	reads := func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Text string }
		if f := httpd.Decode(r, &body); f != nil {
			httpd.Refuse(w, *f)
		}
	}
	w := newWorld(t, func(s *httpd.Server) {
		s.Handle(httpd.Route{Pattern: "POST /json", Access: httpd.AccessProgram, Handler: http.HandlerFunc(reads)})
	})
	const size = 24 << 20
	token := "Authorization: Bearer " + goodToken
	kind := "Content-Type: application/json"
	for name, tc := range map[string]struct {
		line, headers string
		chunked       bool
		status        int
	}{
		"a length that is too large": {"POST /json HTTP/1.1", token + "\r\n" + kind, false, http.StatusRequestEntityTooLarge},
		"chunks that are too many":   {"POST /json HTTP/1.1", token + "\r\n" + kind, true, http.StatusRequestEntityTooLarge},
		"another kind":               {"POST /json HTTP/1.1", token, true, http.StatusUnsupportedMediaType},
		"no credential":              {"POST /json HTTP/1.1", kind, true, http.StatusUnauthorized},
		"no route":                   {"POST /nothing HTTP/1.1", kind, false, http.StatusNotFound},
		"an old client":              {"POST /json HTTP/1.0", token + "\r\n" + kind, false, http.StatusRequestEntityTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := w.dial()
			form, body := fmt.Sprintf("Content-Length: %d", size), strings.Repeat(" ", size)
			if tc.chunked {
				form, body = "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, body)
			}
			head := fmt.Sprintf("%s\r\nHost: %s\r\nConnection: close\r\n%s\r\n%s\r\n\r\n", tc.line, w.addr, tc.headers, form)
			if _, err := io.WriteString(conn, head+body); err != nil {
				t.Fatalf("the body cannot be sent: %v", err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			said, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != tc.status || !strings.Contains(string(said), `"message"`) {
				t.Errorf("%d %s, %v", resp.StatusCode, said, err)
			}
		})
	}
}

// TestAnUnreadBodyIsBounded: one without an end keeps its connection a moment only, and a client
// that waits for the word to go on is not waited for.
func TestAnUnreadBodyIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, allRoutes)
	for name, tc := range map[string]struct {
		headers string
		sends   bool
	}{
		"a body without an end":   {"Transfer-Encoding: chunked", true},
		"a body that never comes": {"Content-Length: 99", false},
		"a body that is withheld": {"Content-Length: 99\r\nExpect: 100-continue", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := w.dial()
			if _, err := fmt.Fprintf(conn, "POST /nothing HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n", w.addr, tc.headers); err != nil {
				t.Fatal(err)
			}
			if tc.sends {
				chunk := []byte("100000\r\n" + strings.Repeat(" ", 1<<20) + "\r\n")
				sent := 0
				for _, err := conn.Write(chunk); err == nil; _, err = conn.Write(chunk) {
					if sent += len(chunk); sent > 1<<30 {
						t.Fatal("it is read on and on")
					}
				}
				return
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if _, err := conn.Read(make([]byte, 1)); err == nil || resp.StatusCode != http.StatusNotFound {
				t.Errorf("%d, then %v", resp.StatusCode, err)
			}
		})
	}
}

// dial opens a connection that a test does not wait on for long.
func (w *world) dial() net.Conn {
	w.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(w.t.Context(), "tcp", w.addr)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(soon)); err != nil {
		w.t.Fatal(err)
	}
	return conn
}
