package e2e_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/internal/test/loopchat/server"
	"parley/internal/test/rig"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// telegramWorld is a gateway with a bot on Telegram. The test channel runs beside
// it and is silent.
type telegramWorld struct {
	*world
	tg *faketelegram.Server
	// chats are those of which the texts were told; they must not change any more
	// before the gateway has ended.
	chats map[*faketelegram.Chat][]string
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
	w := &telegramWorld{world: prepare(t, b, server.Options{}, c), tg: tg, chats: map[*faketelegram.Chat][]string{}}
	w.start()
	t.Cleanup(func() {
		defer w.process.Kill()
		w.finish()
		w.checkTelegram()
	})
	return w
}

// checkTelegram looks at what must hold of every gateway that has ended.
func (w *telegramWorld) checkTelegram() {
	w.t.Helper()
	for chat, want := range w.chats {
		if got := chat.Texts(); !slices.Equal(got, want) {
			w.t.Errorf("chat %d reads %.200q in the end, and was %.200q before", chat.ID(), got, want)
		}
	}
	requests := w.tg.Requests("")
	for i := range requests {
		if r := &requests[i]; r.Early {
			w.t.Errorf("%s to chat %d came before the time that Telegram asked for was over", r.Method, r.Chat)
		}
	}
	log, err := os.ReadFile(w.gw.LogPath())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, secret, _ := strings.Cut(w.tg.Token(), ":"); bytes.Contains(log, []byte(secret)) {
		w.t.Error("the token is in the log")
	}
}

// await waits until cond holds; it may look at Telegram.
func (w *telegramWorld) await(what string, cond func() bool) {
	w.t.Helper()
	if err := w.tg.Until(w.ctx, cond); err != nil {
		w.t.Fatalf("waiting for %s: %v", what, err)
	}
}

// reads waits until the bot's messages in a chat are exactly want, and gives them.
func (w *telegramWorld) reads(chat *faketelegram.Chat, want ...string) []faketelegram.Message {
	w.t.Helper()
	if w.tg.Until(w.ctx, func() bool { return slices.Equal(chat.Texts(), want) }) != nil {
		w.t.Fatalf("chat %d reads %.300q, want %.300q", chat.ID(), chat.Texts(), want)
	}
	w.chats[chat] = want
	return chat.Messages()
}

// hears waits until the bot has said of every text that it heard it: each once,
// in this order, in however many answers.
func (w *telegramWorld) hears(chat *faketelegram.Chat, want ...string) {
	w.t.Helper()
	heard := func() []string {
		var all []string
		for _, text := range chat.Texts() {
			all = append(all, strings.Split(strings.TrimPrefix(text, heardMark), ", ")...)
		}
		return all
	}
	if w.tg.Until(w.ctx, func() bool { return slices.Equal(heard(), want) }) != nil {
		w.t.Fatalf("chat %d was told that %.300q was heard, want %.300q", chat.ID(), heard(), want)
	}
	w.chats[chat] = chat.Texts()
}

// refused waits for n refusals with code of what was to be sent to a chat, and
// gives the last.
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

// rests waits until the store's counts are as cond wants them.
func (w *telegramWorld) rests(what string, cond func(session.Status) bool) {
	w.t.Helper()
	w.until(what, func() bool {
		s, err := w.gw.Status(w.ctx)
		if err != nil {
			w.t.Error(err)
			return true
		}
		return cond(s)
	})
}

const heardMark = "heard: "

// fresh are the last lines of what persons said since the model's last answer.
func fresh(req fakemodel.Request) []string {
	var said []string
	for i := range req.Messages {
		switch m := &req.Messages[i]; {
		case m.Role == providers.RoleUser:
			said = append(said, m.Content[strings.LastIndexByte(m.Content, '\n')+1:])
		case m.Role == providers.RoleAssistant && len(m.ToolCalls) == 0:
			said = nil
		}
	}
	return said
}

// echoes says what it heard since its last answer.
func echoes(req fakemodel.Request) fakemodel.Answer {
	return fakemodel.Say(heardMark + strings.Join(fresh(req), ", "))
}

// mention begins a group's message that speaks to the bot.
func mention(tg *faketelegram.Server) string { return "@" + tg.Bot().User().Username + " " }
