package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/pkg/session"
)

func TestTelegramLimitsOneChat(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	slow, other := tg.Private(tg.User("Ada")), tg.Private(tg.User("Bert"))
	w := newTelegram(t, tg, echoes)
	const seconds = 2
	tg.Harm(faketelegram.Rule{Method: "sendMessage", Chat: slow.ID(), Times: 1, Fault: faketelegram.TooManyRequests(seconds)})
	w.limitsOneChat(w.manners(), slow, other, seconds*time.Second)
}

// TestTelegramChatsInTroubleDelayNobody has one silent chat, in which no request gets
// an answer, one that is told to wait again and again, and people who ask beside them.
func TestTelegramChatsInTroubleDelayNobody(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	hanging, limited := tg.Private(tg.User("Ada")), tg.Private(tg.User("Bert"))
	var others []*faketelegram.Chat
	for range 20 {
		others = append(others, tg.Private(tg.User("Cleo")))
	}
	const seconds = 3
	answer := tg.Harm(faketelegram.Rule{Chat: hanging.ID(), Fault: faketelegram.Fault{HalfOpen: true}})
	admit := tg.Harm(faketelegram.Rule{Chat: limited.ID(), Fault: faketelegram.TooManyRequests(seconds)})
	w := newTelegram(t, tg, echoes)
	w.troubleDelaysNobody(w.manners(), hanging, limited, others, seconds*time.Second, admit, answer)
}

// TestTelegramBlocked has a person block the bot while it works for them.
func TestTelegramBlocked(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat, other := tg.Private(tg.User("Ada")), tg.Private(tg.User("Bert"))
	asked, open := make(chan struct{}, 1), make(chan struct{})
	var w *telegramWorld
	w = newTelegram(t, tg, func(req fakemodel.Request) fakemodel.Answer {
		switch {
		case strings.HasPrefix(lastUser(req), "[background task]"):
			return fakemodel.Say("NO_REPLY")
		case len(results(req)) > 0:
			// The result of the work is the first that Telegram refuses.
			if err := tg.Until(w.ctx, func() bool { return len(w.sends(chat)) == 1 && w.sends(chat)[0].status != 0 }); err != nil {
				return fakemodel.Say(err.Error())
			}
			return fakemodel.Say("heard: work")
		case lastUser(req) == "work":
			asked <- struct{}{}
			<-open
			return fakemodel.Call("background", `{"text":"done","n":0}`)
		}
		return echoes(req)
	}, chat)
	chat.Say("work")
	<-asked
	chat.Block()
	close(open)
	w.refused(chat, http.StatusForbidden, 1)
	w.rests("the answer that cannot leave", func(s session.Status) bool {
		return s.Refused == 1 && s.Sending == 1 && s.Waiting == 0 && s.OpenTasks == 0
	})
	other.Say("and I?")
	w.hears(other, "and I?")
	if n := len(w.sends(chat)); n != 1 {
		t.Errorf("%d attempts to send to somebody who blocked the bot, want 1", n)
	}
	chat.Unblock()
	chat.Say("again")
	w.hears(chat, "work", "again")
}

// TestTelegramMigration makes a supergroup of a group after the first of the
// parts of an answer. The bot learns it from Telegram's message, or when it is refused.
func TestTelegramMigration(t *testing.T) {
	t.Parallel()
	for name, migrate := range map[string]func(*faketelegram.Chat) *faketelegram.Chat{
		"told": (*faketelegram.Chat).Migrate, "not told": (*faketelegram.Chat).MigrateQuietly,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tg := faketelegram.New(t)
			group := tg.Group("all", tg.User("Ada"))
			var words []string
			for i := range 2000 {
				words = append(words, fmt.Sprintf("w%04d", i))
			}
			w := newTelegram(t, tg, func(req fakemodel.Request) fakemodel.Answer {
				if said := persons(req); len(said) > 1 {
					return fakemodel.Say(heardMark + strings.Join(said, ", "))
				}
				return fakemodel.Say(strings.Join(words, " "))
			})
			tg.Harm(faketelegram.Rule{
				Method: "sendMessage", Chat: group.ID(), Skip: 1, Times: 1, Fault: faketelegram.TooManyRequests(1),
			})
			group.Say(mention(tg) + "tell")
			w.refused(group, http.StatusTooManyRequests, 1)
			if n := len(group.Texts()); n != 1 {
				t.Fatalf("%d parts before the migration, want 1", n)
			}
			to := migrate(group)
			said := func() []string { return strings.Fields(strings.Join(append(group.Texts(), to.Texts()...), " ")) }
			w.await("the rest of the answer", func() bool { return slices.Equal(said(), words) })
			if n := len(to.Texts()); n != 2 {
				t.Errorf("%d parts after the migration, want 2", n)
			}
			to.Say(mention(tg) + "and now?")
			w.await("the next answer", func() bool { return len(to.Texts()) == 3 })
			want := fmt.Sprintf("heard: Ada: %[1]stell, Ada: %[1]sand now?", mention(tg))
			if got := to.Texts()[2]; got != want {
				t.Errorf("the next answer is %q, want %q", got, want)
			}
			if n := len(group.Texts()); n != 1 {
				t.Errorf("the old group has %d messages", n)
			}
		})
	}
}

// TestTelegramKeepsItsTokenToItself has everything fail in which the token has a
// part; each test's log is looked at in the end.
func TestTelegramKeepsItsTokenToItself(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	for method, faults := range map[string][]faketelegram.Fault{
		"getMe":       {faketelegram.BadGateway()},
		"getUpdates":  {{DropBefore: true}, {DropAfter: true}, faketelegram.BadGateway(), {Cut: 10}},
		"sendMessage": {faketelegram.BadGateway(), faketelegram.InternalError(), {DropBefore: true}},
	} {
		for i, fault := range faults {
			// The newest rule comes first, so each lets those before it pass.
			tg.Harm(faketelegram.Rule{Method: method, Skip: i, Times: 1, Fault: fault})
		}
	}
	w := newTelegram(t, tg, echoes)
	chat.Say("hello")
	w.hears(chat, "hello")
	for method, n := range map[string]int{"getMe": 1, "getUpdates": 4, "sendMessage": 3} {
		w.await("the failures of "+method, func() bool {
			failed := 0
			for _, r := range tg.Requests(method) {
				if r.Faulty {
					failed++
				}
			}
			return failed == n
		})
	}
	status, err := w.gw.Command(w.ctx, nil, "status", "--json").CombinedOutput()
	_, secret, _ := strings.Cut(tg.Token(), ":")
	if err != nil || strings.Contains(string(status), secret) {
		t.Errorf("status: %v, %s", err, status)
	}
}
