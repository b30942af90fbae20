package slack_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// bench is a channel at work on a server.
type bench struct {
	srv   *fakeslack.Server
	store *inboxtest.Inbox
	log   *inboxtest.Log
	ch    *slack.Channel
	stop  func()

	mu     sync.Mutex
	unread []string
	raws   []json.RawMessage
}

// newBench runs a channel until the test ends; change may alter the options, and
// harm the server, before it starts.
func newBench(t *testing.T, change func(*slack.Options, *bench), opts ...fakeslack.Options) *bench {
	t.Helper()
	b := &bench{srv: fakeslack.New(t, opts...), store: inboxtest.New(), log: &inboxtest.Log{}}
	opt := b.options()
	if change != nil {
		change(&opt, b)
	}
	b.start(t, opt)
	return b
}

func (b *bench) options() slack.Options {
	return slack.Options{
		BotToken: b.srv.BotToken, AppToken: b.srv.AppToken, APIURL: b.srv.URL(), Log: zerolog.New(b.log),
		Command: func(words string) string {
			return map[string]string{"": "/help", "stop": "/stop"}[words]
		},
		Unread: func(kind string, raw json.RawMessage) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.unread, b.raws = append(b.unread, kind), append(b.raws, raw)
		},
	}
}

func (b *bench) identity() slack.Identity {
	team, user, bot := b.srv.Identity()
	return slack.Identity{Team: team, User: user, Bot: bot}
}

func (b *bench) start(t *testing.T, opt slack.Options) {
	t.Helper()
	ch, err := slack.New(opt, b.identity())
	if err != nil {
		t.Fatal(err)
	}
	b.run(t, ch, opt.Log)
}

func (b *bench) run(t *testing.T, ch *slack.Channel, log zerolog.Logger) {
	t.Helper()
	b.runWith(t, ch, log, inboxtest.Everyone{})
}

func (b *bench) runWith(t *testing.T, ch *slack.Channel, log zerolog.Logger, auth channels.Authorizer) {
	t.Helper()
	b.ch, b.stop = ch, inboxtest.Run(t, ch, b.store, auth, log)
}

// acked waits until the server has everything acknowledged.
func (b *bench) acked(t *testing.T) {
	t.Helper()
	if err := b.srv.AwaitAcked(inboxtest.Limited(t)); err != nil {
		t.Fatalf("not acknowledged: %+v: %v\n%s", b.srv.Unacked(), err, b.log)
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
		t.Fatalf("%s: %v\n%s", what, err, b.log)
	}
}

// kept are the kinds that went to Unread, sorted.
func (b *bench) kept() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(slices.Values(b.unread))
}

// keepsSecrets fails the test if a secret is anywhere it must not be.
func (b *bench) keepsSecrets(t *testing.T) {
	t.Helper()
	for where, text := range map[string]string{"the log": b.log.String(), "the health": b.ch.Health().Reason} {
		for _, secret := range []string{b.srv.BotToken(), b.srv.AppToken(), b.srv.SigningSecret(), "ticket="} {
			if strings.Contains(text, secret) {
				t.Errorf("a secret is in %s: %s", where, text)
			}
		}
	}
}

// me is the app of tests without a workspace.
func me() slack.Identity { return slack.Identity{Team: "T1", User: "UBOT", Bot: "B1"} }
