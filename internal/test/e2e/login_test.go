package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"parley/internal/test/rig"
	"parley/pkg/gateway/admin"
)

// page is a browser as the gateway sees one: cookies, and the headers of its own page.
type page struct {
	w      *world
	base   string
	client *http.Client
}

func (w *world) browser(addr string) *page {
	w.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &page{w, "http://" + addr, &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}}
}

// pageAnswer is one whose body the end of the test closes.
type pageAnswer struct {
	status int
	body   io.Reader
}

func (p *page) do(method, path, body string) pageAnswer {
	p.w.t.Helper()
	req, err := http.NewRequestWithContext(p.w.ctx, method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		req.Header.Set("Origin", p.base)
	} else {
		req.Body = http.NoBody
		req.ContentLength = 0
	}
	resp, err := p.client.Do(req)
	if err != nil {
		p.w.t.Fatal(err)
	}
	p.w.t.Cleanup(func() { _ = resp.Body.Close() })
	return pageAnswer{resp.StatusCode, resp.Body}
}

func (p *page) json(method, path, body string) (status int, said map[string]any) {
	p.w.t.Helper()
	resp := p.do(method, path, body)
	_ = json.NewDecoder(resp.body).Decode(&said) // some have no body
	return resp.status, said
}

// link asks the running gateway for a link, as parley web open does in a terminal.
func (w *world) link() string {
	w.t.Helper()
	var r admin.LinkReport
	err := admin.Ask(w.ctx, w.gw.StorePath(), admin.OpenWeb(), admin.Request{}, func(raw json.RawMessage) error {
		return json.Unmarshal(raw, &r)
	}, func(context.Context, func(json.RawMessage) error) error { return errors.New("no gateway runs") })
	if err != nil {
		w.t.Fatal(err)
	}
	return r.URL
}

// TestLoginAndItsEnd: a link logs in the operator's browser, a code a person's; a session
// outlives a kill; it is no token, and ends with its streams when it is revoked or logged out.
func TestLoginAndItsEnd(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	w := prepare(t, echoes, rig.Config{HTTP: addr})
	w.start()
	t.Cleanup(func() { w.process.Kill() })
	w.isReady(addr)

	var exit *exec.ExitError
	out, err := w.gw.Command(w.ctx, nil, "web", "open").CombinedOutput()
	if !errors.As(err, &exit) || exit.ExitCode() != admin.CodeUsage || strings.Contains(string(out), "login=") {
		t.Errorf("a link for a pipe: %v, %s", err, out)
	}
	link := w.link()
	base, code, ok := strings.Cut(link, "/#login=")
	if !ok || base != "http://"+addr {
		t.Fatalf("the link is %s", link)
	}
	operator, ada := w.browser(addr), w.browser(addr)
	if status, _ := operator.json("GET", "/page/me", ""); status != http.StatusUnauthorized {
		t.Errorf("before the login: %d", status)
	}
	operator.json("POST", "/login/link", `{"code":"`+code+`"}`)
	if status, me := operator.json("GET", "/page/me", ""); status != http.StatusOK || me["person"] != "web:operator" ||
		me["level"] != "write" {
		t.Errorf("the operator: %d %v", status, me)
	}

	_, asked := ada.json("POST", "/login/ask", `{"name":"ada"}`)
	shown, _ := asked["code"].(string)
	if list := w.verb("pair", "list"); !strings.Contains(list, shown) || !strings.Contains(list, "web:ada") {
		t.Errorf("the list is %s", list)
	}
	w.verb("pair", "approve", shown)
	if _, said := ada.json("POST", "/login/wait", "{}"); said["state"] != "in" {
		t.Errorf("waiting: %v", said)
	}
	w.kill()
	w.start()
	w.isReady(addr)
	if status, me := ada.json("GET", "/page/me", ""); status != http.StatusOK || me["person"] != "web:ada" || me["level"] != "read" {
		t.Errorf("after a kill: %d %v", status, me)
	}
	for path, want := range map[string][2]int{
		"/page/models": {200, 200}, "/page/owner/status": {200, 404}, "/page/owner/approvals": {200, 404}, "/page/owner/audit": {200, 404},
		"/page/chats/main/work": {200, 200},
		"/page/owner/token":     {404, 404}, "/page/chats/main": {200, 200},
	} {
		own, _ := operator.json("GET", path, "")
		other, _ := ada.json("GET", path, "")
		if got := [2]int{own, other}; got != want {
			t.Errorf("%s: the operator and ada get %v, want %v", path, got, want)
		}
	}
	bob := w.browser(addr)
	_, asked = bob.json("POST", "/login/ask", `{"name":"bob"}`)
	shown, _ = asked["code"].(string)
	w.verb("pair", "approve", shown)
	w.verb("pair", "revoke", "web:bob")
	if _, said := bob.json("POST", "/login/wait", "{}"); said["state"] != "over" {
		t.Errorf("a browser that was let in, and revoked before it came: %v", said)
	}
	for name, end := range map[string]func(){
		"revoked":    func() { w.verb("pair", "revoke", "web:ada") },
		"logged out": func() { operator.json("POST", "/page/logout", "{}") },
	} {
		of := map[string]*page{"revoked": ada, "logged out": operator}[name]
		stream := bufio.NewReader(of.do("GET", "/page/chats/main/events", "").body)
		if _, err := stream.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		end()
		began := time.Now()
		for err == nil {
			_, err = stream.ReadString('\n')
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s: the stream ended after %v", name, took)
		}
		if status, _ := of.json("GET", "/page/me", ""); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, status)
		}
	}
	_, unused, _ := strings.Cut(w.link(), "/#login=")
	w.verb("pair", "revoke", "web:operator")
	if status, _ := w.browser(addr).json("POST", "/login/link", `{"code":"`+unused+`"}`); status != http.StatusForbidden {
		t.Errorf("a link of before the revocation: %d", status)
	}
	log, err := os.ReadFile(w.gw.LogPath())
	if err != nil || strings.Contains(string(log), code) || strings.Contains(string(log), shown) {
		t.Errorf("the log has a code, or cannot be read: %v", err)
	}
}
