package slack_test

import (
	"strings"
	"sync"
	"testing"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/channelstest"
	"parley/pkg/channels/slack"
)

// TestSlackPassesTheSuite runs it in direct chats, a channel and threads at once.
func TestSlackPassesTheSuite(t *testing.T) {
	t.Parallel()
	channelstest.Run(t, func(t *testing.T) *channelstest.Rig {
		t.Helper()
		b := &bench{srv: fakeslack.New(t), log: &inboxtest.Log{}}
		dan := b.srv.User("Dan")
		people := map[channels.Address]*fakeslack.Chat{}
		rig := &channelstest.Rig{}
		for _, chat := range []*fakeslack.Chat{
			b.srv.DM(b.srv.User("Ann")), b.srv.DM(b.srv.User("Ben")), b.srv.Channel("general", b.srv.User("Cleo")),
			thread(b.srv.Channel("forum", dan)), thread(b.srv.Private("board", dan)),
		} {
			at := channels.Address{Channel: slack.Name, Account: b.identity().Team, Chat: chat.ID(), Thread: chat.Thread()}
			people[at] = chat
			rig.Chats = append(rig.Chats, at)
		}
		var mu sync.Mutex
		var said []fakeslack.Event
		rig.New = func() channels.Channel {
			o := b.options()
			o.PerChannel = -1
			ch, err := slack.New(o, b.identity())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(ch.CloseIdle)
			return ch
		}
		typed := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
		rig.Say = func(at channels.Address, text string) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, people[at].Say(typed.Replace(text)))
		}
		rig.Seen = func(at channels.Address) []string { return people[at].Texts() }
		rig.Press = func(at channels.Address, label string) bool {
			// A press that no socket takes is lost: the person sees it fail.
			if err := b.srv.AwaitSocket(inboxtest.Limited(t)); err != nil {
				t.Error(err)
			}
			messages := people[at].Messages()
			return len(people[at].Press(messages[len(messages)-1].TS, label).Envelopes) > 0
		}
		rig.Files = func(at channels.Address) (all [][]byte) {
			for _, m := range people[at].Messages() {
				for _, f := range m.Files {
					all = append(all, f.Data)
				}
			}
			return all
		}
		rig.Acked = func() (acked int) {
			mu.Lock()
			defer mu.Unlock()
			for _, e := range said {
				if b.srv.Acked(e) {
					acked++
				}
			}
			return acked
		}
		rig.Stall = func() func() {
			halfOpen := fakeslack.Fault{HalfOpen: true}
			texts := b.srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Fault: halfOpen})
			files := b.srv.Harm(fakeslack.Rule{Method: "files.getUploadURLExternal", Fault: halfOpen})
			return func() { texts(); files() }
		}
		return rig
	})
}

// thread is one that began before the bot came.
func thread(c *fakeslack.Chat) *fakeslack.Chat {
	c.Leave()
	root := c.Say("the first of many")
	c.Join()
	return c.In(root.TS)
}
