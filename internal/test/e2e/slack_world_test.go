package e2e_test

import (
	"bytes"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/fakeslack"
	"parley/internal/test/loopchat/server"
	"parley/internal/test/rig"
	"parley/pkg/session"
)

// slackWorld is a gateway with an app on Slack. The test channel runs beside it and
// is silent.
type slackWorld struct {
	*world
	srv *fakeslack.Server
	// chats are those of which the texts were told; they must not change any more
	// before the gateway has ended.
	chats map[*fakeslack.Chat][]string
}

// newSlack runs a gateway for the app of srv, which is started before so that people
// can write first. In the chats called trusted, tools may have effects.
func newSlack(t *testing.T, srv *fakeslack.Server, b brain, trusted ...*fakeslack.Chat) *slackWorld {
	t.Helper()
	app := slackApp(srv)
	for _, chat := range trusted {
		app.Chats = append(app.Chats, chat.ID())
	}
	return newSlackWith(t, srv, b, rig.Config{Slack: app})
}

// slackApp is the app of srv in the configuration.
func slackApp(srv *fakeslack.Server) *rig.Slack {
	team, _, _ := srv.Identity()
	return &rig.Slack{
		APIURL: srv.URL(), BotToken: srv.BotToken(), AppToken: srv.AppToken(), SigningSecret: srv.SigningSecret(), Team: team,
	}
}

// newSlackWith runs a gateway of a configuration for the app of srv.
func newSlackWith(t *testing.T, srv *fakeslack.Server, b brain, c rig.Config) *slackWorld {
	t.Helper()
	c.LogLevel = "trace"
	w := &slackWorld{world: prepare(t, b, server.Options{}, c), srv: srv, chats: map[*fakeslack.Chat][]string{}}
	w.start()
	t.Cleanup(func() {
		defer w.process.Kill()
		w.finish()
		w.checkSlack()
	})
	return w
}

// checkSlack looks at what must hold of every gateway that has ended.
func (w *slackWorld) checkSlack() {
	w.t.Helper()
	for chat, want := range w.chats {
		if got := chat.Texts(); !slices.Equal(got, want) {
			w.t.Errorf("chat %s reads %.200q in the end, and was %.200q before", chat.ID(), got, want)
		}
	}
	log, err := os.ReadFile(w.gw.LogPath())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, secret := range []string{w.srv.BotToken(), w.srv.AppToken(), w.srv.SigningSecret()} {
		if bytes.Contains(log, []byte(secret)) {
			w.t.Error("a token or the signing secret is in the log")
		}
	}
}

// kill ends the gateway as kill -9 does, and waits until Slack has read everything
// that it wrote.
func (w *slackWorld) kill() {
	w.t.Helper()
	w.world.kill()
	if err := w.srv.Drained(w.ctx); err != nil {
		w.t.Fatal(err)
	}
}

// await waits until cond holds; it may look at Slack.
func (w *slackWorld) await(what string, cond func() bool) {
	w.t.Helper()
	if err := w.srv.Until(w.ctx, cond); err != nil {
		w.t.Fatalf("waiting for %s: %v", what, err)
	}
}

// linked waits until there is a socket: a press or a command comes once, and is lost
// without one.
func (w *slackWorld) linked() {
	w.t.Helper()
	w.await("a socket", func() bool { return w.srv.Sockets() > 0 })
}

// meets has people write in a channel, not to the bot, until their names are known: the
// bot asks for them beside its work, and whom it does not know yet has none.
func (w *slackWorld) meets(chats ...*fakeslack.Chat) {
	w.t.Helper()
	for i, chat := range chats {
		chat.Say("hello, all")
		w.await("the question for a name", func() bool {
			n := 0
			requests := w.srv.Requests("users.info")
			for k := range requests {
				if requests[k].Status == http.StatusOK {
					n++
				}
			}
			return n > i
		})
		said := chat.In("").Say(w.srv.Mention() + " do you know me?")
		answered := chat.In(said.TS)
		w.await("an answer", func() bool { return len(answered.Texts()) == 1 })
	}
}

// acked waits until everything that happened was acknowledged.
func (w *slackWorld) acked() {
	w.t.Helper()
	w.await("every acknowledgement", func() bool { return len(w.srv.Unacked()) == 0 })
}

// reads waits until the bot's messages in a chat are exactly want, and gives them.
func (w *slackWorld) reads(chat *fakeslack.Chat, want ...string) []fakeslack.Message {
	w.t.Helper()
	if w.srv.Until(w.ctx, func() bool { return slices.Equal(chat.Texts(), want) }) != nil {
		w.t.Fatalf("chat %s reads %.300q, want %.300q", chat.ID(), chat.Texts(), want)
	}
	w.chats[chat] = want
	return chat.Messages()
}

// hears waits until the bot has said of every text that it heard it: each once,
// in this order, in however many answers.
func (w *slackWorld) hears(chat *fakeslack.Chat, want ...string) {
	w.t.Helper()
	heard := func() []string {
		var all []string
		for _, text := range chat.Texts() {
			all = append(all, strings.Split(strings.TrimPrefix(text, heardMark), ", ")...)
		}
		return all
	}
	if w.srv.Until(w.ctx, func() bool { return slices.Equal(heard(), want) }) != nil {
		w.t.Fatalf("chat %s was told that %.300q was heard, want %.300q", chat.ID(), heard(), want)
	}
	w.chats[chat] = chat.Texts()
}

// says waits until some message of the bot in a chat holds every one of words.
func (w *slackWorld) says(chat *fakeslack.Chat, words ...string) {
	w.t.Helper()
	if w.srv.Until(w.ctx, func() bool {
		return slices.ContainsFunc(chat.Texts(), func(text string) bool { return together(text, words) })
	}) != nil {
		w.t.Fatalf("no message holds %q:\n%s", words, strings.Join(chat.Texts(), "\n---\n"))
	}
}

// asked waits for a question in a chat.
func (w *slackWorld) asked(chat *fakeslack.Chat) (q fakeslack.Message) {
	w.t.Helper()
	w.await("a question", func() bool {
		list := chat.Messages()
		for i := range list {
			if len(list[i].Buttons) > 0 {
				q = list[i]
			}
		}
		return q.TS != ""
	})
	return q
}

// sends are the attempts to post in a chat.
func (w *slackWorld) sends(chat *fakeslack.Chat) []fakeslack.Request {
	return slices.DeleteFunc(w.srv.Requests("chat.postMessage"), func(r fakeslack.Request) bool { return r.Chat != chat.ID() })
}

// rests waits until the store's counts are as cond wants them.
func (w *slackWorld) rests(what string, cond func(session.Status) bool) {
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

// turns are how often the model was asked.
func (w *world) turns() int { return len(w.model.Requests()) }
