package channels_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

// show is the rest of the signs that a tablet shows.
func (b *tablet) show(ctx context.Context, what string) error {
	select {
	case <-time.After(b.wait):
	case <-ctx.Done():
		return ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shown = append(b.shown, what)
	b.times = append(b.times, time.Now())
	return b.fail
}

func (b *tablet) Draft(ctx context.Context, to channels.Address, id, text string) error {
	return b.show(ctx, to.Chat+": draft "+id+" "+text)
}

func (b *tablet) Typing(ctx context.Context, to channels.Address) error {
	return b.show(ctx, to.Chat+": typing")
}

func (b *tablet) Status(ctx context.Context, to channels.Address, note string) error {
	return b.show(ctx, to.Chat+": note "+note)
}

// shows are all the ways to show something in passing.
func shows(e *channels.Egress) map[string]func(ctx context.Context, to channels.Address) error {
	return map[string]func(ctx context.Context, to channels.Address) error{
		"a draft": func(ctx context.Context, to channels.Address) error { return e.Draft(ctx, to, "d", "te\x00xt") },
		"an edit": func(ctx context.Context, to channels.Address) error { return e.Edit(ctx, to, "m", "text") },
		"typing":  e.Typing,
		"a note":  func(ctx context.Context, to channels.Address) error { return e.Status(ctx, to, "no\x00te") },
	}
}

// onTablet runs a test with a gate at work.
func onTablet(t *testing.T, b *tablet, limits channels.Limits, test func(t *testing.T, e *channels.Egress)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e := b.editOf(limits)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()
		test(t, e)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestWhatIsShownIsTheChannels(t *testing.T) {
	t.Parallel()
	b := &tablet{}
	onTablet(t, b, channels.Limits{}, func(t *testing.T, e *channels.Egress) {
		t.Helper()
		for name, show := range shows(e) {
			if err := show(t.Context(), address("chat")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		slices.Sort(b.shown)
		want := []string{"chat: draft d te�xt!", "chat: note no�te!", "chat: typing"}
		if diff := cmp.Diff(want, b.shown); diff != "" {
			t.Errorf("shown (-want +got):\n%s", diff)
		}
		plain := channels.NewEgress(channels.EgressOptions{Outbox: b.box, Channel: b.platform, Log: zerolog.Nop()})
		for name, show := range shows(plain) {
			if err := show(t.Context(), address("chat")); err == nil {
				t.Errorf("%s on a channel that shows nothing", name)
			}
		}
	})
}

// TestNothingIsShownWhereMessagesWait: a chat with a message that was told to wait
// shows no sign, nor does any chat while the account has to wait.
func TestNothingIsShownWhereMessagesWait(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err       channels.SendError
		times     int
		elsewhere bool // still shown
	}{
		"the chat":                 {channels.SendError{Class: channels.SendRateLimited, RetryAfter: 37 * time.Second}, 1, true},
		"the account":              {channels.SendError{Class: channels.SendRateLimited, RetryAfter: 37 * time.Second, Account: true}, 1, false},
		"the account may not send": {channels.SendError{Class: channels.SendAuth}, 3, false}, // for 1, 5 and 30 s
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &tablet{}
			onTablet(t, b, channels.Limits{}, func(t *testing.T, e *channels.Egress) {
				t.Helper()
				tt.err.Err = errors.New("refused")
				b.answer = fails(map[string][]error{"chat": slices.Repeat([]error{&tt.err}, tt.times)})
				b.box.put("chat", "o1", "one")
				synctest.Wait()
				<-time.After(35 * time.Second)
				for name, show := range shows(e) {
					if err := show(t.Context(), address("chat")); !errors.Is(err, channels.ErrNoRoom) {
						t.Errorf("%s during the wait: %v", name, err)
					}
					if err := show(t.Context(), address("other")); (err == nil) != tt.elsewhere {
						t.Errorf("%s in another chat: %v", name, err)
					}
				}
				<-time.After(time.Minute)
				for name, show := range shows(e) {
					if err := show(t.Context(), address("chat")); err != nil {
						t.Errorf("%s after the wait: %v", name, err)
					}
				}
			})
		})
	}
}

// TestAWaitOfWhatIsShownHoldsMessagesToo: the platform counts both.
func TestAWaitOfWhatIsShownHoldsMessagesToo(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"a draft", "an edit", "typing", "a note"} {
		for name, account := range map[string]bool{"of the chat": false, "of the account": true} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				b := &tablet{fail: &channels.SendError{
					Class:      channels.SendRateLimited,
					RetryAfter: 30 * time.Second,
					Account:    account,
					Err:        errors.New("slow down"),
				}}
				onTablet(t, b, channels.Limits{}, func(t *testing.T, e *channels.Egress) {
					t.Helper()
					show := shows(e)[kind]
					if err := show(t.Context(), address("chat")); err == nil {
						t.Fatal("no error")
					}
					b.box.put("chat", "o1", "one")
					b.box.put("other", "o2", "two")
					<-time.After(29 * time.Second)
					synctest.Wait()
					if err := show(t.Context(), address("chat")); !errors.Is(err, channels.ErrNoRoom) {
						t.Errorf("shown during the wait: %v", err)
					}
					others := 1
					if account {
						others = 0
					}
					if n := len(b.texts("chat")); n != 0 {
						t.Error("a message of the chat left during the wait")
					}
					if n := len(b.texts("other")); n != others {
						t.Errorf("%d messages of another chat left, want %d", n, others)
					}
					<-time.After(10 * time.Second)
					synctest.Wait()
					if got := append(b.texts("chat"), b.texts("other")...); len(got) != 2 {
						t.Errorf("after the wait: %q", got)
					}
				})
			})
		}
	}
}

