package channels_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
)

func TestEgressSendsInOrderWithOneWriteAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{}, nil)
		for i := range 3 {
			e.box.put("a", fmt.Sprintf("a%d", i), fmt.Sprintf("text %d", i))
		}
		synctest.Wait()
		want := []string{
			"sent a0 0", "settle a0 delivered", "sent a1 0", "settle a1 delivered", "sent a2 0", "settle a2 delivered",
		}
		if diff := cmp.Diff(want, e.box.events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if got := e.box.outcome("a1").Receipt.MessageID; got != "m2" {
			t.Errorf("receipt of a1 = %q, want m2", got)
		}
		if got := e.Health().State; got != channels.HealthOK {
			t.Errorf("health = %s", got)
		}
	})
}

func TestEgressStoresThePlanOfSeveralPartsFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{limits: channels.Limits{MaxLen: 10}}, nil)
		e.box.put("a", "a0", "first one\nsecond one\nthird")
		synctest.Wait()
		want := []string{
			"plan a0 3", "sent a0 0", "advance a0 0 m1", "sent a0 1", "advance a0 1 m2", "sent a0 2", "settle a0 delivered",
		}
		if diff := cmp.Diff(want, e.box.events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		for i, s := range e.plat.attempts("a") {
			p := s.part
			if p.Index != i || p.Count != 3 || p.Again || (p.ReplyTo != "") != (i == 0) || (p.Draft != "") != (i == 0) {
				t.Errorf("part %d = %+v", i, p)
			}
		}
	})
}

func TestEgressStoresAnUnmarkedMessageFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{}, nil)
		e.box.restore(channels.DeliveryInfo{Outbound: channels.Outbound{ID: "a0", Address: address("a"), Text: "hello"}})
		synctest.Wait()
		if diff := cmp.Diff([]string{"plan a0 1", "sent a0 0", "settle a0 delivered"}, e.box.events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

func TestEgressResumesWithTheStoredPlan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{}, nil)
		e.box.restore(channels.DeliveryInfo{
			Outbound: channels.Outbound{ID: "a0", Address: address("a"), Text: "one two three"},
			Parts:    []string{"one", "two", "three"},
			Receipts: []channels.Receipt{{MessageID: "old"}},
			Marked:   true, Unknown: true, Ambiguities: 1,
		})
		synctest.Wait()
		want := []string{"sent a0 1", "advance a0 1 m1", "sent a0 2", "settle a0 delivered"}
		if diff := cmp.Diff(want, e.box.events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if got := e.plat.attempts("a"); !got[0].part.Again || got[1].part.Again {
			t.Error("only the part that was being sent may be marked as sent again")
		}
	})
}

func TestEgressObeysRetryAfterOfOneChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{answer: fails(map[string][]error{
			"slow": {failure(channels.SendRateLimited, 37*time.Second), failure(channels.SendRateLimited, 37*time.Second)},
		})}, nil)
		e.box.put("slow", "s0", "one")
		for i := range 50 {
			e.box.put("fast", fmt.Sprintf("f%d", i), "text")
		}
		synctest.Wait()
		if got := len(e.plat.attempts("fast")); got != 50 {
			t.Errorf("%d of 50 messages of the other chat were sent at once", got)
		}
		if got := e.Health(); got.State != channels.HealthDegraded || !strings.Contains(got.Reason, "rate_limited") {
			t.Errorf("health = %+v", got)
		}
		pass(3 * time.Minute)
		got := e.plat.attempts("slow")
		if len(got) != 3 {
			t.Fatalf("%d attempts, want 3", len(got))
		}
		for i := 1; i < 3; i++ {
			if pause := got[i].at - got[i-1].at; pause < 37*time.Second || pause > 40*time.Second {
				t.Errorf("pause %d = %s, want 37 s and a little more", i, pause)
			}
			if got[i].part.Again {
				t.Error("a refused attempt counts as unknown")
			}
		}
		if got := e.Health().State; got != channels.HealthOK {
			t.Errorf("health = %s", got)
		}
	})
}

func TestEgressObeysRetryAfterOfTheAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited := failure(channels.SendRateLimited, 37*time.Second)
		limited.Account = true
		e := start(t, &platform{answer: fails(map[string][]error{"a": {limited}})}, nil)
		e.box.put("a", "a0", "text")
		synctest.Wait()
		e.box.put("b", "b0", "text")
		pass(time.Minute)
		for _, chat := range []string{"a", "b"} {
			all := e.plat.attempts(chat)
			if last := all[len(all)-1].at; last < 37*time.Second || last > 40*time.Second {
				t.Errorf("%s was sent at %s", chat, last)
			}
		}
		if got := len(e.plat.attempts("b")); got != 1 {
			t.Errorf("%d attempts of b, want 1", got)
		}
	})
}

func TestEgressRetriesATransientFailureWithoutEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		down.Store(true)
		e := start(t, &platform{answer: func(_ context.Context, part channels.Part) error {
			if down.Load() && part.Address.Chat == "a" {
				return failure(channels.SendTransient, 0)
			}
			return nil
		}}, nil)
		e.box.put("a", "a0", "one")
		e.box.put("a", "a1", "two")
		e.box.put("b", "b0", "text")
		synctest.Wait()
		if e.box.outcome("b0").State != channels.Delivered {
			t.Error("the other chat waits")
		}
		pass(10 * time.Minute)
		down.Store(false)
		pass(31 * time.Second)
		all := e.plat.attempts("a")
		for i := 1; i < len(all)-1; i++ {
			if pause := all[i].at - all[i-1].at; pause < 100*time.Millisecond || pause > 30*time.Second {
				t.Errorf("pause %d = %s", i, pause)
			}
		}
		if n := len(all); n < 20 || n > 60 {
			t.Errorf("%d attempts in ten minutes", n)
		}
		events := joined(e.box.events())
		if strings.Contains(events, "ambiguous") || !strings.HasSuffix(events, "settle a0 delivered\nsent a1 0\nsettle a1 delivered") {
			t.Errorf("events:\n%s", events)
		}
	})
}

func TestEgressSendsAnUnknownMessageOnceMore(t *testing.T) {
	t.Parallel()
	unknown := func(context.Context, channels.Part) error { return errors.New("connection reset") }
	hang := func(ctx context.Context, _ channels.Part) error { <-ctx.Done(); return ctx.Err() }
	bang := func(context.Context, channels.Part) error { panic("adapter bug") }
	for name, first := range map[string]func(context.Context, channels.Part) error{"cut": unknown, "hang": hang, "panic": bang} {
		for times, want := range map[int][]string{
			1: {"sent a0 0", "ambiguous a0 0", "sent a0 0", "settle a0 delivered", "sent a1 0", "settle a1 delivered"},
			2: {"sent a0 0", "ambiguous a0 0", "sent a0 0", "settle a0 unsettled", "sent a1 0", "settle a1 delivered"},
		} {
			t.Run(fmt.Sprintf("%s %d times", name, times), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					left := times
					e := start(t, &platform{answer: func(ctx context.Context, part channels.Part) error {
						if left--; left >= 0 {
							return first(ctx, part)
						}
						return nil
					}}, nil)
					e.box.put("a", "a0", "one")
					e.box.put("a", "a1", "two")
					pass(60 * time.Second)
					if diff := cmp.Diff(want, e.box.events()); diff != "" {
						t.Errorf("events (-want +got):\n%s", diff)
					}
					if all := e.plat.attempts("a"); all[0].part.Again || !all[1].part.Again || all[2].part.Again {
						t.Error("only the second attempt may be marked as sent again")
					}
				})
			})
		}
	}
}

func TestEgressSettlesAnUnknownMessageWithinAMinute(t *testing.T) {
	t.Parallel()
	for _, crashed := range []bool{false, true} {
		t.Run(fmt.Sprintf("crashed=%v", crashed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := start(t, &platform{answer: func(ctx context.Context, _ channels.Part) error {
					<-ctx.Done() // bytes leave and no answer comes
					return failure(channels.SendAmbiguous, 0)
				}}, nil)
				e.box.restore(channels.DeliveryInfo{
					Outbound: channels.Outbound{ID: "a0", Address: address("a"), Text: "one"}, Marked: true, Unknown: crashed,
				})
				pass(60 * time.Second)
				if got := e.box.outcome("a0").State; got != channels.Unsettled {
					t.Errorf("after 60 s: %q", got)
				}
				if got, most := len(e.plat.texts("a")), 2; got > most {
					t.Errorf("sent %d times, want at most %d", got, most)
				}
			})
		})
	}
}

