package channelstest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

var errFull = errors.New("the store is full")

// inboundIsWhole checks every field that the gateway relies on.
func inboundIsWhole(t *testing.T, f Factory) {
	t.Helper()
	rig, s := f(t), newStore()
	start(t, rig, s)
	var said []string
	for i := range 20 {
		said = append(said, fmt.Sprintf("message %d: 你好 👋🏽 <b>&amp; *_`", i))
		rig.Say(rig.Chats[0], said[i])
	}
	items := s.wait(t, len(said))
	if diff := cmp.Diff(said, texts(items)); diff != "" {
		t.Errorf("texts, in order (-said +delivered):\n%s", diff)
	}
	for i := range items {
		in := &items[i]
		if in.ID == "" || in.Sender.ID == "" || in.Kind != channels.KindMessage || in.Time.IsZero() {
			t.Errorf("incomplete: %+v", in)
		}
		if in.Address != rig.Chats[0] {
			t.Errorf("delivered to %+v, said in %+v", in.Address, rig.Chats[0])
		}
		if age := time.Since(in.Time); age > time.Hour || age < -time.Hour {
			t.Errorf("it says that it is from %s", in.Time)
		}
	}
}

// inboundKeysDiffer checks that no two messages share a key, in whatever chat.
func inboundKeysDiffer(t *testing.T, f Factory) {
	t.Helper()
	rig, s := f(t), newStore()
	start(t, rig, s)
	for range 5 {
		for _, at := range rig.Chats {
			rig.Say(at, "the same text, said in "+place(at))
		}
	}
	keys := map[string]bool{}
	items := s.wait(t, 5*len(rig.Chats))
	for i := range items {
		in := &items[i]
		if keys[in.ID] {
			t.Errorf("key %q twice", in.ID)
		}
		keys[in.ID] = true
		if !strings.HasSuffix(in.Text, " "+place(in.Address)) {
			t.Errorf("%q was delivered to %+v", in.Text, in.Address)
		}
	}
}

func place(at channels.Address) string { return at.Chat + "#" + at.Thread }

// acknowledgedAfterTheStore holds the store back, and looks at the platform meanwhile.
func acknowledgedAfterTheStore(t *testing.T, f Factory) {
	t.Helper()
	rig, s := f(t), newStore()
	if rig.Acked == nil {
		t.Skip("the platform knows no acknowledgement")
	}
	entered, release := make(chan struct{}, 16), make(chan struct{})
	s.before = func(ctx context.Context, items []channels.Inbound) error {
		if len(items) == 0 { // a step of the cursor past an event of the platform's own
			return nil
		}
		select {
		case entered <- struct{}{}:
		default:
		}
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	start(t, rig, s)
	rig.Say(rig.Chats[0], "one")
	select {
	case <-entered:
	case <-time.After(patience):
		t.Fatal("nothing was delivered")
	}
	if n := rig.Acked(); n != 0 {
		t.Errorf("%d messages are acknowledged, none is stored", n)
	}
	close(release)
	s.wait(t, 1)
	eventually(t, "the acknowledgement", func() bool { return rig.Acked() == 1 })
}

// refusedByTheStoreComesAgain fails the first deliveries.
func refusedByTheStoreComesAgain(t *testing.T, f Factory) {
	t.Helper()
	rig, s := f(t), newStore()
	if rig.Acked == nil {
		t.Skip("the platform delivers nothing a second time")
	}
	var mu sync.Mutex
	var refused []string
	s.before = func(_ context.Context, items []channels.Inbound) error {
		mu.Lock()
		defer mu.Unlock()
		if len(items) == 0 || len(refused) >= 3 {
			return nil
		}
		refused = append(refused, items[0].ID)
		return errFull
	}
	start(t, rig, s)
	rig.Say(rig.Chats[0], "one")
	rig.Say(rig.Chats[0], "two")
	items := s.wait(t, 2)
	if diff := cmp.Diff([]string{"one", "two"}, texts(items)); diff != "" {
		t.Errorf("(-said +stored):\n%s", diff)
	}
	mu.Lock()
	defer mu.Unlock()
	if slices.ContainsFunc(refused, func(id string) bool { return id != items[0].ID }) {
		t.Errorf("the keys of one message: %q, then %q", refused, items[0].ID)
	}
}

// restartDelivers ends a channel whose store takes nothing, and starts another.
func restartDelivers(t *testing.T, f Factory) {
	t.Helper()
	rig, s := f(t), newStore()
	if rig.Acked == nil {
		t.Skip("the platform delivers nothing a second time")
	}
	refused := make(chan string, 16)
	s.before = func(_ context.Context, items []channels.Inbound) error {
		if len(items) == 0 { // a step of the cursor past an event of the platform's own
			return nil
		}
		for i := range items {
			select {
			case refused <- items[i].ID:
			default:
			}
		}
		return errFull
	}
	first := start(t, rig, s)
	rig.Say(rig.Chats[0], "one")
	var key string
	select {
	case key = <-refused:
	case <-time.After(patience):
		t.Fatal("nothing was delivered")
	}
	first.stop()
	s.before = nil
	second := start(t, rig, s)
	if items := s.wait(t, 1); items[0].ID != key {
		t.Errorf("its key was %q and is %q", key, items[0].ID)
	}
	eventually(t, "the acknowledgement", func() bool { return rig.Acked() == 1 })
	second.stop()
	start(t, rig, s)
	rig.Say(rig.Chats[0], "two")
	if diff := cmp.Diff([]string{"one", "two"}, texts(s.wait(t, 2))); diff != "" {
		t.Errorf("(-said +stored):\n%s", diff)
	}
}

// hostileInbound checks that whatever a person writes arrives as safe text and
// that the next message arrives too.
func hostileInbound(t *testing.T, f Factory) {
	t.Helper()
	rig, s := f(t), newStore()
	start(t, rig, s)
	for i, text := range hostile() {
		if strings.TrimSpace(text) == "" || strings.ContainsAny(text, "\n\r") {
			continue // no message, or several, on some platforms
		}
		rig.Say(rig.Chats[0], text)
		rig.Say(rig.Chats[0], fmt.Sprintf("after %d", i))
		eventually(t, fmt.Sprintf("the message after %.40q", text), func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.items) > 0 && s.items[len(s.items)-1].Text == fmt.Sprintf("after %d", i)
		})
	}
	items := s.wait(t, 1)
	for i := range items {
		in := &items[i]
		if !utf8.ValidString(in.Text) || strings.Contains(in.Text, "\x00") || len(in.Text) > channels.MaxText {
			t.Errorf("unsafe text of %d bytes: %.60q", len(in.Text), in.Text)
		}
	}
}

// runEnds checks that Run ends with its context, at work and idle.
func runEnds(t *testing.T, f Factory) {
	t.Helper()
	rig, s := f(t), newStore()
	idle := start(t, rig, s)
	idle.stop()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	inside := make(chan struct{}, 1)
	s.before = func(ctx context.Context, items []channels.Inbound) error {
		if len(items) == 0 { // a step of the cursor past an event of the platform's own
			return nil
		}
		select {
		case inside <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return ctx.Err()
	}
	ended := make(chan error, 1)
	c := rig.New()
	go func() { ended <- c.Run(ctx, channels.NewIngress(s, everyone{}, zerolog.Nop())) }()
	rig.Say(rig.Chats[0], "one")
	select {
	case <-inside:
	case <-time.After(patience):
		t.Fatal("nothing was delivered")
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Run, ended by its context: %v", err)
		}
	case <-time.After(patience):
		t.Error("Run does not end with its context")
	}
}
