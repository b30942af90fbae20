package telegram_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/fakehttp"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

// clockwork is a server of one bot on fake time: getUpdates is the test's and the
// rest is as it should be.
type clockwork struct {
	mu    sync.Mutex
	polls []time.Time
	store *inboxtest.Inbox
	ch    *telegram.Channel
	// refusal is the status of getMe; 0 is the bot.
	refusal atomic.Int64
}

// getMe makes getMe answer with a status from now on; 0 is the bot.
func (c *clockwork) getMe(code int) { c.refusal.Store(int64(code)) }

const clockToken = "123456:clock-token"

// underFakeTime runs a channel in a bubble while test looks on; poll answers the
// n-th poll, counted from 1.
func underFakeTime(t *testing.T, poll func(n int, w http.ResponseWriter, r *http.Request), test func(t *testing.T, c *clockwork)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &clockwork{store: inboxtest.New()}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm() // all of it read, the server sees it when the client leaves
			switch r.URL.Path {
			case "/bot" + clockToken + "/getUpdates":
			case "/bot" + clockToken + "/getMe":
				if code := int(c.refusal.Load()); code != 0 {
					refuse(w, code, http.StatusText(code), 0)
					return
				}
				fallthrough
			default:
				fmt.Fprint(w, `{"ok":true,"result":{"id":123456,"username":"parley_bot"}}`)
				return
			}
			c.mu.Lock()
			c.polls = append(c.polls, time.Now())
			n := len(c.polls)
			c.mu.Unlock()
			poll(n, w, r)
		})}
		l := fakehttp.NewPipes()
		served := make(chan error, 1)
		go func() { served <- server.Serve(l) }()
		o := telegram.Options{Token: func() string { return clockToken }, APIURL: "http://bot.test"}
		telegram.DialWith(&o, l.Dial)
		ch, err := telegram.New(o)
		if err != nil {
			t.Fatal(err)
		}
		c.ch = ch
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- ch.Run(ctx, channels.NewIngress(c.store, inboxtest.Everyone{}, zerolog.Nop())) }()
		test(t, c)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		server.Close()
		<-served
	})
}

// after lets time pass.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (c *clockwork) pollTimes() []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Time(nil), c.polls...)
}

// gaps are the times between polls.
func (c *clockwork) gaps() []time.Duration {
	var all []time.Duration
	times := c.pollTimes()
	for i := 1; i < len(times); i++ {
		all = append(all, times[i].Sub(times[i-1]))
	}
	return all
}

// hold is a poll without news.
func hold(w http.ResponseWriter, r *http.Request) {
	secs, err := strconv.Atoi(r.PostFormValue("timeout"))
	if err != nil {
		secs = 0
	}
	select {
	case <-time.After(time.Duration(secs) * time.Second):
		fmt.Fprint(w, `{"ok":true,"result":[]}`)
	case <-r.Context().Done():
	}
}

func refuse(w http.ResponseWriter, code int, description string, retryAfter int) {
	w.WriteHeader(code)
	answer := map[string]any{"ok": false, "error_code": code, "description": description}
	if retryAfter > 0 {
		answer["parameters"] = map[string]int{"retry_after": retryAfter}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func TestConflictForTenMinutes(t *testing.T) {
	t.Parallel()
	var start time.Time
	underFakeTime(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if start.IsZero() {
			start = time.Now()
		}
		if time.Since(start) < 10*time.Minute {
			refuse(w, 409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running", 0)
			return
		}
		hold(w, r)
	}, func(t *testing.T, c *clockwork) {
		t.Helper()
		after(9 * time.Minute)
		if h := c.ch.Health(); h.State != channels.HealthDegraded || h.Reason == "" {
			t.Errorf("health %+v", h)
		}
		for i, gap := range c.gaps() {
			if gap < 5*time.Second || gap > 76*time.Second {
				t.Errorf("%s between polls %d and %d", gap, i+1, i+2)
			}
		}
		after(3 * time.Minute)
		if h := c.ch.Health(); h.State != channels.HealthOK || h.Reason != "" {
			t.Errorf("health afterwards: %+v", h)
		}
	})
}

func TestHalfOpenPollIsFound(t *testing.T) {
	t.Parallel()
	underFakeTime(t, func(n int, w http.ResponseWriter, r *http.Request) {
		switch n {
		case 1: // no byte, no end
			<-r.Context().Done()
		case 2:
			fmt.Fprintf(w, `{"ok":true,"result":[{"update_id":5,"message":{"message_id":9,"date":1,%s,"text":"hello"}}]}`, private)
		default:
			hold(w, r)
		}
	}, func(t *testing.T, c *clockwork) {
		t.Helper()
		after(39 * time.Second)
		if n := len(c.pollTimes()); n != 1 {
			t.Fatalf("%d polls before the first can be called dead", n)
		}
		after(5 * time.Second)
		if items := c.store.All(); len(items) != 1 {
			t.Errorf("%d items %s after the start", len(items), 44*time.Second)
		}
		if h := c.ch.Health(); h.State != channels.HealthOK {
			t.Errorf("health %+v", h)
		}
	})
}

// TestALoneRefusalOfAPoll: one poll is refused while the token is good. The next one
// takes place after a second, and no report calls the token refused.
func TestALoneRefusalOfAPoll(t *testing.T) {
	t.Parallel()
	for _, code := range []int{401, 404} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			t.Parallel()
			underFakeTime(t, func(n int, w http.ResponseWriter, r *http.Request) {
				switch {
				case n == 1, n > 2 && n < 6:
					refuse(w, code, http.StatusText(code), 0)
				case n == 2:
					fmt.Fprintf(w, `{"ok":true,"result":[{"update_id":5,"message":{"message_id":9,"date":1,%s,"text":"hello"}}]}`, private)
				default:
					hold(w, r)
				}
			}, func(t *testing.T, c *clockwork) {
				t.Helper()
				after(2 * time.Second)
				if items := c.store.All(); len(items) != 1 {
					t.Errorf("%d items two seconds after the start", len(items))
				}
				after(4 * time.Second)
				if h := c.ch.Health(); h.State != channels.HealthDegraded || strings.Contains(h.Reason, "token") {
					t.Errorf("health %+v", h)
				}
				after(time.Minute)
				if h := c.ch.Health(); h.State != channels.HealthOK {
					t.Errorf("health afterwards: %+v", h)
				}
			})
		})
	}
}

