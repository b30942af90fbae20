package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
	"parley/internal/test/rig"
)

// slackWorld is a gateway with an app on Slack.
type slackWorld struct {
	*platformWorld[string, fakeslack.Message, *fakeslack.Chat]
	srv *fakeslack.Server
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
	w := prepareSlack(t, srv, b, c)
	w.run()
	return w
}

// prepareSlack makes everything but the gateway's process.
func prepareSlack(t *testing.T, srv *fakeslack.Server, b brain, c rig.Config) *slackWorld {
	t.Helper()
	secrets := []string{srv.BotToken(), srv.AppToken(), srv.SigningSecret()}
	w := &slackWorld{onPlatform[string, fakeslack.Message, *fakeslack.Chat](t, srv, b, c, secrets...), srv}
	w.sends = func(chat *fakeslack.Chat) (all []attempt) {
		requests := srv.Requests("chat.postMessage")
		for i := range requests {
			if r := &requests[i]; r.Chat == chat.ID() {
				all = append(all, attempt{r.Status, r.Done})
			}
		}
		return all
	}
	return w
}

// linked waits until there is a socket: a press or a command comes once, and is lost
// without one.
func (w *slackWorld) linked() {
	w.t.Helper()
	w.await("a socket", func() bool { return w.srv.Sockets() > 0 })
}

// meets has people write in a channel, not to the bot, until their names are known: the
// bot asks for them beside its work, and people whom it does not know yet have none.
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

// manners are how the tests of trouble write and look on Slack.
func (w *slackWorld) manners() manners[*fakeslack.Chat] {
	return manners[*fakeslack.Chat]{
		say: func(chat *fakeslack.Chat, text string) { chat.Say(text) },
		sent: func(chat *fakeslack.Chat) (all []time.Time) {
			for _, m := range chat.Messages() { //nolint:gocritic // few
				all = append(all, m.Sent)
			}
			return all
		},
	}
}
