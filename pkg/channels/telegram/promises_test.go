package telegram_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/internal/test/faketelegram"
	"parley/internal/test/inboxtest"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

// TestAChatThatIsGoneIsTriedOnce goes on where its person comes back: with the waiting
// messages, in order, after one attempt at most meanwhile.
func TestAChatThatIsGoneIsTriedOnce(t *testing.T) {
	t.Parallel()
	srv, c := sender(t, func(o *telegram.Options) { o.Rates = telegram.Rates{PerChat: -1, PerBot: -1} })
	chat := srv.Private(srv.User("Ann"))
	at := where(c, chat)
	e := outboxtest.Open(t, t.TempDir())
	for _, text := range []string{"one", "two", "three"} {
		outboxtest.Queue(t, e, channels.Outbound{ID: text, Address: at, Text: text})
	}
	chat.Block()
	stop := outboxtest.Send(t, channels.EgressOptions{Outbox: e.Outbox(), Channel: c, Log: zerolog.Nop()})
	defer stop()
	outboxtest.Await(t, e, 2) // the first is settled as refused, the others wait
	if info, err := e.Sessions().Lookup(t.Context(), at); err != nil || !info.Suspended {
		t.Errorf("the chat is not known to be gone: %v", err)
	}
	chat.Unblock()
	chat.Say("I am back")
	outboxtest.Queue(t, e, channels.Outbound{ID: "four", Address: at, Text: "four"}) // it answers the person's message
	outboxtest.Await(t, e, 0)
	if diff := cmp.Diff([]string{"two", "three", "four"}, chat.Texts()); diff != "" {
		t.Errorf("(-want +seen):\n%s", diff)
	}
	if n := srv.Count("sendMessage"); n != 4 {
		t.Errorf("%d requests for 4 messages", n)
	}
}

// TestEveryUpdateIsAskedForAnew: whatever the polls meet, the server is not told to
// forget waiting updates.
func TestEveryUpdateIsAskedForAnew(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(_ *telegram.Options, b *bench) {
		b.srv.Harm(faketelegram.Rule{Method: "getUpdates", Skip: 1, Times: 2, Fault: faketelegram.BadGateway()})
	})
	ada := b.srv.Private(b.srv.User("Ada"))
	for i := range 3 {
		ada.Say(fmt.Sprint(i))
		b.store.Await(t, i+1)
	}
	b.confirmed(t)
	for _, r := range b.srv.Requests("") {
		if strings.HasPrefix(r.Params["offset"], "-") || r.Params["drop_pending_updates"] == "true" {
			t.Errorf("%s with %v", r.Method, r.Params)
		}
	}
	if got := inboxtest.Texts(b.store.All()); len(got) != 3 {
		t.Errorf("stored %q", got)
	}
}

// TestTheChannelDoesNotShowItsToken, however somebody prints it.
func TestTheChannelDoesNotShowItsToken(t *testing.T) {
	t.Parallel()
	srv, c := sender(t, func(o *telegram.Options) {
		o.Webhook = &telegram.Webhook{Listen: "127.0.0.1:1", PublicURL: "https://bot.example.org/", Secret: func() string { return hookSecret }}
	})
	_, secret, _ := strings.Cut(srv.Token(), ":")
	if _, err := c.Send(t.Context(), outboxtest.Whole(where(c, srv.Private(srv.User("Ann"))), "text")); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if shown := fmt.Sprintf(verb, c); strings.Contains(shown, secret) || strings.Contains(shown, hookSecret) {
			t.Errorf("%s shows a secret: %s", verb, shown)
		}
	}
}

const (
	envPanicURL   = "PARLEY_TEST_PANIC_URL"
	envPanicToken = "PARLEY_TEST_PANIC_TOKEN"
)

// TestTokenIsInNoPanic lets a process panic while its channel polls,
// and looks at everything that the process says at its end.
func TestTokenIsInNoPanic(t *testing.T) {
	t.Parallel()
	if url, ok := os.LookupEnv(envPanicURL); ok { //nolint:forbidigo // this is the process that panics
		panicInAChannel(t, url)
		return
	}
	srv := faketelegram.New(t)
	srv.Private(srv.User("Ann")).Photo([]byte("a picture"), "look")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestTokenIsInNoPanic$")
	child.Env = []string{"GOTRACEBACK=all", envPanicURL + "=" + srv.URL(), envPanicToken + "=" + srv.Token()}
	var said bytes.Buffer
	child.Stdout, child.Stderr = &said, &said
	child.WaitDelay = time.Second
	if err := child.Run(); err == nil || ctx.Err() != nil {
		t.Fatalf("the process did not panic: %v\n%s", err, &said)
	}
	for _, want := range []string{"panic: while an update is stored", "telegram.(*Channel)"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not in what it said:\n%s", want, &said)
		}
	}
	if _, secret, _ := strings.Cut(srv.Token(), ":"); strings.Contains(said.String(), secret) {
		t.Errorf("the token is in what it said:\n%s", &said)
	}
}

// panicInAChannel runs a channel until a function that it calls panics.
func panicInAChannel(t *testing.T, url string) {
	t.Helper()
	c, err := telegram.New(telegram.Options{
		Token:  func() string { return os.Getenv(envPanicToken) }, //nolint:forbidigo // as above
		APIURL: url, Log: zerolog.New(os.Stderr),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := inboxtest.New()
	s.Before = func(context.Context, int, []channels.Inbound) error { panic("while an update is stored") }
	t.Fatal("it ended by itself: ", c.Run(ctx, channels.NewIngress(s, inboxtest.Everyone{}, zerolog.Nop())))
}
