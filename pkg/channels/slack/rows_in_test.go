package slack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
)

// A socket is replaced while a hundred events are on their way: each comes exactly
// once, and each chat keeps its order.
func TestARefreshWithAHundredEventsInFlight(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"refresh_requested", "warning"} {
		b := newBench(t, nil, fakeslack.Options{AckWait: 20 * time.Second, Linger: 50 * time.Millisecond})
		var chats []*fakeslack.Chat
		for n := range 5 {
			chats = append(chats, b.srv.DM(b.srv.User(fmt.Sprint("P", n))))
		}
		if err := b.srv.AwaitSocket(inboxtest.Limited(t)); err != nil {
			t.Fatal(err)
		}
		gate := make(chan struct{})
		b.store.Before = func(ctx context.Context, _ int, _ []channels.Inbound) error {
			select {
			case <-gate:
			case <-ctx.Done():
			}
			return nil
		}
		for n := range 50 {
			chats[n%5].Say(fmt.Sprint(n))
		}
		b.srv.Disconnect(reason)
		for n := 50; n < 100; n++ {
			chats[n%5].Say(fmt.Sprint(n))
		}
		b.until(t, "another socket", func() bool { return b.srv.Opened() == 2 })
		close(gate)
		items := b.store.Await(t, 100)
		b.acked(t)
		last := map[string]int{}
		for n := range items {
			var number int
			if _, err := fmt.Sscan(items[n].Text, &number); err != nil {
				t.Fatal(err)
			}
			if before, ok := last[items[n].Address.Chat]; ok && before >= number {
				t.Errorf("%s: %d came after %d", reason, number, before)
			}
			last[items[n].Address.Chat] = number
		}
		if len(items) != 100 {
			t.Errorf("%s: %d items", reason, len(items))
		}
		b.stop()
	}
}

// The new socket is open before the old one ends, and an acknowledgement on the old one
// still counts.
func TestASocketIsReplacedBeforeItEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, fakeslack.Options{Linger: time.Hour})
	b.until(t, "a socket", func() bool { return b.srv.Sockets() == 1 })
	b.srv.Disconnect("refresh_requested")
	b.until(t, "two sockets at once", func() bool { return b.srv.Sockets() == 2 })
	b.srv.DM(b.srv.User("Ann")).Say("hello")
	b.acked(t)
	if h := b.ch.Health(); h.State != channels.HealthOK {
		t.Errorf("the health is %+v", h)
	}
}

// An event that happened while no socket was open comes as a retry: it is as good as a
// first copy.
func TestAFirstCopyMayBeARetry(t *testing.T) {
	t.Parallel()
	b := &bench{srv: fakeslack.New(t), store: inboxtest.New(), log: &inboxtest.Log{}}
	b.srv.DM(b.srv.User("Ann")).Say("while nobody listened")
	b.start(t, b.options())
	got := b.store.Await(t, 1)
	b.acked(t)
	if got[0].Text != "while nobody listened" {
		t.Errorf("stored: %+v", got)
	}
}

// Both shapes of one post are one item, whichever comes first.
func TestBothShapesOfAPostAreOneItem(t *testing.T) {
	t.Parallel()
	var items []channels.Inbound
	for _, mentionFirst := range []bool{false, true} {
		b := newBench(t, nil, fakeslack.Options{MentionFirst: mentionFirst})
		general := b.srv.Channel("general", b.srv.User("Ann"))
		event := general.Say(b.srv.Mention() + ": what now?")
		if len(event.Envelopes) != 2 {
			t.Fatalf("%d envelopes", len(event.Envelopes))
		}
		b.acked(t)
		got := b.store.All()
		if len(got) != 1 || got[0].Text != "what now?" || !got[0].Mentioned || got[0].Address.Thread != event.TS {
			t.Fatalf("mention first: %v: %+v", mentionFirst, got)
		}
		items = append(items, got[0])
	}
	if items[0].Text != items[1].Text || items[0].Mentioned != items[1].Mentioned {
		t.Errorf("the shapes differ: %+v", items)
	}
}

// An edit and a deletion tell their original, whether or not that has come.
func TestEditsAndDeletionsTellTheirOriginal(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	dm := b.srv.DM(b.srv.User("Ann"))
	said := dm.Say("helo")
	b.store.Await(t, 1)
	dm.Edit(said.TS, "hello")
	b.store.Await(t, 2)
	dm.Delete(said.TS)
	got := b.store.Await(t, 3)
	b.acked(t)
	original := "msg/" + dm.ID() + "/" + said.TS
	if got[0].ID != original || got[0].Original != "" {
		t.Errorf("the message is %+v", got[0])
	}
	if got[1].Kind != channels.KindEdit || got[1].Original != original || got[1].MessageID != said.TS || got[1].Text != "hello" {
		t.Errorf("the edit is %+v", got[1])
	}
	if got[2].Kind != channels.KindDelete || got[2].Original != original || got[2].MessageID != said.TS {
		t.Errorf("the deletion is %+v", got[2])
	}
}

