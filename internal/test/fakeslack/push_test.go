package fakeslack_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakeslack"
)

// pushed is one request that a receiver got.
type pushed struct {
	kind, body, retry, reason string
	signed                    bool
}

// receive starts a receiver that answers with the status of its nth request (below 0:
// and wants no retry), and gives the requests.
func receive(t *testing.T, w *world, status func(n int) int) (string, <-chan pushed) {
	t.Helper()
	got := make(chan pushed, 100)
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		stamp := r.Header.Get("X-Slack-Request-Timestamp")
		mac := hmac.New(sha256.New, []byte(w.srv.SigningSecret()))
		fmt.Fprintf(mac, "v0:%s:%s", stamp, b)
		got <- pushed{
			kind: r.Header.Get("Content-Type"), body: string(b),
			retry: r.Header.Get("X-Slack-Retry-Num"), reason: r.Header.Get("X-Slack-Retry-Reason"),
			signed: r.Header.Get("X-Slack-Signature") == "v0="+hex.EncodeToString(mac.Sum(nil)),
		}
		n++
		code := status(n)
		if code < 0 {
			rw.Header().Set("X-Slack-No-Retry", "1")
			code = -code
		}
		rw.WriteHeader(code)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, got
}

func TestPush(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	target, got := receive(t, w, func(int) int { return 200 })
	w.srv.PushTo(target)
	for i := range 5 {
		e := w.dm.Say(fmt.Sprint(i))
		p := <-got
		if p.body != string(e.Raw) || p.kind != "application/json" || !p.signed || p.retry != "" {
			t.Errorf("got %+v", p)
		}
	}
	w.dm.Command("a b")
	p := <-got
	if form, err := url.ParseQuery(p.body); err != nil || form.Get("text") != "a b" || form.Get("command") != "/parley" || !p.signed {
		t.Errorf("got %+v", p)
	}
	w.dm.Shortcut("cb")
	p = <-got
	if form, err := url.ParseQuery(p.body); err != nil || !strings.Contains(form.Get("payload"), `"shortcut"`) {
		t.Errorf("got %+v", p)
	}
	if err := w.srv.AwaitAcked(soon(t)); err != nil {
		t.Fatal(err)
	}
}

func TestPushesComeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{PushRetries: []time.Duration{0, time.Millisecond, time.Millisecond}})
	answers := []int{500, 404, 200, 503, -500, 503, 503, 503, 503}
	target, got := receive(t, w, func(n int) int { return answers[n-1] })
	w.srv.PushTo(target)
	taken := w.dm.Say("x")
	var retries []string
	for range 3 {
		p := <-got
		retries = append(retries, p.retry+p.reason)
	}
	if diff := cmp.Diff([]string{"", "1http_error", "2http_error"}, retries); diff != "" {
		t.Error(diff)
	}
	if err := w.srv.Until(soon(t), func() bool { return w.srv.Acked(taken) }); err != nil {
		t.Fatal(err)
	}
	command := w.dm.Command("once")
	if err := w.srv.Until(soon(t), func() bool { return w.srv.Failed(command) }); err != nil {
		t.Fatal(err)
	}
	unwanted := w.dm.Say("no retry")
	if err := w.srv.Until(soon(t), func() bool { return w.srv.Failed(unwanted) }); err != nil {
		t.Fatal(err)
	}
	lost := w.dm.Say("four attempts")
	if err := w.srv.Until(soon(t), func() bool { return w.srv.Failed(lost) }); err != nil {
		t.Fatal(err)
	}
	if n := len(got); n != 2+4 {
		t.Errorf("%d more pushes", n)
	}
}

func TestPushToNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{PushRetries: []time.Duration{0, time.Millisecond}})
	w.srv.PushTo("http://127.0.0.1:1/")
	e := w.dm.Say("x")
	if err := w.srv.Until(soon(t), func() bool { return w.srv.Failed(e) }); err != nil {
		t.Fatal(err)
	}
}

func TestRetriesGoToTheNewestPlace(t *testing.T) {
	t.Parallel()
	retries := make([]time.Duration, 10_000)
	for i := range retries {
		retries[i] = time.Millisecond
	}
	w := newWorld(t, fakeslack.Options{PushRetries: retries})
	first, refused := receive(t, w, func(int) int { return 500 })
	second, taken := receive(t, w, func(int) int { return 200 })
	w.srv.PushTo(first)
	e := w.dm.Say("x")
	<-refused
	w.srv.PushTo(second)
	if p := <-taken; p.retry == "" || p.body != string(e.Raw) {
		t.Errorf("got %+v", p)
	}
	w.srv.PushTo(first)
	back := w.dm.Say("through sockets again")
	for (<-refused).body != string(back.Raw) { // the earlier ones are refusals of x
		continue
	}
	w.srv.PushTo("")
	if f := w.connect().next(); f.ID != back.Envelopes[0] || f.Attempt == 0 {
		t.Errorf("got %s", f.raw)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	echo := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(rw, dig(t, b, "challenge"))
	}))
	defer echo.Close()
	if err := w.srv.Verify(soon(t), echo.URL); err != nil {
		t.Error(err)
	}
	target, _ := receive(t, w, func(int) int { return 200 })
	if err := w.srv.Verify(soon(t), target); err == nil {
		t.Error("an empty answer is no challenge")
	}
}
