package fakeslack_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{Limits: fakeslack.Limits{Posts: 1, Burst: 2}})
	w.say(w.hub, "1")
	w.say(w.hub, "2")
	r := w.say(w.hub, "3")
	if r.Status != http.StatusTooManyRequests || r.Error != "ratelimited" || r.RetryAfter != "1" {
		t.Errorf("got %+v", r)
	}
	if r := w.say(w.dm, "elsewhere"); !r.OK {
		t.Errorf("got %+v", r)
	}
}

func TestTooEarlyIsAViolation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Chat: w.hub.ID(), Times: 1, Fault: fakeslack.RateLimited(30)})
	if r := w.say(w.hub, "x"); r.Status != http.StatusTooManyRequests || r.RetryAfter != "30" {
		t.Errorf("got %+v", r)
	}
	timer := time.NewTimer(300 * time.Millisecond)
	<-timer.C
	w.say(w.dm, "another channel")
	if v := w.srv.Violations(); len(v) != 0 {
		t.Errorf("violations %q", v)
	}
	w.say(w.hub, "too early")
	if v := w.srv.Violations(); len(v) != 1 || !w.srv.Requests("chat.postMessage")[2].Early {
		t.Errorf("violations %q", v)
	}
	w.srv.ForgetViolations()
}

// TestFaults checks the answer and the effect under each fault.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  fakeslack.Fault
		want   func(reply, error) bool
		effect int
	}{
		"none":          {fakeslack.Fault{}, func(r reply, err error) bool { return err == nil && r.OK }, 1},
		"dropped":       {fakeslack.Fault{DropBefore: true}, func(_ reply, err error) bool { return err != nil }, 0},
		"dropped after": {fakeslack.Fault{DropAfter: true}, func(_ reply, err error) bool { return err != nil }, 1},
		"cut":           {fakeslack.Fault{Cut: 5}, func(_ reply, err error) bool { return err != nil }, 1},
		"slow":          {fakeslack.Fault{Delay: time.Millisecond, Hold: time.Millisecond}, func(r reply, _ error) bool { return r.OK }, 1},
		"HTML":          {fakeslack.BadGateway(), func(r reply, err error) bool { return err != nil && r.Status == 502 }, 0},
		"500":           {fakeslack.InternalError(), func(r reply, _ error) bool { return r.Status == 500 && r.Error == "internal_error" }, 0},
		"by name": {
			fakeslack.Refusal("account_inactive"),
			func(r reply, _ error) bool { return r.Status == 200 && r.Error == "account_inactive" }, 0,
		},
		"429": {fakeslack.RateLimited(7), func(r reply, _ error) bool { return r.Status == 429 && r.RetryAfter == "7" }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Fault: c.fault})
			if r, err := w.try(t.Context(), "chat.postMessage", map[string]string{"channel": w.dm.ID(), "text": "x"}); !c.want(r, err) {
				t.Errorf("answer %+v and error %v", r, err)
			}
			if n := len(w.dm.Messages()); n != c.effect {
				t.Errorf("%d messages, want %d", n, c.effect)
			}
			if got := w.srv.Requests("chat.postMessage"); len(got) != 1 || !got[0].Faulty {
				t.Errorf("ledger %+v", got)
			}
		})
	}
}

func TestHalfOpenRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	heal := w.srv.Harm(fakeslack.Rule{Skip: 1, Times: 1, Fault: fakeslack.Fault{HalfOpen: true}})
	w.say(w.dm, "1")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := w.try(ctx, "auth.test", nil)
		done <- err
	}()
	if _, err := w.srv.AwaitRequests(soon(t), "auth.test", 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("it was answered")
	}
	heal()
	if n := w.srv.Count(""); n != 2 {
		t.Errorf("%d requests", n)
	}
}
