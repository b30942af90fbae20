package telegram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels/telegram"
)

// TestMentionWaitsForTheName lets getMe fail while somebody speaks to the bot by name.
func TestMentionWaitsForTheName(t *testing.T) {
	t.Parallel()
	var heal func()
	b := newBench(t, func(_ *telegram.Options, b *bench) {
		heal = b.srv.Harm(faketelegram.Rule{Method: "getMe", Fault: faketelegram.InternalError()})
	})
	club := b.srv.Supergroup("Club", b.srv.User("Ada"))
	club.Say("before")
	club.Say("@parley_test_bot hi")
	club.Say("/new@parley_test_bot now")
	club.Say("/new@other_bot now")
	club.Say("after")
	b.store.Await(t, 1)
	b.until(t, "getMe twice", func() bool { return b.srv.Count("getMe") >= 2 })
	if got := inboxtest.Texts(b.store.All()); !slices.Equal(got, []string{"before"}) {
		t.Fatalf("stored before the name was known: %q", got)
	}
	if len(b.bot.Unconfirmed()) < 4 {
		t.Error("what cannot be judged was confirmed")
	}
	heal()
	items := b.store.Await(t, 4)
	var got []string
	for i := range items {
		got = append(got, fmt.Sprint(items[i].Text, " ", items[i].Mentioned))
	}
	want := []string{"before false", "@parley_test_bot hi true", "/new now true", "after false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	b.confirmed(t)
}

// TestOnlyItsChatWaitsForTheName: messages of other chats are stored meanwhile, in
// order and once, later ones and ones with files included.
func TestOnlyItsChatWaitsForTheName(t *testing.T) {
	t.Parallel()
	var heal func()
	var club *faketelegram.Chat
	b := newBench(t, func(_ *telegram.Options, b *bench) {
		heal = b.srv.Harm(faketelegram.Rule{Method: "getMe", Fault: faketelegram.InternalError()})
		club = b.srv.Supergroup("Club", b.srv.User("Ada"))
		club.Say("@parley_test_bot hi")
	})
	ada, ben := b.srv.Private(b.srv.User("Ada")), b.srv.Private(b.srv.User("Ben"))
	ada.Say("one")
	ben.Document(faketelegram.File{Name: "a.txt", Data: []byte("text")}, "a file")
	club.Say("after")
	b.store.Await(t, 2)
	b.bot.Push("message", "garbage")
	ada.Say("two")
	ben.Album([]faketelegram.Item{{Photo: picture(1), Caption: "an album"}, {Photo: picture(2)}})
	b.srv.Supergroup("Pub", b.srv.User("Dan")).Say("in the pub")
	waiting := b.store.Await(t, 5)
	for _, in := range waiting {
		if strings.Contains(in.Text, "hi") || in.Text == "after" {
			t.Errorf("%q was stored without the bot's name", in.Text)
		}
	}
	ada.Say("three")
	if got := b.store.Await(t, 6)[5]; got.Text != "three" {
		t.Errorf("the newest is %q", got.Text)
	}
	heal()
	b.confirmed(t)
	byChat := map[string][]string{}
	for _, in := range b.store.All() {
		first, _, _ := strings.Cut(in.Text, "\n")
		byChat[in.Address.Chat] = append(byChat[in.Address.Chat], fmt.Sprint(first, " ", in.Mentioned))
	}
	want := map[string][]string{
		fmt.Sprint(club.ID()): {"@parley_test_bot hi true", "after false"},
		fmt.Sprint(ada.ID()):  {"one false", "two false", "three false"},
		fmt.Sprint(ben.ID()):  {"a file false", "an album false"},
	}
	for chat, texts := range want {
		if diff := cmp.Diff(texts, byChat[chat]); diff != "" {
			t.Errorf("chat %s (-want +got)\n%s", chat, diff)
		}
	}
	if n := len(b.store.All()); n != 8 {
		t.Errorf("%d items in all: %q", n, byChat)
	}
}
