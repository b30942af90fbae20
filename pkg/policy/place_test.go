package policy_test

import (
	"testing"

	"parley/pkg/channels"
	"parley/pkg/policy"
)

// TestThreadsAreMoreExactThanAccounts: of two places that speak of a chat, the same
// one counts in every process, however the configuration is read.
func TestThreadsAreMoreExactThanAccounts(t *testing.T) {
	t.Parallel()
	e := policy.Event{
		Kind: policy.KindMessage, Address: channels.Address{Channel: "open", Account: "A", Chat: "C", Thread: "7"},
		Sender: channels.Sender{ID: "u"}, Mentioned: true,
	}
	for range 64 { // the order of a map is another one each time
		p, err := policy.New(policy.Options{
			Channels: map[string]policy.ChannelRules{"open": {Everyone: true}},
			Chats: map[string]policy.Level{
				"open:C": policy.LevelChat, "open:A/C": policy.LevelWrite, "open:C#7": policy.LevelNone,
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Authorize(t.Context(), e).Level; got != policy.LevelNone {
			t.Fatalf("the level is %s", got)
		}
	}
}

// TestARuleOfTheConsoleHoldsInEachConversation: a conversation with another name gives the person of
// the console no other rights.
func TestARuleOfTheConsoleHoldsInEachConversation(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"console:local", "console:"} {
		p, err := policy.New(policy.Options{
			Owners: []string{"console:"}, Chats: map[string]policy.Level{place: policy.LevelChat, "telegram:5": policy.LevelNone},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, chat := range []string{"local", "sums", "5"} {
			e := policy.Event{
				Kind: policy.KindMessage, Address: channels.Address{Channel: "console", Chat: chat},
				Sender: channels.Sender{ID: "local"}, Direct: true,
			}
			if got := p.Authorize(t.Context(), e).Level; got != policy.LevelChat {
				t.Errorf("with a rule for %s, the level of %s is %s", place, chat, got)
			}
		}
	}
	local := policy.Place{Channel: "console", Chat: "local"}
	if sums := (channels.Address{Channel: "console", Chat: "sums"}); local.Matches(sums) || !local.Governs(sums) {
		t.Error("console:local is the place of one conversation, and the rule for all")
	}
}

// TestARuleForAPersonOfTheWeb holds in each of their chats, and in no chat of another person; a rule for
// one of the chats comes before it.
func TestARuleForAPersonOfTheWeb(t *testing.T) {
	t.Parallel()
	place := func(s string) policy.Place {
		p, err := policy.ParsePlace(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for chat, want := range map[string]bool{
		"web:ada.main": true, "web:ada.x7": true, "web:adam.main": false, "web:bob.ada": false, "web:ada": false, "telegram:ada.main": false,
	} {
		if got := place("web:ada").Governs(channels.Address{Channel: "web", Chat: chat}); got != want {
			t.Errorf("web:ada governs %s: %v", chat, got)
		}
	}
	if place("web:web:ada.main").Weight() <= place("web:ada").Weight() {
		t.Error("a person's place is as exact as a chat of theirs")
	}
	if !place("web:telegram:7").Governs(channels.Address{Channel: "web", Chat: "telegram:7.main"}) {
		t.Error("the place of a person of another channel does not govern their chat")
	}
	if !place("web:web:ada.main").Governs(channels.Address{Channel: "web", Chat: "web:ada.main"}) {
		t.Error("a chat's place does not govern it")
	}
}
