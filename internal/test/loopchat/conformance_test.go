package loopchat_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"parley/internal/test/loopchat"
	"parley/internal/test/loopchat/server"
	"parley/pkg/channels"
	"parley/pkg/channels/channelstest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	channelstest.Run(t, func(t *testing.T) *channelstest.Rig {
		t.Helper()
		var stall atomic.Pointer[chan struct{}]
		done := make(chan struct{})
		srv := newServer(t, server.Options{OnSend: func(int, loopchat.SendRequest) server.Fault {
			if gate := stall.Load(); gate != nil {
				select {
				case <-*gate:
				case <-done:
				}
			}
			return server.Fault{}
		}})
		t.Cleanup(func() { close(done) }) // before the server's own end
		var said atomic.Int64
		return &channelstest.Rig{
			New: func() channels.Channel { return newChannel(srv.URL) },
			Chats: []channels.Address{
				{Channel: loopchat.Name, Account: "bot", Chat: "anna"},
				{Channel: loopchat.Name, Account: "bot", Chat: "ben"},
				{Channel: loopchat.Name, Account: "bot", Chat: "group1", Thread: "t1"},
			},
			Say: func(at channels.Address, text string) {
				said.Add(1)
				srv.Push(loopchat.Update{Chat: at.Chat, Thread: at.Thread, Text: text, Mentioned: true})
			},
			Seen: func(at channels.Address) []string {
				var texts []string
				for _, m := range srv.Messages(at.Chat) {
					if m.Thread == at.Thread {
						texts = append(texts, m.Text)
					}
				}
				return texts
			},
			Press: func(at channels.Address, label string) bool {
				newest := ""
				for _, m := range srv.Messages(at.Chat) {
					if m.Thread == at.Thread {
						newest = m.ID
					}
				}
				return srv.Press(newest, "ann", label) != 0
			},
			Acked: func() int { return int(said.Load()) - srv.Unconfirmed() },
			Stall: func() func() {
				gate := make(chan struct{})
				stall.Store(&gate)
				return sync.OnceFunc(func() { close(gate) })
			},
		}
	})
}
