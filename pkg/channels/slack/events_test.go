package slack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakehttp"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// called is a bench that takes events in over HTTP.
type called struct {
	*bench

	url string
}

func newCalled(t *testing.T, change func(b *bench)) *called {
	t.Helper()
	addr, err := fakehttp.FreeAddr(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &called{url: "http://" + addr + "/slack/events"}
	c.bench = newBench(t, func(o *slack.Options, b *bench) {
		o.Events = &slack.Events{Listen: addr, SigningSecret: b.srv.SigningSecret}
		o.AppToken = nil
		if change != nil {
			change(b)
		}
	})
	for {
		conn, err := (&net.Dialer{}).DialContext(inboxtest.Limited(t), "tcp", addr)
		if err == nil {
			_ = conn.Close()
			return c
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

// call posts a body; sign may spoil the signs that it is Slack's.
func (c *called) call(t *testing.T, body io.Reader, header http.Header) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(inboxtest.Limited(t), http.MethodPost, c.url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// header is that of a call which was signed at a time.
func (c *called) header(body string, at time.Time) http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	c.srv.Sign(h, []byte(body), at)
	return h
}

const dmEvent = `{"type":"event_callback","team_id":"T0PARLEY01","event":{"type":"message","channel":"D1","channel_type":"im","user":"U1","ts":"100.000200","text":"hello"}}`

// Everything that Slack sends over HTTP: events, presses, commands and the question
// whether it has reached the app.
func TestEventsOverHTTP(t *testing.T) {
	t.Parallel()
	c := newCalled(t, nil)
	if err := c.srv.Verify(inboxtest.Limited(t), c.url); err != nil {
		t.Error(err)
	}
	c.srv.PushTo(c.url)
	ann := c.srv.User("Ann")
	general := c.srv.Channel("general", ann)
	c.srv.DM(ann).Say("hello")
	c.store.Await(t, 1)
	general.Say(c.srv.Mention() + " and hello")
	c.store.Await(t, 2)
	general.Command("stop")
	got := c.store.Await(t, 3)
	c.acked(t)
	if all := inboxtest.Texts(got); !slices.Equal(all, []string{"hello", "and hello", "/stop"}) {
		t.Errorf("stored: %q", all)
	}
	form := "command=%2Fparley&text=help&user_id=U1&team_id=T0PARLEY01&channel_id=C1&trigger_id=9.9.z"
	h := c.header(form, time.Now())
	h.Set("Content-Type", "application/x-www-form-urlencoded")
	if status, answer := c.call(t, strings.NewReader(form), h); status != http.StatusOK || answer != `{"response_type":"in_channel"}` {
		t.Errorf("a command is answered with %d %s", status, answer)
	}
	press := "payload=" + `%7B%22type%22%3A%22block_actions%22%2C%22user%22%3A%7B%22id%22%3A%22U1%22%7D%2C%22channel%22%3A%7B%22id%22%3A%22C1%22%7D%2C` +
		`%22container%22%3A%7B%22message_ts%22%3A%225.0%22%7D%2C%22actions%22%3A%5B%7B%22action_id%22%3A%22a%22%2C%22value%22%3A%22v%22%2C%22action_ts%22%3A%227.5%22%7D%5D%7D`
	h = c.header(press, time.Now())
	h.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	if status, answer := c.call(t, strings.NewReader(press), h); status != http.StatusOK || answer != "" {
		t.Errorf("a press is answered with %d %s", status, answer)
	}
	if got := c.store.Await(t, 5)[4]; got.Kind != channels.KindButton || got.ID != "press/C1/7.5/a" {
		t.Errorf("the press is %+v", got)
	}
	c.keepsSecrets(t)
}

// Callers without proof that they are Slack are refused.
func TestCallsThatAreNotSlacks(t *testing.T) {
	t.Parallel()
	c := newCalled(t, nil)
	now := time.Now()
	for name, test := range map[string]struct {
		spoil func(h http.Header)
		body  string
		want  int
	}{
		"no signature":   {func(h http.Header) { h.Del("X-Slack-Signature") }, dmEvent, http.StatusUnauthorized},
		"two signatures": {func(h http.Header) { h.Add("X-Slack-Signature", h.Get("X-Slack-Signature")) }, dmEvent, http.StatusUnauthorized},
		"another signature": {
			func(h http.Header) { h.Set("X-Slack-Signature", "v0="+strings.Repeat("0", 64)) },
			dmEvent, http.StatusUnauthorized,
		},
		"an empty signature": {func(h http.Header) { h.Set("X-Slack-Signature", "") }, dmEvent, http.StatusUnauthorized},
		"another body":       {func(http.Header) {}, dmEvent + " ", http.StatusUnauthorized},
		"no time":            {func(h http.Header) { h.Del("X-Slack-Request-Timestamp") }, dmEvent, http.StatusUnauthorized},
		"two times":          {func(h http.Header) { h.Add("X-Slack-Request-Timestamp", "1") }, dmEvent, http.StatusUnauthorized},
		"no number": {
			func(h http.Header) { h.Set("X-Slack-Request-Timestamp", "+"+h.Get("X-Slack-Request-Timestamp")) },
			dmEvent, http.StatusUnauthorized,
		},
		"another time": {
			func(h http.Header) { h.Set("X-Slack-Request-Timestamp", fmt.Sprint(now.Unix()-1)) },
			dmEvent, http.StatusUnauthorized,
		},
		"an old call":    {func(h http.Header) { c.srv.Sign(h, []byte(dmEvent), now.Add(-301*time.Second)) }, dmEvent, http.StatusUnauthorized},
		"a call to come": {func(h http.Header) { c.srv.Sign(h, []byte(dmEvent), now.Add(310*time.Second)) }, dmEvent, http.StatusUnauthorized},
		"a challenge":    {func(h http.Header) { h.Set("X-Slack-Signature", "v0=0") }, `{"type":"url_verification","challenge":"x"}`, http.StatusUnauthorized},
	} {
		h := c.header(dmEvent, now)
		test.spoil(h)
		if status, answer := c.call(t, strings.NewReader(test.body), h); status != test.want || answer != "" {
			t.Errorf("%s: %d %q", name, status, answer)
		}
	}
	c.url = strings.TrimSuffix(c.url, "events") + "other"
	if status, _ := c.call(t, strings.NewReader(dmEvent), c.header(dmEvent, now)); status != http.StatusNotFound {
		t.Errorf("another path: %d", status)
	}
	if got := c.store.All(); len(got) != 0 {
		t.Errorf("stored: %+v", got)
	}
}

// A call that is repeated within its five minutes is acknowledged and is the same item;
// one that is almost too old or too new counts.
func TestReplaysAreTheSameItem(t *testing.T) {
	t.Parallel()
	c := newCalled(t, nil)
	for _, at := range []time.Duration{0, 0, -290 * time.Second, 290 * time.Second} {
		if status, _ := c.call(t, strings.NewReader(dmEvent), c.header(dmEvent, time.Now().Add(at))); status != http.StatusOK {
			t.Errorf("%v: %d", at, status)
		}
	}
	if got := c.store.All(); len(got) != 1 || c.store.Calls() != 4 {
		t.Errorf("%d items of %d calls", len(got), c.store.Calls())
	}
}

// A store that does not take an event is no 200: Slack calls again.
func TestACallThatIsNotStoredIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	c := newCalled(t, func(b *bench) {
		b.store.Before = func(context.Context, int, []channels.Inbound) error { return inboxtest.ErrFull }
	})
	if status, _ := c.call(t, strings.NewReader(dmEvent), c.header(dmEvent, time.Now())); status != http.StatusServiceUnavailable {
		t.Errorf("%d", status)
	}
	c.healthy(t, channels.HealthDegraded)
}

// Large and slow strangers get nowhere, and Slack gets through beside them.
func TestStrangersDoNotKeepSlackOut(t *testing.T) {
	t.Parallel()
	c := newCalled(t, nil)
	addr := strings.TrimSuffix(strings.TrimPrefix(c.url, "http://"), "/slack/events")
	head := "POST /slack/events HTTP/1.1\r\nHost: x\r\nX-Slack-Signature: v0=0\r\nX-Slack-Request-Timestamp: " +
		fmt.Sprint(time.Now().Unix()) + "\r\n"
	for range 100 {
		conn, err := (&net.Dialer{}).DialContext(inboxtest.Limited(t), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := io.WriteString(conn, head+"Content-Length: 1000\r\n\r\n{"); err != nil {
			t.Fatal(err)
		}
	}
	if status, _ := c.call(t, strings.NewReader(dmEvent), c.header(dmEvent, time.Now())); status != http.StatusOK {
		t.Errorf("beside the slow: %d", status)
	}
	closed := c.announce(t, addr, head+"Content-Length: 4000000\r\n\r\n{", 40)
	if status, _ := c.call(t, strings.NewReader(dmEvent), c.header(dmEvent, time.Now())); status != http.StatusOK {
		t.Errorf("beside the large: %d", status)
	}
	if n := closed(); n < 24 {
		t.Errorf("of 40 strangers with 4 MB each, %d gave way to the others", n)
	}
	conn, err := (&net.Dialer{}).DialContext(inboxtest.Limited(t), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, head+"Content-Length: 1000000000\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 64)
	n, err := conn.Read(answer)
	if err != nil || !strings.Contains(string(answer[:n]), " 413 ") {
		t.Errorf("a gigabyte is announced: %q, %v", answer[:n], err)
	}
	endless := io.MultiReader(bytes.NewReader(bytes.Repeat([]byte("x"), 5<<20)))
	if status, _ := c.call(t, endless, c.header(dmEvent, time.Now())); status != http.StatusRequestEntityTooLarge && status != 0 {
		t.Errorf("five megabytes: %d", status)
	}
	if got := c.store.All(); len(got) != 1 {
		t.Errorf("stored: %d", len(got))
	}
}

// announce begins n calls and does not send the rest. It returns a function that says
// how many were closed without an answer.
func (*called) announce(t *testing.T, addr, beginning string, n int) (closed func() int) {
	t.Helper()
	var open []net.Conn
	for range n {
		conn, err := (&net.Dialer{}).DialContext(inboxtest.Limited(t), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := io.WriteString(conn, beginning); err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	return func() (closed int) {
		for _, conn := range open {
			if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Read(make([]byte, 64)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
				closed++
			}
		}
		return closed
	}
}

// A signed call other than an event is kept and acknowledged: it would come for ever.
func TestSignedNonsenseIsKept(t *testing.T) {
	t.Parallel()
	c := newCalled(t, nil)
	for _, body := range []string{"", "no JSON", "[]", `{"type":"event_callback","event":{"type":"moon_phase"}}`} {
		if status, _ := c.call(t, strings.NewReader(body), c.header(body, time.Now())); status != http.StatusOK {
			t.Errorf("%q: %d", body, status)
		}
	}
	want := []string{"events_api moon_phase", "events_api unreadable", "events_api unreadable", "events_api unreadable"}
	if got := c.kept(); !slices.Equal(got, want) {
		t.Errorf("kept %q", got)
	}
}
