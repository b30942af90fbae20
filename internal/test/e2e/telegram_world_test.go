package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// telegramWorld is a gateway with a bot on Telegram.
type telegramWorld struct {
	*platformWorld[int64, faketelegram.Message, *faketelegram.Chat]
	tg *faketelegram.Server
}

// newTelegram runs a gateway for the bot of tg, which is started before so that
// people can write first. In the chats called trusted, tools may have effects.
func newTelegram(t *testing.T, tg *faketelegram.Server, b brain, trusted ...*faketelegram.Chat) *telegramWorld {
	t.Helper()
	c := rig.Config{Telegram: &rig.Telegram{}}
	for _, chat := range trusted {
		c.Telegram.Chats = append(c.Telegram.Chats, chat.ID())
	}
	return newTelegramWith(t, tg, b, c)
}

// newTelegramWith runs a gateway of a configuration for the bot of tg.
func newTelegramWith(t *testing.T, tg *faketelegram.Server, b brain, c rig.Config) *telegramWorld {
	t.Helper()
	c.LogLevel, c.Telegram.APIURL, c.Telegram.Token = "trace", tg.URL(), tg.Token()
	w := prepareTelegram(t, tg, b, c)
	w.run()
	return w
}

// prepareTelegram makes everything but the gateway's process.
func prepareTelegram(t *testing.T, tg *faketelegram.Server, b brain, c rig.Config) *telegramWorld {
	t.Helper()
	t.Cleanup(func() { checkWaits(t, tg) }) // when the gateway has ended
	_, secret, _ := strings.Cut(tg.Token(), ":")
	return &telegramWorld{onPlatform[int64, faketelegram.Message, *faketelegram.Chat](t, tg, b, c, secret), tg}
}

// checkWaits fails where a request came before the time was over that Telegram had asked for.
func checkWaits(t *testing.T, tg *faketelegram.Server) {
	t.Helper()
	requests := tg.Requests("")
	for i := range requests {
		if r := &requests[i]; r.Early {
			t.Errorf("%s to chat %d came before the time that Telegram asked for was over", r.Method, r.Chat)
		}
	}
}

// refused waits for n refusals with code of messages for a chat, and gives the last.
func (w *telegramWorld) refused(chat *faketelegram.Chat, code, n int) faketelegram.Request {
	w.t.Helper()
	var all []faketelegram.Request
	w.await("a refusal", func() bool {
		all = slices.DeleteFunc(w.sends(chat), func(r faketelegram.Request) bool { return r.Status != code })
		return len(all) >= n
	})
	return all[n-1]
}

// sends are the attempts to send to a chat.
func (w *telegramWorld) sends(chat *faketelegram.Chat) []faketelegram.Request {
	return slices.DeleteFunc(w.tg.Requests("sendMessage"), func(r faketelegram.Request) bool { return r.Chat != chat.ID() })
}

// manners are how the tests of trouble write and look on Telegram.
func (w *telegramWorld) manners() manners[*faketelegram.Chat] {
	return manners[*faketelegram.Chat]{
		say: func(chat *faketelegram.Chat, text string) { chat.Say(text) },
		sent: func(chat *faketelegram.Chat) (all []time.Time) {
			for _, m := range chat.Messages() { //nolint:gocritic // few
				all = append(all, m.Sent)
			}
			return all
		},
		sends: func(chat *faketelegram.Chat) int { return len(w.sends(chat)) },
		refused: func(chat *faketelegram.Chat, n int) time.Time {
			return w.refused(chat, http.StatusTooManyRequests, n).Done
		},
	}
}

// mention begins a group's message that speaks to the bot.
func mention(tg *faketelegram.Server) string { return "@" + tg.Bot().User().Username + " " }
