package e2e_test

import (
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
	w := &telegramWorld{onPlatform[int64, faketelegram.Message, *faketelegram.Chat](t, tg, b, c, secret), tg}
	w.sends = func(chat *faketelegram.Chat) (all []attempt) {
		requests := tg.Requests("sendMessage")
		for i := range requests {
			if r := &requests[i]; r.Chat == chat.ID() {
				all = append(all, attempt{r.Status, r.Done})
			}
		}
		return all
	}
	return w
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
	}
}

// mention begins a group's message that speaks to the bot.
func mention(tg *faketelegram.Server) string { return "@" + tg.Bot().User().Username + " " }
