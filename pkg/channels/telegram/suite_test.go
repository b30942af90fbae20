package telegram_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"

	"parley/internal/test/faketelegram"
	"parley/pkg/channels"
	"parley/pkg/channels/channelstest"
	"parley/pkg/channels/telegram"
	"parley/pkg/channels/telegram/markup"
)

// TestTelegramPassesTheSuite runs it in a private chat, groups and topics at once.
func TestTelegramPassesTheSuite(t *testing.T) {
	t.Parallel()
	channelstest.Run(t, func(t *testing.T) *channelstest.Rig {
		t.Helper()
		srv := faketelegram.New(t)
		forum := srv.Forum("Forum", srv.User("Dan"))
		people := map[channels.Address]*faketelegram.Chat{}
		rig := &channelstest.Rig{Shows: markup.Plain}
		account := strconv.FormatInt(srv.Bot().ID(), 10)
		for _, chat := range []*faketelegram.Chat{
			srv.Private(srv.User("Ann")), srv.Private(srv.User("Ben")),
			srv.Group("Group", srv.User("Cleo")), forum.Topic("One"), forum.Topic("Two"),
		} {
			at := channels.Address{Channel: telegram.Name, Account: account, Chat: strconv.FormatInt(chat.ID(), 10)}
			if chat.Thread() != 0 {
				at.Thread = strconv.FormatInt(chat.Thread(), 10)
			}
			people[at] = chat
			rig.Chats = append(rig.Chats, at)
		}
		var mu sync.Mutex
		var said []int64
		rig.New = func() channels.Channel { return senderTo(t, srv) }
		rig.Say = func(at channels.Address, text string) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, people[at].Say(text).ID)
		}
		rig.Seen = func(at channels.Address) []string { return people[at].Texts() }
		rig.Press = func(at channels.Address, label string) bool {
			messages := people[at].Messages()
			return people[at].Press(messages[len(messages)-1].ID, label).ID != 0
		}
		rig.Files = func(at channels.Address) (all [][]byte) {
			messages := people[at].Messages()
			for i := range messages {
				if f := messages[i].File; f != nil {
					all = append(all, f.Data)
				}
			}
			return all
		}
		rig.Acked = func() int {
			mu.Lock()
			defer mu.Unlock()
			acked := len(said)
			for _, u := range srv.Bot().Unconfirmed() {
				if slices.Contains(said, u.ID) {
					acked--
				}
			}
			return acked
		}
		rig.Stall = func() func() {
			halfOpen := faketelegram.Fault{HalfOpen: true}
			texts := srv.Harm(faketelegram.Rule{Method: "sendMessage", Fault: halfOpen})
			files := srv.Harm(faketelegram.Rule{Method: "sendDocument", Fault: halfOpen})
			return func() { texts(); files() }
		}
		return rig
	})
}
