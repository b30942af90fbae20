package channelstest_test

import (
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/test/loopchat"
	"parley/internal/test/loopchat/server"
	"parley/pkg/channels"
	"parley/pkg/channels/channelstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestHTTPChannelPassesTheSuite runs it over real HTTP, with acknowledgement and redelivery.
func TestHTTPChannelPassesTheSuite(t *testing.T) {
	t.Parallel()
	channelstest.Run(t, func(t *testing.T) *channelstest.Rig {
		t.Helper()
		var stalled atomic.Bool
		var said atomic.Int64
		platform, err := server.New(t.Context(), server.Options{OnSend: func(int, loopchat.SendRequest) server.Fault {
			if stalled.Load() {
				return server.Fault{Delay: time.Minute}
			}
			return server.Fault{}
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = platform.Close() })
		rig := &channelstest.Rig{
			New: func() channels.Channel {
				return loopchat.New(loopchat.Options{URL: platform.URL, MinPause: time.Millisecond, MaxPause: 10 * time.Millisecond})
			},
			Say: func(at channels.Address, text string) {
				said.Add(1)
				platform.Push(loopchat.Update{Chat: at.Chat, Thread: at.Thread, Text: text})
			},
			Seen: func(at channels.Address) (all []string) {
				for _, m := range platform.Messages(at.Chat) {
					if m.Thread == at.Thread {
						all = append(all, m.Text)
					}
				}
				return all
			},
			Acked: func() int { return int(said.Load()) - platform.Unconfirmed() },
			Press: func(at channels.Address, label string) bool {
				newest := ""
				for _, m := range platform.Messages(at.Chat) {
					if m.Thread == at.Thread {
						newest = m.ID
					}
				}
				return platform.Press(newest, at.Chat, label) != 0
			},
			Stall: func() func() {
				stalled.Store(true)
				return func() { stalled.Store(false) }
			},
		}
		for _, chat := range []string{"1", "2", "3", "group4"} {
			rig.Chats = append(rig.Chats,
				channels.Address{Channel: loopchat.Name, Account: "bot", Chat: chat},
				channels.Address{Channel: loopchat.Name, Account: "bot", Chat: chat, Thread: "t"})
		}
		return rig
	})
}