// A message of unknown fate must not be given up because the platform cannot be
// reached: whatever was behind it would wait all the same.
func TestEgressKeepsAnUnknownMessageThroughAnOutage(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]*channels.SendError{
		"rate limit": failure(channels.SendRateLimited, 10*time.Minute),
		"outage":     failure(channels.SendTransient, 0),
		"auth":       failure(channels.SendAuth, 0),
	} {
		for _, crashed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s crashed=%v", name, crashed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					first := !crashed
					var up atomic.Bool
					e := start(t, &platform{answer: func(context.Context, channels.Part) error {
						switch {
						case first:
							first = false
							return failure(channels.SendAmbiguous, 0)
						case !up.Load():
							return then
						default:
							return nil
						}
					}}, nil)
					e.box.restore(channels.DeliveryInfo{
						Outbound: channels.Outbound{ID: "a0", Address: address("a"), Text: "one"}, Marked: true, Unknown: crashed,
					})
					pass(time.Hour)
					if got := e.box.outcome("a0").State; got != "" {
						t.Fatalf("settled during the outage: %s", got)
					}
					up.Store(true)
					pass(12 * time.Minute)
					if got := e.box.outcome("a0").State; got != channels.Delivered {
						t.Errorf("after the outage: %q", got)
					}
				})
			})
		}
	}
}

func TestEgressSettlesWhatIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{answer: fails(map[string][]error{
			"bad": {failure(channels.SendRefused, 0)}, "gone": {failure(channels.SendGone, 0)},
		})}, nil)
		for _, chat := range []string{"bad", "gone"} {
			e.box.put(chat, chat+"0", "one")
			e.box.put(chat, chat+"1", "two")
		}
		e.box.put("blank", "blank0", " \n ")
		synctest.Wait()
		for id, want := range map[string]channels.Outcome{
			"bad0":   {State: channels.Refused, Reason: "send: refused: no luck"},
			"gone0":  {State: channels.Refused, Reason: "send: gone: no luck", Suspend: true},
			"blank0": {State: channels.Refused, Reason: "there is nothing to send"},
		} {
			if diff := cmp.Diff(want, e.box.outcome(id)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", id, diff)
			}
		}
		if got := e.plat.texts("bad"); len(got) != 2 {
			t.Errorf("sent %q, want each once", got)
		}
	})
}

func TestEgressStopsSendingWithoutAuthorisation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var denied atomic.Bool
		denied.Store(true)
		e := start(t, &platform{answer: func(context.Context, channels.Part) error {
			if denied.Load() {
				<-time.After(time.Second) // long enough for the other chats to try as well
				return failure(channels.SendAuth, 0)
			}
			return nil
		}}, nil)
		e.box.put("chat0", "m0", "text")
		pass(time.Second)
		for i := 1; i < 20; i++ {
			e.box.put(fmt.Sprintf("chat%d", i), fmt.Sprintf("m%d", i), "text")
		}
		pass(10 * time.Minute)
		if n := len(e.plat.all()); n < 12 || n > 13 {
			t.Errorf("%d attempts in ten minutes, want three more than one a minute", n)
		}
		if got := e.Health(); got.State != channels.HealthAuth || got.Reason != "send: auth: no luck" {
			t.Errorf("health = %+v", got)
		}
		denied.Store(false)
		pass(2 * time.Minute)
		for i := range 20 {
			if got := e.box.outcome(fmt.Sprintf("m%d", i)).State; got != channels.Delivered {
				t.Errorf("m%d: %q", i, got)
			}
		}
		if got := e.Health().State; got != channels.HealthOK {
			t.Errorf("health = %s", got)
		}
	})
}

// pass lets time go by, and everything that happens in it.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
