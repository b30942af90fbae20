package telegram_test

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"parley/internal/test/faketelegram"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

// bench is a channel at work on a server.
type bench struct {
	srv   *faketelegram.Server
	bot   *faketelegram.Bot
	store *inboxtest.Inbox
	log   *inboxtest.Log
	ch    *telegram.Channel
	stop  func()
}

// newBench runs a channel until the test ends; change may alter the options, and
// harm the server, before it starts.
func newBench(t *testing.T, change func(*telegram.Options, *bench)) *bench {
	t.Helper()
	b := &bench{srv: faketelegram.New(t), store: inboxtest.New(), log: &inboxtest.Log{}}
	b.bot = b.srv.Bot()
	opt := b.options()
	if change != nil {
		change(&opt, b)
	}
	b.start(t, opt)
	return b
}

func (b *bench) options() telegram.Options {
	token := b.bot.Token()
	return telegram.Options{
		Token: func() string { return token }, APIURL: b.srv.URL(), Log: zerolog.New(b.log),
	}
}

func (b *bench) start(t *testing.T, opt telegram.Options) {
	t.Helper()
	ch, err := telegram.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	b.ch, b.stop = ch, inboxtest.Run(t, ch, b.store, inboxtest.Everyone{}, opt.Log)
}

// confirmed waits until the server has no updates left.
func (b *bench) confirmed(t *testing.T) {
	t.Helper()
	if err := b.bot.AwaitConfirmed(inboxtest.Limited(t)); err != nil {
		t.Fatalf("not confirmed: %+v: %v", b.bot.Unconfirmed(), err)
	}
}

// healthy waits until Health tells the state.
func (b *bench) healthy(t *testing.T, state channels.HealthState) {
	t.Helper()
	b.log.Until(t, "health "+string(state), func() bool { return b.ch.Health().State == state })
}

// until waits for something that the server can see.
func (b *bench) until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	if err := b.srv.Until(inboxtest.Limited(t), cond); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// keepsToken fails the test if the token is anywhere it must not be.
func (b *bench) keepsToken(t *testing.T, token string) {
	t.Helper()
	_, secret, _ := strings.Cut(token, ":")
	for where, text := range map[string]string{"the log": b.log.String(), "the health": b.ch.Health().Reason} {
		if strings.Contains(text, secret) {
			t.Errorf("the token is in %s: %s", where, text)
		}
	}
}

// private are the chat and the sender of a message in a direct chat, as fields.
const private = `"chat":{"id":42,"type":"private","first_name":"Ada"},"from":{"id":42,"first_name":"Ada","last_name":"L"}`
