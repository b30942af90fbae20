package attach

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/channels"
	"parley/pkg/events"
)

// answers gives each request the next of some answers; where there is none, no gateway is there.
type answers struct {
	all   []answer
	asked []string // the keys of the requests
}

type answer struct {
	status int
	body   string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked = append(a.asked, r.Header.Get("Idempotency-Key"))
	if len(a.all) == 0 {
		return nil, errors.New("no gateway")
	}
	next := a.all[0]
	a.all = a.all[1:]
	return &http.Response{
		StatusCode: next.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(next.body)), Request: r,
	}, nil
}

const notNow = `{"error":{"code":"not_now","message":"the gateway is stopping"}}`

// TestAMessageIsSentAgainWithItsKey until the gateway takes it; a refusal ends it.
func TestAMessageIsSentAgainWithItsKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		way := &answers{all: []answer{{503, notNow}, {429, notNow}, {202, `{"message":`}, {202, `{"message":"m1"}`}}}
		c := &Client{http: &http.Client{Transport: way}}
		sent, err := c.say(t.Context(), "k", newMessage{Message: "hello"})
		if err != nil || sent.Message != "m1" || strings.Join(way.asked, " ") != "k k k k" {
			t.Errorf("%+v, %v, by the keys %q", sent, err, way.asked)
		}
		way.all = []answer{{413, `{"error":{"code":"too_large","message":"the body is too large"}}`}, {202, `{"message":"m2"}`}}
		if _, err := c.say(t.Context(), "k2", newMessage{Message: "hello"}); err == nil || err.Error() != "the body is too large" {
			t.Errorf("a refusal gives %v", err)
		}
	})
}

// TestPatience: a console behind a pipe waits 20 s for a gateway that is gone, a person as long as
// they like.
func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &Client{http: &http.Client{Transport: &answers{}}}
		begun := time.Now()
		if _, err := c.say(t.Context(), "k", newMessage{Message: "hello"}); err == nil || time.Since(begun).Round(2*lastPause) != patience {
			t.Errorf("behind a pipe it ends after %v with %v", time.Since(begun), err)
		}
		f := stream{
			client: c, over: func() bool { return false }, lost: func() {}, back: func() {},
			take: func(*event) error { return nil },
		}
		begun = time.Now()
		if err := f.follow(t.Context(), ""); err == nil || time.Since(begun).Round(2*lastPause) != patience {
			t.Errorf("behind a pipe the follower ends after %v with %v", time.Since(begun), err)
		}
		c.patient.Store(true)
		const long = 3 * time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), long)
		defer cancel()
		begun = time.Now()
		if _, err := c.say(ctx, "k", newMessage{Message: "hello"}); err == nil || time.Since(begun) != long {
			t.Errorf("a person's message ends after %v with %v", time.Since(begun), err)
		}
		if err := f.follow(ctx, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a person's follower ends with %v", err)
		}
	})
}

// TestATurnThatBeginsBeforeItsAnswer is known for one's own: the id comes behind.
func TestATurnThatBeginsBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaits()
		w.posts()
		go func() {
			<-time.After(time.Second)
			w.posted("m1")
		}()
		for message, want := range map[string]bool{"m1": true, "m2": false} {
			if own, err := w.begun(t.Context(), message); err != nil || own != want {
				t.Errorf("the turn of %s is one's own: %v, %v", message, own, err)
			}
		}
		w.over([]string{"m2"}, "error")
		if w.hasFailed() {
			t.Error("the failure of another console is one's own")
		}
		w.over([]string{"m0", "m1"}, "error")
		if !w.hasFailed() {
			t.Error("the failure of one's own is lost")
		}
	})
}

// TestASlowGatewayKnowsWhatWasSeen: a console behind a pipe leaves when the gateway knows which message was
// shown, also where that takes long. One that is stopped, and a person who leaves, wait two seconds, also where
// another message waits to be shown.
func TestASlowGatewayKnowsWhatWasSeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		alone   bool
		stopped time.Duration // from the beginning
		known   int
		took    time.Duration
	}{
		"a pipe":              {alone: true, known: 1, took: 5 * time.Second},
		"a pipe is stopped":   {alone: true, stopped: time.Second, took: 3 * time.Second},
		"a person":            {took: 2 * time.Second},
		"a person is stopped": {stopped: time.Second, took: 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				way := &slow{answers: answers{all: []answer{{429, notNow}, {200, "{}"}}}, takes: 5 * time.Second}
				s := New(Options{Client: &Client{http: &http.Client{Transport: way}}, View: blank{}, Alone: c.alone})
				begun := time.Now()
				ctx, stop := context.WithCancel(t.Context())
				if c.stopped > 0 {
					time.AfterFunc(c.stopped, stop)
				}
				s.saw(ctx, "m1")
				follows, halt := context.WithCancel(t.Context())
				followed := make(chan error, 1)
				if !c.alone {
					go func() { followed <- s.say(follows, &events.Message{ID: "m2", Text: "two"}) }()
					synctest.Wait()
					halt()
					if err := <-followed; !errors.Is(err, context.Canceled) {
						t.Errorf("the next message: %v", err)
					}
				}
				s.leave(ctx)
				took := time.Since(begun).Round(time.Second)
				halt()
				stop()
				<-time.After(time.Minute)
				synctest.Wait()
				if way.done != c.known || took != c.took {
					t.Errorf("the gateway knew of %d messages after %v, want %d after %v", way.done, took, c.known, c.took)
				}
			})
		})
	}
}

// blank is a screen that shows nothing.
type blank struct{ View }

func (blank) Send(context.Context, channels.Part) (channels.Receipt, error) {
	return channels.Receipt{}, nil
}

// slow has no place at first, and takes its time for the second answer.
type slow struct {
	answers

	takes time.Duration
	done  int
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(s.all) == 1 {
		select {
		case <-time.After(s.takes):
			s.done++
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		}
	}
	return s.answers.RoundTrip(r)
}
