package policy_test

import (
	"testing"

	"parley/pkg/channels"
	"parley/pkg/policy"
)

// moved has the former ids of each chat.
type moved map[string][]string

func (m moved) Former(channel, account, chat string) []string {
	return m[channel+":"+account+"/"+chat]
}

// TestAMovedChatKeepsItsRules: an id in the configuration stands for the chat
// that it became, and the present id counts before it.
func TestAMovedChatKeepsItsRules(t *testing.T) {
	t.Parallel()
	p, err := policy.New(policy.Options{
		Channels: map[string]policy.ChannelRules{"telegram": {Groups: []string{"-1", "-2", "-30"}}},
		Chats: map[string]policy.Level{
			"telegram:-1": policy.LevelNone, "telegram:b/-2": policy.LevelNone, "telegram:-20": policy.LevelRead,
			"telegram:-1#7": policy.LevelWrite,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p = p.WithMoves(moved{"telegram:b/-10": {"-5", "-1"}, "telegram:b/-20": {"-2"}, "telegram:c/-30": {"-1"}})
	for name, tc := range map[string]struct {
		account, chat, thread string
		allow                 bool
		level                 policy.Level
	}{
		"the chat that it became":       {"b", "-10", "", true, policy.LevelNone},
		"a topic there":                 {"b", "-10", "7", true, policy.LevelWrite},
		"another bot's chat":            {"c", "-10", "", false, policy.LevelNone},
		"the present id counts first":   {"b", "-20", "", true, policy.LevelRead},
		"listed by its present id":      {"c", "-30", "", true, policy.LevelNone},
		"what it became is not it":      {"b", "-40", "", false, policy.LevelNone},
		"the former id is still listed": {"b", "-1", "", true, policy.LevelNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := p.Authorize(t.Context(), policy.Event{
				Kind: policy.KindMessage, Sender: channels.Sender{ID: "33"}, Mentioned: true,
				Address: channels.Address{Channel: "telegram", Account: tc.account, Chat: tc.chat, Thread: tc.thread},
			})
			if got.Allow != tc.allow || got.Level != tc.level {
				t.Errorf("%+v", got)
			}
		})
	}
}
