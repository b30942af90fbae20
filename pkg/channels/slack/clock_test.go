package slack_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/test/fakehttp"
	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// underFakeTime runs a channel in a bubble while test looks on.
func underFakeTime(t *testing.T, change func(*slack.Options, *bench), test func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pipes := fakehttp.NewPipes()
		b := &bench{
			srv: fakeslack.New(t, fakeslack.Options{Listener: pipes}), store: inboxtest.New(), log: &inboxtest.Log{},
		}
		opt := b.options()
		if change != nil {
			change(&opt, b)
		}
		slack.DialWith(&opt, pipes.Dial)
		ch, err := slack.New(opt, b.identity())
		if err != nil {
			t.Fatal(err)
		}
		b.run(t, ch, opt.Log)
		synctest.Wait()
		test(t, b)
		b.stop()
	})
}

// after lets time pass.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// opens are the times at which sockets were asked for.
func (b *bench) opens() []time.Time {
	var all []time.Time
	requests := b.srv.Requests("apps.connections.open")
	for n := range requests {
		all = append(all, requests[n].Time)
	}
	return all
}

// Where Slack says that sockets are switched off, or too many, it is not asked again
// for half a minute, the health names the cure, and the link recovers alone.
func TestALinkThatIsNotWantedIsNotHurried(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"link_disabled", "too_many_websockets"} {
		underFakeTime(t, nil, func(t *testing.T, b *bench) {
			t.Helper()
			after(time.Minute)
			if n := len(b.opens()); n != 1 || b.ch.Health().State != channels.HealthOK {
				t.Fatalf("%d sockets were asked for; %+v", n, b.ch.Health())
			}
			b.srv.Refuse(reason, 3)
			b.srv.Disconnect(reason)
			after(time.Second)
			if h := b.ch.Health(); h.State != channels.HealthDegraded || len(h.Reason) < 80 {
				t.Errorf("%s: the health is %+v", reason, h)
			}
			after(10 * time.Minute)
			at := b.opens()
			if len(at) != 5 {
				t.Fatalf("%s: asked %d times, want 5", reason, len(at))
			}
			if first := at[1].Sub(at[0]); first < time.Minute+30*time.Second || first > time.Minute+39*time.Second {
				t.Errorf("%s: asked again after %v, want 30 s after the minute", reason, first)
			}
			for n := 2; n < len(at); n++ {
				if gap := at[n].Sub(at[n-1]); gap < 30*time.Second {
					t.Errorf("%s: asked again after %v", reason, gap)
				}
			}
			if h := b.ch.Health(); h.State != channels.HealthOK {
				t.Errorf("%s: afterwards the health is %+v", reason, h)
			}
			b.srv.DM(b.srv.User("Ann")).Say("hello")
			after(time.Second)
			if got := inboxtest.Texts(b.store.All()); len(got) != 1 {
				t.Errorf("%s: stored: %q", reason, got)
			}
		})
	}
}

// A socket without further events is found, and another takes over.
func TestAHalfOpenSocketIsFound(t *testing.T) {
	t.Parallel()
	underFakeTime(t, nil, func(t *testing.T, b *bench) {
		t.Helper()
		after(5 * time.Minute) // pings keep a quiet socket alive
		if n := len(b.opens()); n != 1 {
			t.Fatalf("a quiet socket was replaced: %d", n)
		}
		b.srv.Silence()
		b.srv.DM(b.srv.User("Ann")).Say("hello")
		after(45 * time.Second)
		if n := len(b.opens()); n != 2 {
			t.Errorf("%d sockets were asked for, want 2", n)
		}
		if got := inboxtest.Texts(b.store.All()); len(got) != 1 {
			t.Errorf("stored: %q", got)
		}
	})
}

