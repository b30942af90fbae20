package slack_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// Slack takes a slash command in places without the bot. The answer cannot arrive there,
// so the person is told, once for each command, where none of the others reads it.
func TestACommandWhereTheBotIsNotIsToldSo(t *testing.T) {
	t.Parallel()
	b := &bench{srv: fakeslack.New(t), store: inboxtest.New(), log: &inboxtest.Log{}}
	ann, bert := b.srv.User("Ann"), b.srv.User("Bert")
	opt := b.options()
	ch, err := slack.New(opt, b.identity())
	if err != nil {
		t.Fatal(err)
	}
	b.runWith(t, ch, opt.Log, only{ann.ID})
	b.until(t, "a socket", func() bool { return b.srv.Sockets() == 1 })
	public, private, home := b.srv.Channel("general", ann, bert), b.srv.Private("plans", ann, bert), b.srv.Channel("home", ann)
	public.Leave()
	private.Leave()
	answer := func(at channels.Address) error {
		_, err := ch.Send(inboxtest.Limited(t), channels.Part{Outbound: channels.Outbound{Address: at, Text: "the secret answer"}, Count: 1})
		return err
	}
	for n, chat := range []*fakeslack.Chat{public, private} {
		chat.Command("what now?")
		chat.As(bert).Command("and for me?") // is not let in
		at := b.store.Await(t, n+1)[n].Address
		b.acked(t)
		for range 2 {
			if se := channels.ClassOf(answer(at)); se.Class != channels.SendGone {
				t.Fatalf("%s: %v", chat.ID(), se)
			}
		}
		told := b.srv.Responses()
		if len(told) != n+1 {
			t.Fatalf("%s: told %+v", chat.ID(), told)
		}
		got := told[n]
		cure := strings.Contains(got.Text, "/invite") && !strings.Contains(got.Text, "secret")
		if got.Chat != chat.ID() || got.User != ann.ID || got.InChannel || !cure {
			t.Errorf("%s: told %+v", chat.ID(), got)
		}
	}
	home.Command("here I am")
	at := b.store.Await(t, 3)[2].Address
	if err := answer(at); err != nil {
		t.Error(err)
	}
	if n := len(b.srv.Responses()); n != 2 {
		t.Errorf("%d were told", n)
	}
	b.keepsSecrets(t)
	for where, text := range map[string]string{"log": b.log.String(), "store": fmt.Sprintf("%+v %s", b.store.All(), b.store.All()[0].Raw)} {
		if strings.Contains(text, "/respond/") {
			t.Errorf("an address to answer at is in the %s: %s", where, text)
		}
	}
}