// An unknown envelope is kept without its secrets and acknowledged.
func TestUnknownEnvelopesAreKeptAndAcknowledged(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.until(t, "a socket", func() bool { return b.srv.Sockets() == 1 })
	b.srv.Send("telepathy", map[string]any{"thought": "x", "token": "verification-token"})
	b.srv.Send("events_api", map[string]any{"type": "event_callback", "event": map[string]any{"type": "moon_phase"}})
	b.srv.Send("events_api", "no object")
	b.srv.Send("interactive", map[string]any{"type": "shortcut"})
	b.srv.SendRaw("this is no JSON")
	b.srv.SendRaw(`{"no":"id"}`)
	b.srv.DM(b.srv.User("Ann")).Say("and a message")
	b.store.Await(t, 1)
	b.acked(t)
	want := []string{"events_api moon_phase", "events_api unreadable", "interactive shortcut", "telepathy", "unreadable", "unreadable"}
	if got := b.kept(); !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, raw := range b.raws {
		if !json.Valid(raw) || strings.Contains(string(raw), "verification-token") {
			t.Errorf("kept: %s", raw)
		}
	}
}

// A message larger than any of Slack's is acknowledged by its id, told, and does not
// end the socket.
func TestAHugeMessageIsToldAndAcknowledged(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.until(t, "a socket", func() bool { return b.srv.Sockets() == 1 })
	dm := b.srv.DM(b.srv.User("Ann"))
	dm.Say(strings.Repeat("x", 40_000))
	if got := b.store.Await(t, 1); len(got[0].Text) != 40_000 {
		t.Errorf("stored: %d bytes", len(got[0].Text))
	}
	b.srv.Send("events_api", map[string]any{"event": strings.Repeat("y", 6<<20)})
	b.acked(t)
	if got := b.kept(); !slices.Equal(got, []string{"oversized"}) {
		t.Errorf("kept: %q", got)
	}
	dm.Say("after it")
	b.store.Await(t, 2)
	b.acked(t)
	if n := b.srv.Opened(); n != 1 {
		t.Errorf("%d sockets", n)
	}
}

// A slash command is acknowledged so that everybody sees it, a press with an empty
// body.
func TestCommandsAndTheirAcknowledgement(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.until(t, "a socket", func() bool { return b.srv.Sockets() == 1 })
	ann := b.srv.User("Ann")
	general := b.srv.Channel("general", ann)
	for _, text := range []string{"stop", "tell me more", ""} {
		general.Command(text)
	}
	got := b.store.Await(t, 3)
	b.acked(t)
	if all := inboxtest.Texts(got); !slices.Equal(all, []string{"/stop", "tell me more", "/help"}) {
		t.Errorf("stored: %q", all)
	}
	for n := range got {
		if got[n].Address.Thread != "" || !got[n].Mentioned {
			t.Errorf("%+v", got[n])
		}
	}
}

// Messages of bots, the bot itself among them, start no turn.
func TestBotsStartNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	general := b.srv.Channel("general", b.srv.User("Ann"))
	general.SayAs("BOTHER", b.srv.Mention()+" hello, fellow bot")
	general.Say("a person")
	b.store.Await(t, 1)
	b.acked(t)
	if got := inboxtest.Texts(b.store.All()); !slices.Equal(got, []string{"a person"}) {
		t.Errorf("stored: %q", got)
	}
}

// Ten gateways of one app share its events; the eleventh is told to wait, and says so.
func TestTenSockets(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	shared := inboxtest.New()
	var all []*bench
	for range 11 {
		b := &bench{srv: srv, store: shared, log: &inboxtest.Log{}}
		b.start(t, b.options())
		all = append(all, b)
	}
	waiting := func() (n int) {
		for _, b := range all {
			if b.ch.Health().State == channels.HealthDegraded {
				n++
			}
		}
		return n
	}
	all[0].until(t, "ten sockets, and one refused", func() bool { return srv.Sockets() == 10 })
	for _, b := range all {
		go func() { _, _ = b.log.Write(nil) }()
	}
	dm := srv.DM(srv.User("Ann"))
	for n := range 50 {
		dm.Say(fmt.Sprint(n))
	}
	if got := shared.Await(t, 50); len(got) != 50 {
		t.Errorf("%d items", len(got))
	}
	all[0].acked(t)
	if n := waiting(); n > 1 {
		t.Errorf("%d wait for a place", n)
	}
}
