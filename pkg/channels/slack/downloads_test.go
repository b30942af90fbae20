package slack_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

const signIn = "<!DOCTYPE html>\n<html><head><title>Sign in | Slack</title></head><body>Sign in to see this file</body></html>"

// TestDownloadsThatMisbehave: a file that differs from its description in files.info is
// none, with no half of it and no page in its place.
func TestDownloadsThatMisbehave(t *testing.T) {
	t.Parallel()
	const size = 1000
	whole := strings.Repeat("x", size)
	raw := func(w http.ResponseWriter, text string) { // and the connection ends
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
	page := func(kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, signIn)
		}
	}
	for name, tc := range map[string]struct {
		file   string
		answer http.HandlerFunc
		want   string // in the error; "" where the file comes
	}{
		"as it should": {"a.pdf", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, whole) }, ""},
		"another content type": {"a.pdf", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "x/;;")
			_, _ = io.WriteString(w, whole)
		}, ""},
		"more is announced": {"a.pdf", func(w http.ResponseWriter, _ *http.Request) {
			raw(w, "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n"+whole)
		}, "unexpected EOF"},
		"less is announced": {"a.pdf", func(w http.ResponseWriter, _ *http.Request) {
			raw(w, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"+whole)
		}, "ended after 10 of 1000 bytes"},
		"it ends early": {
			"a.pdf", func(w http.ResponseWriter, _ *http.Request) { raw(w, "HTTP/1.0 200 OK\r\n\r\n"+whole[:999]) },
			"ended after 999 of 1000 bytes",
		},
		"chunks that end early": {"a.pdf", func(w http.ResponseWriter, _ *http.Request) {
			raw(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nxxx\r\n0\r\n\r\n")
		}, "ended after 3 of 1000 bytes"},
		"chunks that break off": {"a.pdf", func(w http.ResponseWriter, _ *http.Request) {
			raw(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\nxxx")
		}, "unexpected EOF"},
		"nothing":                 {"a.pdf", func(http.ResponseWriter, *http.Request) {}, "ended after 0 of 1000 bytes"},
		"a page":                  {"a.pdf", page("text/html; charset=utf-8"), "files:read"},
		"a page, loudly":          {"a.pdf", page("TEXT/HTML"), "files:read"},
		"a page of another kind":  {"a.pdf", page("application/xhtml+xml"), "files:read"},
		"a page without its kind": {"a.pdf", page("application/octet-stream"), "files:read"},
		"a page for a page":       {"a.html", page("text/html"), "files:read"},
		"a part": {"a.pdf", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, whole)
		}, "files:read"},
		"refused": {"a.pdf", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "HTTP 403"},
		"a circle of redirects": {
			"a.pdf", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
			"files:read",
		},
		"a slow drip": {"a.pdf", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "x")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, "deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var api *httptest.Server
			api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/files/") {
					tc.answer(w, r)
					return
				}
				fmt.Fprintf(w, `{"ok":true,"file":{"id":"F1","mode":"hosted","size":%d,"url_private":"%s/files/%s"}}`, size, api.URL, tc.file)
			}))
			t.Cleanup(api.Close)
			token := func() string { return "xoxb-not-yours" }
			ch, err := slack.New(slack.Options{BotToken: token, AppToken: token, APIURL: api.URL + "/api/"}, me())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(ch.CloseIdle)
			ctx, wait := inboxtest.Limited(t), context.CancelFunc(func() {})
			if name == "a slow drip" {
				ctx, wait = context.WithTimeout(ctx, 200*time.Millisecond)
			}
			defer wait()
			content, err := ch.OpenAttachment(ctx, channels.Attachment{Ref: "F1"})
			var got []byte
			if err == nil {
				got, err = io.ReadAll(content)
				_ = content.Close()
			}
			if tc.want == "" && (err != nil || string(got) != whole) || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%d bytes and %v, want %q", len(got), err, tc.want)
			}
		})
	}
}
