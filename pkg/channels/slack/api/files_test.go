package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/pkg/channels/slack/api"
)

// answering is a client of a server that answers with h, and the server's address.
func answering(t *testing.T, h http.HandlerFunc, proxy string) (c *api.Client, base string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	c, err := api.New(api.Options{BotToken: func() string { return "xoxb-canary-of-the-bot" }, URL: srv.URL + "/api/", Proxy: proxy})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, srv.URL
}

// download gives the content of a file.
func download(t *testing.T, c *api.Client, address string) (string, error) {
	t.Helper()
	body, err := c.Download(t.Context(), address, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = body.Close() }()
	content, err := io.ReadAll(body)
	return string(content), err
}

// TestFilesComeFromSlackAlone: the token goes to no other host.
func TestFilesComeFromSlackAlone(t *testing.T) {
	t.Parallel()
	var asked []string
	pages := func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.Host)
		switch r.URL.Path {
		case "/page.txt":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>Sign in</html>")
		case "/moved.txt":
			http.Redirect(w, r, "/file.txt", http.StatusFound)
		case "/page.html":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>")
		default:
			fmt.Fprint(w, r.Header.Get("Authorization"))
		}
	}
	c, base := answering(t, pages, "")
	// Whatever it asks goes through a proxy that counts it.
	proxy := httptest.NewServer(http.HandlerFunc(pages))
	defer proxy.Close()
	proxied, _ := answering(t, pages, proxy.URL)
	for _, address := range []string{
		"https://example.org/f", "http://files.slack.com/f", "https://notslack.com/f", "https://slack.com.example.org/f",
		"ftp://slack.com/f", "https://user@slack.com/f", "file:///etc/hosts", "", "://",
	} {
		if _, err := download(t, proxied, address); err == nil {
			t.Errorf("%q was asked", address)
		}
		if err := proxied.Upload(t.Context(), address, strings.NewReader("x"), 1); err == nil {
			t.Errorf("%q was given a file", address)
		}
	}
	if len(asked) != 0 {
		t.Errorf("it asked %q", asked)
	}
	if _, err := download(t, proxied, "https://files.slack.com/f"); err == nil || len(asked) != 1 {
		t.Errorf("a host of Slack's: %v, asked %q", err, asked)
	}
	for path, ok := range map[string]bool{"/file.txt": true, "/page.html": true, "/page.txt": false, "/moved.txt": false} {
		if content, err := download(t, c, base+path); (err == nil) != ok || path == "/file.txt" && content != "Bearer xoxb-canary-of-the-bot" {
			t.Errorf("%s: %q, %v", path, content, err)
		}
	}
}
