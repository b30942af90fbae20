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

func TestEgressNeverSendsAgainWhatItHasAReceiptFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := newOutbox()
		var full atomic.Bool
		full.Store(true)
		box.fails = func(write string) error {
			if full.Load() && !strings.HasPrefix(write, "plan") {
				return errStore
			}
			return nil
		}
		e := start(t, &platform{box: box, limits: channels.Limits{MaxLen: 5}}, nil)
		box.put("a", "a0", "one two")
		box.put("b", "b0", "one")
		pass(time.Minute)
		if got := len(e.plat.attempts("a")); got != 1 {
			t.Errorf("%d attempts of a while nothing can be stored", got)
		}
		full.Store(false)
		pass(time.Minute)
		want := []string{"one", "two"}
		if diff := cmp.Diff(want, e.plat.texts("a")); diff != "" {
			t.Errorf("a (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want[:1], e.plat.texts("b")); diff != "" {
			t.Errorf("b (-want +got):\n%s", diff)
		}
		for _, id := range []string{"a0", "b0"} {
			if got := box.outcome(id).State; got != channels.Delivered {
				t.Errorf("%s: %q", id, got)
			}
		}
		if _, kept := e.Remembered(); kept != 0 {
			t.Errorf("%d deliveries are still remembered", kept)
		}
	})
}

func TestEgressSendsNothingWhosePlanIsNotStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := newOutbox()
		var full atomic.Bool
		full.Store(true)
		box.fails = func(string) error {
			if full.Load() {
				return errStore
			}
			return nil
		}
		e := start(t, &platform{box: box, limits: channels.Limits{MaxLen: 5}}, nil)
		box.put("a", "a0", "one two")
		pass(time.Minute)
		if got := e.plat.texts("a"); len(got) != 0 {
			t.Errorf("sent %q before the plan was stored", got)
		}
		full.Store(false)
		pass(time.Minute)
		if diff := cmp.Diff([]string{"one", "two"}, e.plat.texts("a")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestEgressSendsOnceMoreAlthoughTheCountIsNotStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := newOutbox()
		box.fails = func(write string) error {
			if strings.HasPrefix(write, "ambiguous") {
				return errStore
			}
			return nil
		}
		e := start(t, &platform{box: box, answer: func(context.Context, channels.Part) error { return errors.New("cut") }}, nil)
		box.put("a", "a0", "one")
		pass(time.Minute)
		if got := len(e.plat.attempts("a")); got != 2 {
			t.Errorf("%d attempts, want 2", got)
		}
		if got := box.outcome("a0").State; got != channels.Unsettled {
			t.Errorf("outcome %q", got)
		}
	})
}

func TestEgressStopsInTwoPhases(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{limits: channels.Limits{MaxLen: 5}, answer: func(ctx context.Context, part channels.Part) error {
			d := time.Hour
			if part.Address.Chat == "slow" {
				d = 3 * time.Second
			}
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}, func(o *channels.EgressOptions) { o.Grace = 5 * time.Second })
		e.box.put("slow", "s0", "one")
		e.box.put("slow", "s1", "two")
		e.box.put("hung", "h0", "one")
		e.box.put("part", "p0", "one two")
		synctest.Wait()
		before := sinceStart()
		e.stop()
		if took := sinceStart() - before; took != 5*time.Second {
			t.Errorf("stopped after %s, want the grace of 5 s", took)
		}
		events := joined(e.box.events())
		for _, want := range []string{"settle s0 delivered", "ambiguous h0 0", "ambiguous p0 0"} {
			if !strings.Contains(events, want) {
				t.Errorf("no %q in\n%s", want, events)
			}
		}
		for _, never := range []string{"sent s1", "settle h0", "sent p0 1", "settle p0"} {
			if strings.Contains(events, never) {
				t.Errorf("%q in\n%s", never, events)
			}
		}
	})
}

func TestEgressStopsAtOnceWhenNothingIsBeingSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{answer: fails(map[string][]error{
			"a": {failure(channels.SendRateLimited, time.Hour)}, "b": {failure(channels.SendAuth, 0)},
		})}, nil)
		e.box.put("a", "a0", "one")
		e.box.put("b", "b0", "one")
		synctest.Wait()
		e.stop()
		if took := sinceStart(); took != 0 {
			t.Errorf("stopped after %s", took)
		}
		if n := e.box.clean(); n != 2 {
			t.Errorf("of %d deliveries the outbox knows that they were not sent, want 2", n)
		}
	})
}

func TestEgressReportsTheOutboxError(t *testing.T) {
	t.Parallel()
	e := channels.NewEgress(channels.EgressOptions{Outbox: brokenOutbox{}, Channel: &platform{box: newOutbox()}})
	if err := e.Run(t.Context()); !errors.Is(err, errStore) {
		t.Errorf("Run = %v", err)
	}
}

type brokenOutbox struct{ *memOutbox }

func (brokenOutbox) RunOutbox(context.Context, string, string, func(context.Context, channels.Delivery) error) error {
	return errStore
}

func TestEgressKeepsToTheRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{limits: channels.Limits{PerChat: 1, Burst: 3, PerAccount: 10}}, nil)
		for i := range 10 {
			e.box.put("a", fmt.Sprintf("a%d", i), "text")
		}
		pass(time.Minute)
		all := e.plat.attempts("a")
		for i, s := range all {
			if want := time.Duration(max(0, i-2)) * time.Second; s.at < want || s.at > want+100*time.Millisecond {
				t.Errorf("message %d at %s, want %s", i, s.at, want)
			}
		}
		begin := sinceStart()
		for i := range 100 {
			e.box.put(fmt.Sprintf("chat%d", i), fmt.Sprintf("m%d", i), "text")
		}
		pass(time.Minute)
		within := 0
		for _, s := range e.plat.all()[len(all):] {
			if s.at-begin <= 5*time.Second {
				within++
			}
		}
		if within < 55 || within > 61 {
			t.Errorf("%d messages in 5 s, want the first 10 and 10 a second", within)
		}
		if chats, _ := e.Remembered(); chats != 0 {
			t.Errorf("%d idle chats are remembered", chats)
		}
	})
}

func TestEgressKeepsToTheRateOfEachChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{limits: channels.Limits{PerChat: 1, Burst: 1, ChatRate: func(chat string) (float64, int) {
			if chat == "group" {
				return 0.25, 2
			}
			return 0, 0
		}}}, nil)
		for i := range 4 {
			e.box.put("group", fmt.Sprintf("g%d", i), "text")
			e.box.put("free", fmt.Sprintf("f%d", i), "text")
		}
		pass(time.Minute)
		for chat, want := range map[string][]time.Duration{"group": {0, 0, 4 * time.Second, 8 * time.Second}, "free": {0, 0, 0, 0}} {
			for i, s := range e.plat.attempts(chat) {
				if s.at < want[i] || s.at > want[i]+100*time.Millisecond {
					t.Errorf("%s: message %d at %s, want %s", chat, i, s.at, want[i])
				}
			}
			if n := len(e.plat.attempts(chat)); n != 4 {
				t.Errorf("%s: %d messages, want 4", chat, n)
			}
		}
	})
}

func TestEgressSharesAChatsRateBetweenItsThreads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{limits: channels.Limits{PerChat: 1, Burst: 1}}, nil)
		for _, thread := range []string{"1", "2", "3"} {
			at := address("a")
			at.Thread = thread
			e.box.restore(channels.DeliveryInfo{Outbound: channels.Outbound{ID: thread, Address: at, Text: "text"}, Marked: true})
		}
		pass(time.Second + 500*time.Millisecond)
		if got := len(e.plat.attempts("a")); got != 2 {
			t.Errorf("%d messages in 1.5 s, want 2", got)
		}
	})
}

func TestEgressLetsAFailingThreadDelayNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{answer: func(_ context.Context, part channels.Part) error {
			if part.Address.Thread == "1" {
				return failure(channels.SendTransient, 0)
			}
			return nil
		}}, nil)
		for _, thread := range []string{"1", "2"} {
			at := address("a")
			at.Thread = thread
			e.box.restore(channels.DeliveryInfo{Outbound: channels.Outbound{ID: thread, Address: at, Text: "text"}, Marked: true})
			synctest.Wait()
		}
		if got := e.box.outcome("2").State; got != channels.Delivered {
			t.Errorf("the other thread: %q", got)
		}
	})
}

func TestEgressLetsHangingChatsDelayNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{answer: func(ctx context.Context, part channels.Part) error {
			if strings.HasPrefix(part.Address.Chat, "hung") {
				<-ctx.Done()
				return failure(channels.SendTransient, 0)
			}
			return nil
		}}, func(o *channels.EgressOptions) { o.MaxInFlight = 4 })
		for i := range 8 {
			e.box.put(fmt.Sprintf("hung%d", i), fmt.Sprintf("h%d", i), "text")
		}
		synctest.Wait()
		if got := len(e.plat.all()); got != 4 {
			t.Errorf("%d sends at once, want 4", got)
		}
		e.box.put("well", "w0", "text")
		pass(4 * time.Second)
		if got := e.box.outcome("w0").State; got != channels.Delivered {
			t.Errorf("the chat beside them: %q", got)
		}
	})
}

func TestEgressRedactsBeforeItCuts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{limits: channels.Limits{MaxLen: 12}}, func(o *channels.EgressOptions) {
			o.Redact = strings.NewReplacer("sk-123456789", "[redacted]").Replace
		})
		e.box.put("a", "a0", "the key: sk-123456789 \xff\x00")
		synctest.Wait()
		want := []string{"the key:", "[redacted]", "\uFFFD\uFFFD"}
		if diff := cmp.Diff(want, e.plat.texts("a")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestEgressLetsAChannelCutForItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plat := splittingPlatform{&platform{box: newOutbox()}}
		e := channels.NewEgress(channels.EgressOptions{Outbox: plat.box, Channel: plat})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()
		plat.box.put("a", "a0", "one|two| |three")
		synctest.Wait()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"one", "two", "three"}, plat.texts("a")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

type splittingPlatform struct{ *platform }

func (splittingPlatform) Split(text string) []string { return strings.Split(text, "|") }
