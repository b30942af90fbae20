package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// TestOnePortForProbesAndAWebhook: the gateway's server answers probes under any name, and
// Telegram's calls under its own, beside each other.
func TestOnePortForProbesAndAWebhook(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	addr := freeAddr(t)
	w := hookedAt(t, tg, echoes, addr, "/telegram/main", fmt.Sprintf("http: {listen: %q, public_url: \"https://bot.example.org\"}\n", addr))
	chat.Say("hello")
	w.reads(chat, "heard: hello")
	for _, tc := range []struct {
		method, path, host string
		status             int
	}{
		{"GET", "/healthz", "", 200},
		{"GET", "/healthz", "any.example", 200},
		{"GET", "/readyz", "10.0.0.1:80", 200},
		{"POST", "/healthz", "", 405},
		{"POST", "/telegram/main", "", 401},
		{"POST", "/telegram/main", "bot.example.org", 401},
		{"POST", "/telegram/main", "any.example", 421},
		{"GET", "/", "", 200},
		{"GET", "/", "any.example", 421},
		{"GET", "/unknown", "", 404},
	} {
		if status, body := get(t, tc.method, "http://"+addr+tc.path, tc.host); status != tc.status {
			t.Errorf("%s %s, Host %q: %d %s", tc.method, tc.path, tc.host, status, body)
		}
	}
}

// TestOnePortForProbesAndSlack: Slack's calls come in beside the probes, signed ones alone.
func TestOnePortForProbesAndSlack(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	addr := freeAddr(t)
	w, target := pushedAt(t, srv, echoes, rig.Config{HTTP: addr}, addr)
	chat.Say("hello")
	w.hears(chat, "hello")
	for host, want := range map[string]int{"": 401, "evil.example": 421} {
		if status, body := get(t, http.MethodPost, target, host); status != want {
			t.Errorf("an unsigned call, Host %q: %d %s", host, status, body)
		}
	}
	if status, body := get(t, http.MethodGet, "http://"+addr+"/readyz", "any.example"); status != http.StatusOK || body != "ok" {
		t.Errorf("readyz: %d %s", status, body)
	}
}

// get asks the gateway under a name; "" is its address.
func get(t *testing.T, method, url, host string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(text))
}
