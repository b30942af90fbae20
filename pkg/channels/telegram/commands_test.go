package telegram_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels/telegram"
)

func TestMenuIsSetWhenItDiffers(t *testing.T) {
	t.Parallel()
	menu := []telegram.Command{{Name: "new", Description: "Begin anew"}, {Name: "stop", Description: "Stop the answer"}}
	b := newBench(t, func(o *telegram.Options, _ *bench) { o.MenuCommands = menu })
	b.until(t, "setMyCommands", func() bool { return len(b.bot.Commands()) == 2 })
	want := []faketelegram.Command{{Command: "new", Description: "Begin anew"}, {Command: "stop", Description: "Stop the answer"}}
	if diff := cmp.Diff(want, b.bot.Commands()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	again := func(menu []telegram.Command) {
		t.Helper()
		b.stop()
		asked := b.srv.Count("getMyCommands")
		opt := b.options()
		opt.MenuCommands = menu
		b.start(t, opt)
		if err := b.srv.Until(inboxtest.Limited(t), func() bool { return b.srv.Count("getMyCommands") == asked+1 }); err != nil {
			t.Fatal(err)
		}
		b.srv.Private(b.srv.User("Ada")).Say("time enough to set it")
		b.confirmed(t)
	}
	again(menu)
	again(menu[:1]) // by now the start before has ended without setting the menu
	b.until(t, "the shorter menu", func() bool { return len(b.bot.Commands()) == 1 })
	if n := b.srv.Count("setMyCommands"); n != 2 {
		t.Errorf("setMyCommands %d times, want 2", n)
	}
}

// TestMenuGivesWayToItsRateLimit asks once and leaves the rest to the next start.
func TestMenuGivesWayToItsRateLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *telegram.Options, b *bench) {
		o.MenuCommands = []telegram.Command{{Name: "new", Description: "Begin anew"}}
		b.srv.Harm(faketelegram.Rule{Method: "setMyCommands", Fault: faketelegram.TooManyRequests(3600)})
	})
	b.until(t, "setMyCommands", func() bool { return b.srv.Count("setMyCommands") == 1 })
	b.srv.Private(b.srv.User("Ada")).Say("hello")
	b.store.Await(t, 1)
}
