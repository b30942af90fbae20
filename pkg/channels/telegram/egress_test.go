package telegram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/internal/test/faketelegram"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

// TestEgressDeliversThroughEveryFault sends an answer of three parts and a short
// one to each of many chats, each with a trouble of its own, through the real
// gate and the real store.
func TestEgressDeliversThroughEveryFault(t *testing.T) {
	t.Parallel()
	const retry = 2
	type trouble struct {
		name  string
		chat  *faketelegram.Chat
		fault func(chat *faketelegram.Chat)
		// seen says which of the four messages the person sees, by number.
		seen []int
		// again is how many requests more than messages may be made.
		again int
	}
	srv, c := sender(t, func(o *telegram.Options) { o.Rates = telegram.Rates{PerChat: -1, GroupPerMinute: -1, PerBot: -1} })
	harm := func(skip, times int, f faketelegram.Fault) func(*faketelegram.Chat) {
		return func(chat *faketelegram.Chat) {
			srv.Harm(faketelegram.Rule{Method: "sendMessage", Chat: chat.ID(), Skip: skip, Times: times, Fault: f})
		}
	}
	private := func(name string) *faketelegram.Chat { return srv.Private(srv.User(name)) }
	moving := srv.Group("Moving", srv.User("Ann"))
	var moved *faketelegram.Chat
	all := []int{0, 1, 2, 3}
	troubles := []trouble{
		{name: "none", chat: private("None"), seen: all},
		{name: "429", chat: private("Limited"), fault: harm(1, 1, faketelegram.TooManyRequests(retry)), seen: all, again: 1},
		{name: "blocked", chat: private("Gone"), fault: harm(0, 0, faketelegram.Blocked())},
		{name: "502", chat: private("Proxied"), fault: harm(0, 3, faketelegram.BadGateway()), seen: all, again: 3},
		{name: "500", chat: private("Broken"), fault: harm(2, 2, faketelegram.InternalError()), seen: all, again: 2},
		{name: "parse error", chat: private("Plain"), fault: harm(1, 1, faketelegram.ParseError()), seen: all, again: 1},
		{name: "cut before effect", chat: private("Before"), fault: harm(1, 1, faketelegram.Fault{DropBefore: true}), seen: all, again: 1},
		{
			name:  "cut after effect",
			chat:  private("After"),
			fault: harm(1, 1, faketelegram.Fault{DropAfter: true}),
			seen:  []int{0, 1, 1, 2, 3},
			again: 1,
		},
		{name: "migration", chat: moving, fault: func(*faketelegram.Chat) {
			srv.Harm(faketelegram.Rule{
				Method: "sendMessage",
				Chat:   moving.ID(),
				Skip:   1,
				Fault:  faketelegram.Fault{Code: 400, Description: "Bad Request: group chat was upgraded to a supergroup chat", MigrateTo: moved.ID()},
			})
		}, seen: []int{0}, again: 3},
	}
	moved = srv.Supergroup("Moved", srv.User("Ann"))
	var answer []string
	for i := range 3 {
		answer = append(answer, strings.Repeat(fmt.Sprintf("part %d ", i), 4000/7))
	}
	e := outboxtest.Open(t, t.TempDir())
	for _, tr := range troubles {
		if tr.fault != nil {
			tr.fault(tr.chat)
		}
		at := where(c, tr.chat)
		outboxtest.Queue(t, e, channels.Outbound{ID: tr.name + "/0", Address: at, Text: strings.Join(answer, "\n\n")})
		outboxtest.Queue(t, e, channels.Outbound{ID: tr.name + "/1", Address: at, Text: "**short**"})
	}
	stop := outboxtest.Send(t, channels.EgressOptions{Outbox: e.Outbox(), Channel: c, Log: zerolog.Nop()})
	// The second message to the blocked chat waits until that chat writes.
	outboxtest.Await(t, e, 1)
	stop()
	for _, tr := range troubles {
		got := numbered(tr.chat)
		if diff := cmp.Diff(tr.seen, got); diff != "" {
			t.Errorf("%s: messages (-want +seen):\n%s", tr.name, diff)
		}
		requests := slices.DeleteFunc(srv.Requests("sendMessage"), func(r faketelegram.Request) bool { return r.Chat != tr.chat.ID() })
		if want := len(tr.seen) + tr.again; tr.name != "cut after effect" && tr.name != "blocked" && len(requests) != want {
			t.Errorf("%s: %d requests, want %d", tr.name, len(requests), want)
		}
		if tr.name == "blocked" && len(requests) != 1 {
			t.Errorf("%d attempts at a chat that is gone", len(requests))
		}
		for i := range requests {
			if requests[i].Early {
				t.Errorf("%s: request %d came before its time", tr.name, i)
			}
		}
	}
	if diff := cmp.Diff([]int{1, 2, 3}, numbered(moved)); diff != "" {
		t.Errorf("after the migration (-want +seen):\n%s", diff)
	}
}

// numbered names the messages of a chat: 0-2 are the parts of the long one, 3 is the short one.
func numbered(chat *faketelegram.Chat) (n []int) {
	for _, text := range chat.Texts() {
		i := 3
		if text != "short" {
			_, err := fmt.Sscanf(text, "part %d", &i)
			if err != nil {
				i = -1
			}
		}
		n = append(n, i)
	}
	return n
}
