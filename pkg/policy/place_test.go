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