func TestRevokedTokenIsTriedSeldom(t *testing.T) {
	t.Parallel()
	for _, code := range []int{401, 404} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			t.Parallel()
			underFakeTime(t, func(n int, w http.ResponseWriter, r *http.Request) {
				if n <= 12 {
					refuse(w, code, http.StatusText(code), 0)
					return
				}
				hold(w, r)
			}, func(t *testing.T, c *clockwork) {
				t.Helper()
				c.getMe(code)
				after(time.Second / 2)
				if h := c.ch.Health(); h.State != channels.HealthAuth || !strings.Contains(h.Reason, "@BotFather") {
					t.Errorf("health %+v", h)
				}
				after(30 * time.Minute)
				if n := len(c.pollTimes()); n < 8 || n > 12 {
					t.Errorf("%d polls in half an hour", n)
				}
				for i, gap := range c.gaps() {
					if want := []time.Duration{1, 5, 30, 60, 120}; i < len(want) && (gap < want[i]*time.Second || gap > want[i]*time.Second*3/2) {
						t.Errorf("pause %d is %s", i, gap)
					}
				}
				c.getMe(0)
				after(60 * time.Minute)
				if h := c.ch.Health(); h.State != channels.HealthOK {
					t.Errorf("health afterwards: %+v", h)
				}
			})
		})
	}
}

func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	underFakeTime(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			refuse(w, 429, "Too Many Requests: retry after 37", 37)
			return
		}
		hold(w, r)
	}, func(t *testing.T, c *clockwork) {
		t.Helper()
		after(time.Minute)
		if gaps := c.gaps(); len(gaps) == 0 || gaps[0] < 37*time.Second || gaps[0] > 50*time.Second {
			t.Errorf("gaps %s", gaps)
		}
	})
}

func TestOutageOfTenMinutes(t *testing.T) {
	t.Parallel()
	underFakeTime(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html>502 Bad Gateway</html>")
	}, func(t *testing.T, c *clockwork) {
		t.Helper()
		after(10 * time.Minute)
		gaps := c.gaps()
		if len(gaps) < 15 || len(gaps) > 40 {
			t.Errorf("%d polls in ten minutes", len(gaps))
		}
		for _, gap := range gaps {
			if gap > 38*time.Second {
				t.Errorf("a pause of %s", gap)
			}
		}
	})
}

// TestNoTightLoop has servers that give the same for ever.
func TestNoTightLoop(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		batch string
		most  int
	}{
		"an update that stays":     {`[{"update_id":5,"message":{"message_id":9,"date":1,` + private + `,"text":"hello"}}]`, 70},
		"an update without an id":  {`[{"message":{"message_id":9,"date":1,` + private + `,"text":"hello"}}]`, 70},
		"an update that is none":   {`[17]`, 70},
		"ids that are not numbers": {`[{"update_id":"5"},{"update_id":null}]`, 70},
		"no updates, at once":      {`[]`, 610},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underFakeTime(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(w, `{"ok":true,"result":%s}`, c.batch)
			}, func(t *testing.T, w *clockwork) {
				t.Helper()
				after(time.Minute)
				if n := len(w.pollTimes()); n > c.most {
					t.Errorf("%d polls in a minute", n)
				}
			})
		})
	}
}