// TestWhatWaitsToBeShownIsDroppedByAWait: an adapter waits before it shows, and
// the message that is refused meanwhile counts.
func TestWhatWaitsToBeShownIsDroppedByAWait(t *testing.T) {
	t.Parallel()
	b := &tablet{wait: time.Second}
	onTablet(t, b, channels.Limits{}, func(t *testing.T, e *channels.Egress) {
		t.Helper()
		b.answer = fails(map[string][]error{"chat": {failure(channels.SendRateLimited, 8*time.Second)}})
		waiting, free := make(chan error, 1), make(chan error, 1)
		go func() { waiting <- e.Draft(t.Context(), address("chat"), "d", "text") }()
		go func() { free <- e.Draft(t.Context(), address("other"), "d", "text") }()
		synctest.Wait()
		b.box.put("chat", "o1", "one")
		if err := <-waiting; !errors.Is(err, channels.ErrNoRoom) {
			t.Errorf("a draft that waited: %v", err)
		}
		if err := <-free; err != nil {
			t.Errorf("of another chat: %v", err)
		}
		if diff := cmp.Diff([]string{"other: draft d text!"}, b.shown); diff != "" {
			t.Errorf("shown (-want +got):\n%s", diff)
		}
	})
}

// TestWhatIsShownTakesFromTheAccountsRate: as much as messages leave over, and
// without making one wait.
func TestWhatIsShownTakesFromTheAccountsRate(t *testing.T) {
	t.Parallel()
	b := &tablet{}
	onTablet(t, b, channels.Limits{PerAccount: 30, PerChat: 1, Burst: 3}, func(t *testing.T, e *channels.Egress) {
		t.Helper()
		shown := func() (n int) {
			for i := range 100 {
				chat := address(string(rune('a' + i%20)))
				if e.Draft(t.Context(), chat, "d", "text") == nil {
					n++
				}
				if e.Typing(t.Context(), chat) == nil {
					n++
				}
			}
			return n
		}
		if n := shown(); n != 20 {
			t.Errorf("%d were shown at once, want two thirds of 30", n)
		}
		for i := range 10 {
			b.box.put(string(rune('A'+i)), "o", "text")
		}
		synctest.Wait()
		if n := len(b.all()); n != 10 {
			t.Errorf("%d of 10 messages left at once", n)
		}
		if n := shown(); n != 0 {
			t.Errorf("%d were shown when nothing was left", n)
		}
		<-time.After(time.Second)
		if n := shown(); n != 20 {
			t.Errorf("%d were shown a second later", n)
		}
	})
}