// Failures to open make pauses that grow; Slack's own wish is obeyed, and a token
// that is refused is shown at most once a minute.
func TestOpeningASocketIsNeverATightLoop(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]*struct {
		fault fakeslack.Fault
		most  int // in ten minutes
		first time.Duration
		state channels.HealthState
	}{
		"down":          {fakeslack.InternalError(), 26, time.Second, channels.HealthDegraded},
		"rate limited":  {fakeslack.RateLimited(37), 17, 37 * time.Second, channels.HealthDegraded},
		"token refused": {fakeslack.Refusal("invalid_auth"), 11, time.Second, channels.HealthAuth},
	} {
		underFakeTime(t, func(_ *slack.Options, b *bench) {
			b.srv.Harm(fakeslack.Rule{Method: "apps.connections.open", Fault: test.fault})
		}, func(t *testing.T, b *bench) {
			t.Helper()
			after(10 * time.Minute)
			at := b.opens()
			if len(at) > test.most || len(at) < 5 {
				t.Errorf("%s: asked %d times in ten minutes, at most %d are right", name, len(at), test.most)
			}
			if gap := at[1].Sub(at[0]); gap < test.first {
				t.Errorf("%s: asked again after %v", name, gap)
			}
			if h := b.ch.Health(); h.State != test.state {
				t.Errorf("%s: the health is %+v", name, h)
			}
			b.keepsSecrets(t)
		})
	}
}

// One refusal of the app token is a fault of Slack's until a second one says the same:
// the next socket is asked for after a second.
func TestALoneRefusalOfASocket(t *testing.T) {
	t.Parallel()
	underFakeTime(t, func(_ *slack.Options, b *bench) {
		b.srv.Harm(fakeslack.Rule{Method: "apps.connections.open", Fault: fakeslack.Refusal("invalid_auth"), Times: 1})
		b.srv.Harm(fakeslack.Rule{Method: "auth.test", Fault: fakeslack.Refusal("invalid_auth"), Times: 1})
	}, func(t *testing.T, b *bench) {
		t.Helper()
		if h := b.ch.Health(); h.State != channels.HealthDegraded {
			t.Errorf("the health is %+v", h)
		}
		after(3 * time.Second)
		if h := b.ch.Health(); h.State != channels.HealthOK {
			t.Errorf("afterwards the health is %+v", h)
		}
		b.srv.DM(b.srv.User("Ann")).Say("hello")
		after(time.Second)
		if got := inboxtest.Texts(b.store.All()); len(got) != 1 {
			t.Errorf("stored: %q", got)
		}
		if strings.Contains(b.log.String(), "token is refused") {
			t.Errorf("the log says that a token is refused: %s", b.log)
		}
	})
}

// A server that ends every socket as soon as it is open is not hurried either.
func TestSocketsThatEndAtOnceAreNotATightLoop(t *testing.T) {
	t.Parallel()
	for _, end := range []func(b *bench){
		func(b *bench) { b.srv.Cut() },
		func(b *bench) { b.srv.Disconnect("warning") },
		func(b *bench) { b.srv.Disconnect("refresh_requested") },
		func(b *bench) { b.srv.Disconnect("who_knows") },
	} {
		underFakeTime(t, nil, func(t *testing.T, b *bench) {
			t.Helper()
			for range 600 {
				if b.srv.Sockets() > 0 {
					end(b)
				}
				if n := b.srv.Sockets(); n > 6 {
					t.Fatalf("%d sockets are open at once", n)
				}
				after(time.Second)
			}
			if n := len(b.opens()); n > 40 {
				t.Errorf("%d sockets in ten minutes", n)
			}
		})
	}
}

// A store that refuses events is asked again, with pauses, and the event is
// acknowledged once it is stored; copies that come meanwhile are one item.
func TestWhatTheStoreRefusesIsStoredLater(t *testing.T) {
	t.Parallel()
	underFakeTime(t, func(_ *slack.Options, b *bench) {
		from := time.Now()
		b.store.Before = func(context.Context, int, []channels.Inbound) error {
			if time.Since(from) < 2*time.Minute {
				return inboxtest.ErrFull
			}
			return nil
		}
	}, func(t *testing.T, b *bench) {
		t.Helper()
		ann, ben := b.srv.DM(b.srv.User("Ann")), b.srv.DM(b.srv.User("Ben"))
		for _, text := range []string{"1", "2", "3"} {
			ann.Say(text)
		}
		after(time.Minute)
		ben.Say("4")
		if h := b.ch.Health(); h.State != channels.HealthDegraded {
			t.Errorf("the health is %+v", h)
		}
		if n := len(b.srv.Unacked()); n != 4 {
			t.Errorf("%d events wait for an acknowledgement, want 4", n)
		}
		after(2 * time.Minute)
		if got := inboxtest.Texts(b.store.All()); len(got) != 4 || got[0] != "1" || got[1] != "2" || got[2] != "3" {
			t.Errorf("stored: %q", got)
		}
		if h := b.ch.Health(); h.State != channels.HealthOK || len(b.srv.Unacked()) != 0 {
			t.Errorf("afterwards: %+v; not acknowledged: %v", h, b.srv.Unacked())
		}
		if b.store.Calls() > 600 {
			t.Errorf("the store was asked %d times", b.store.Calls())
		}
	})
}

