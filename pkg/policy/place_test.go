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
