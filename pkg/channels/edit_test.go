package channels_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
)

// TestAPreviewIsFinishedByTheMessageBehindIt sends a long preview and a long
// answer through the real store, with a restart after the preview.
func TestAPreviewIsFinishedByTheMessageBehindIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plat := &platform{box: newOutbox(), limits: channels.Limits{MaxLen: 10}}
	e := outboxtest.Open(t, dir)
	to := address("chat")
	outboxtest.Queue(t, e, channels.Outbound{ID: "preview", Address: to, Text: "the first\nthe second", Preview: true, ReplyTo: "q"})
	stop := egress(t, e, plat)
	outboxtest.Await(t, e, 0)
	stop()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = outboxtest.Open(t, dir)
	outboxtest.Queue(t, e, channels.Outbound{ID: "final", Address: to, Text: "the answer\nis in two", Finishes: "preview"})
	outboxtest.Queue(t, e, channels.Outbound{ID: "lost", Address: to, Text: "no such", Finishes: "unheard of"})
	stop = egress(t, e, plat)
	outboxtest.Await(t, e, 0)
	stop()
	opened, err := e.Outbox().Receipt(t.Context(), "preview")
	if err != nil || opened.MessageID == "" {
		t.Fatalf("receipt %+v, %v", opened, err)
	}
	type part struct{ Text, Edits string }
	var got []part
	all := plat.attempts("chat")
	for i := range all {
		got = append(got, part{all[i].part.Text, all[i].part.Edits})
	}
	want := []part{{"the first", ""}, {"the answer", opened.MessageID}, {"is in two", ""}, {"no such", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// tablet is a channel that shows everything there is to show.
type tablet struct {
	*platform

	mu    sync.Mutex
	edits []string
	times []time.Time
	shown []string // in other ways
	fail  error
	// wait is how long an adapter waits before it shows something.
	wait time.Duration
}

func (*tablet) Edits(to channels.Address) bool { return to.Chat != "plain" }

func (b *tablet) Edit(_ context.Context, _ channels.Address, id, text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.edits = append(b.edits, id+": "+text)
	b.times = append(b.times, time.Now())
	return b.fail
}

func (b *tablet) editOf(limits channels.Limits) *channels.Egress {
	b.platform = &platform{box: newOutbox(), limits: limits}
	return channels.NewEgress(channels.EgressOptions{
		Outbox: b.box, Channel: b, Log: zerolog.Nop(), Redact: func(s string) string { return s + "!" },
	})
}

func TestEditsAreOfTheChannel(t *testing.T) {
	t.Parallel()
	b := &tablet{}
	e := b.editOf(channels.Limits{})
	if !e.Edits(address("chat")) || e.Edits(address("plain")) {
		t.Error("the channel decides where messages are edited")
	}
	if err := e.Edit(t.Context(), address("chat"), "m1", "te\x00xt"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"m1: te�xt!"}, b.edits); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
	plain := channels.NewEgress(channels.EgressOptions{Outbox: b.box, Channel: b.platform, Log: zerolog.Nop()})
	if plain.Edits(address("chat")) || plain.Edit(t.Context(), address("chat"), "m1", "text") == nil {
		t.Error("a channel that edits nothing was edited")
	}
}

// TestEditsLeaveRoomForMessages: an edit takes from the rate of messages, but not the
// last of it, be it the chat's or the account's.
func TestEditsLeaveRoomForMessages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		limits channels.Limits
		want   int // edits in ten seconds, tried four times a second
	}{
		"no limit":             {channels.Limits{}, 40},
		"one at a time":        {channels.Limits{PerChat: 1, Burst: 1}, 10},
		"a burst":              {channels.Limits{PerChat: 0.5, Burst: 3}, 6},
		"the account":          {channels.Limits{PerAccount: 2}, 20},
		"the chat has its own": {channels.Limits{PerChat: 1, ChatRate: func(string) (float64, int) { return 0.1, 3 }}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &tablet{}
				e := b.editOf(tt.limits)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- e.Run(ctx) }()
				for range 40 {
					if err := e.Edit(t.Context(), address("chat"), "m", "text"); err != nil && !errors.Is(err, channels.ErrNoRoom) {
						t.Fatal(err)
					}
					<-time.After(250 * time.Millisecond)
				}
				if len(b.times) != tt.want {
					t.Errorf("%d edits, want %d", len(b.times), tt.want)
				}
				b.box.put("chat", "o", "the answer")
				synctest.Wait()
				if got := b.texts("chat"); len(got) != 1 {
					t.Errorf("the answer waits behind edits: %q", got)
				}
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