// A chat with items that cannot be stored holds no other chat back, and stays in order.
func TestAChatThatCannotBeStoredHoldsNobody(t *testing.T) {
	t.Parallel()
	underFakeTime(t, func(_ *slack.Options, b *bench) {
		from := time.Now()
		b.store.Before = func(_ context.Context, _ int, items []channels.Inbound) error {
			for n := range items {
				if items[n].Text == "bad" && time.Since(from) < time.Minute {
					return inboxtest.ErrFull
				}
			}
			return nil
		}
	}, func(t *testing.T, b *bench) {
		t.Helper()
		ann, ben := b.srv.DM(b.srv.User("Ann")), b.srv.DM(b.srv.User("Ben"))
		ann.Say("bad")
		ann.Say("behind it")
		ben.Say("free")
		after(5 * time.Second)
		ben.Say("free too")
		ann.Say("later")
		after(5 * time.Second)
		if got := inboxtest.Texts(b.store.All()); len(got) != 2 || got[0] != "free" || got[1] != "free too" {
			t.Errorf("stored: %q", got)
		}
		after(2 * time.Minute)
		if got := inboxtest.Texts(b.store.All()); len(got) != 5 || got[2] != "bad" || got[3] != "behind it" || got[4] != "later" {
			t.Errorf("stored in the end: %q", got)
		}
		if n := len(b.srv.Unacked()); n != 0 {
			t.Errorf("%d events are not acknowledged", n)
		}
	})
}

// A reply in a thread that cannot be looked at is left out of the store and
// unacknowledged.
func TestARepliesThreadThatCannotBeLookedAt(t *testing.T) {
	t.Parallel()
	var failing atomic.Bool
	failing.Store(true)
	underFakeTime(t, func(opt *slack.Options, _ *bench) {
		opt.Alive = func(context.Context, channels.Address) (bool, error) {
			if failing.Load() {
				return false, errors.New("the store is closed")
			}
			return true, nil
		}
	}, func(t *testing.T, b *bench) {
		t.Helper()
		general := b.srv.Channel("general", b.srv.User("Ann"))
		asked := general.Say(b.srv.Mention() + " hello")
		reply := general.In(asked.TS).Say("and more")
		after(time.Minute)
		if got := inboxtest.Texts(b.store.All()); len(got) != 1 || b.srv.Acked(reply) {
			t.Errorf("stored: %q; acknowledged: %v", got, b.srv.Acked(reply))
		}
		failing.Store(false)
		after(time.Minute)
		got := b.store.All()
		if len(got) != 2 || !got[1].Mentioned || got[1].Address.Thread != asked.TS || !b.srv.Acked(reply) {
			t.Errorf("in the end: %+v", got)
		}
	})
}

// An event that comes again after six minutes, while its turn runs or has run, is the
// same item.
func TestARetryAfterSixMinutesIsTheSameItem(t *testing.T) {
	t.Parallel()
	underFakeTime(t, nil, func(t *testing.T, b *bench) {
		t.Helper()
		said := b.srv.DM(b.srv.User("Ann")).Say("hello")
		after(6 * time.Minute)
		b.srv.Send("events_api", said.Raw)
		after(time.Second)
		got := b.store.All()
		if len(got) != 1 || b.store.Calls() != 2 || len(b.srv.Unacked()) != 0 {
			t.Errorf("%d items of %d deliveries; not acknowledged: %v", len(got), b.store.Calls(), b.srv.Unacked())
		}
	})
}
