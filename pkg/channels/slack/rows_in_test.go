package slack_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// A socket is replaced while a hundred events are on their way: none is lost, none
// comes twice, each chat keeps its order.
func TestARefreshWithAHundredEventsInFlight(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"refresh_requested", "warning"} {
		b := newBench(t, nil, fakeslack.Options{AckWait: 20 * time.Second, Linger: 50 * time.Millisecond})
		var chats []*fakeslack.Chat
		for n := range 5 {
			chats = append(chats, b.srv.DM(b.srv.User(fmt.Sprint("P", n))))
		}
		if err := b.srv.AwaitSocket(inboxtest.Limited(t)); err != nil {
			t.Fatal(err)
		}
		gate := make(chan struct{})
		b.store.Before = func(ctx context.Context, _ int, _ []channels.Inbound) error {
			select {
			case <-gate:
			case <-ctx.Done():
			}
			return nil
		}
		for n := range 50 {
			chats[n%5].Say(fmt.Sprint(n))
		}
		b.srv.Disconnect(reason)
		for n := 50; n < 100; n++ {
			chats[n%5].Say(fmt.Sprint(n))
		}
		b.until(t, "another socket", func() bool { return b.srv.Opened() == 2 })
		close(gate)
		items := b.store.Await(t, 100)
		b.acked(t)
		last := map[string]int{}
		for n := range items {
			var number int
			if _, err := fmt.Sscan(items[n].Text, &number); err != nil {
				t.Fatal(err)
			}
			if before, ok := last[items[n].Address.Chat]; ok && before >= number {
				t.Errorf("%s: %d came after %d", reason, number, before)
			}
			last[items[n].Address.Chat] = number
		}
		if len(items) != 100 {
			t.Errorf("%s: %d items", reason, len(items))
		}
		b.stop()
	}
}

// The new socket is open before the old one ends, and what is still acknowledged on
// the old one counts.
func TestASocketIsReplacedBeforeItEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, fakeslack.Options{Linger: time.Hour})
	b.until(t, "a socket", func() bool { return b.srv.Sockets() == 1 })
	b.srv.Disconnect("refresh_requested")
	b.until(t, "two sockets at once", func() bool { return b.srv.Sockets() == 2 })
	b.srv.DM(b.srv.User("Ann")).Say("hello")
	b.acked(t)
	if h := b.ch.Health(); h.State != channels.HealthOK {
		t.Errorf("the health is %+v", h)
	}
}

// What happened while no socket was open comes as a retry: it is as good as a first copy.
func TestAFirstCopyMayBeARetry(t *testing.T) {
	t.Parallel()
	b := &bench{srv: fakeslack.New(t), store: inboxtest.New(), log: &inboxtest.Log{}}
	b.srv.DM(b.srv.User("Ann")).Say("while nobody listened")
	b.start(t, b.options())
	got := b.store.Await(t, 1)
	b.acked(t)
	if got[0].Text != "while nobody listened" {
		t.Errorf("stored: %+v", got)
	}
}

// Both shapes of one post are one item, whichever comes first.
func TestBothShapesOfAPostAreOneItem(t *testing.T) {
	t.Parallel()
	var items []channels.Inbound
	for _, mentionFirst := range []bool{false, true} {
		b := newBench(t, nil, fakeslack.Options{MentionFirst: mentionFirst})
		general := b.srv.Channel("general", b.srv.User("Ann"))
		event := general.Say(b.srv.Mention() + ": what now?")
		if len(event.Envelopes) != 2 {
			t.Fatalf("%d envelopes", len(event.Envelopes))
		}
		b.acked(t)
		got := b.store.All()
		if len(got) != 1 || got[0].Text != "what now?" || !got[0].Mentioned || got[0].Address.Thread != event.TS {
			t.Fatalf("mention first: %v: %+v", mentionFirst, got)
		}
		items = append(items, got[0])
	}
	if items[0].Text != items[1].Text || items[0].Mentioned != items[1].Mentioned {
		t.Errorf("the shapes differ: %+v", items)
	}
}

// An edit and a deletion tell what they are about, whether or not that has come.
func TestEditsAndDeletionsTellTheirOriginal(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	dm := b.srv.DM(b.srv.User("Ann"))
	said := dm.Say("helo")
	b.store.Await(t, 1)
	dm.Edit(said.TS, "hello")
	b.store.Await(t, 2)
	dm.Delete(said.TS)
	got := b.store.Await(t, 3)
	b.acked(t)
	original := "msg/" + dm.ID() + "/" + said.TS
	if got[0].ID != original || got[0].Original != "" {
		t.Errorf("the message is %+v", got[0])
	}
	if got[1].Kind != channels.KindEdit || got[1].Original != original || got[1].MessageID != said.TS || got[1].Text != "hello" {
		t.Errorf("the edit is %+v", got[1])
	}
	if got[2].Kind != channels.KindDelete || got[2].Original != original || got[2].MessageID != said.TS {
		t.Errorf("the deletion is %+v", got[2])
	}
}

// What nobody knows is kept without its secrets and acknowledged.
func TestUnknownEnvelopesAreKeptAndAcknowledged(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.until(t, "a socket", func() bool { return b.srv.Sockets() == 1 })
	b.srv.Send("telepathy", map[string]any{"thought": "x", "token": "verification-token"})
	b.srv.Send("events_api", map[string]any{"type": "event_callback", "event": map[string]any{"type": "moon_phase"}})
	b.srv.Send("events_api", "no object")
	b.srv.Send("interactive", map[string]any{"type": "shortcut"})
	b.srv.SendRaw("this is no JSON")
	b.srv.SendRaw(`{"no":"id"}`)
	b.srv.DM(b.srv.User("Ann")).Say("and a message")
	b.store.Await(t, 1)
	b.acked(t)
	want := []string{"events_api moon_phase", "events_api unreadable", "interactive shortcut", "telepathy", "unreadable", "unreadable"}
	if got := b.kept(); !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, raw := range b.raws {
		if !json.Valid(raw) || strings.Contains(string(raw), "verification-token") {
			t.Errorf("kept: %s", raw)
		}
	}
}

// A message of a size that Slack never sends is acknowledged by its id, told, and
// does not end the socket.
func TestAHugeMessageIsToldAndAcknowledged(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.until(t, "a socket", func() bool { return b.srv.Sockets() == 1 })
	dm := b.srv.DM(b.srv.User("Ann"))
	dm.Say(strings.Repeat("x", 40_000))
	if got := b.store.Await(t, 1); len(got[0].Text) != 40_000 {
		t.Errorf("stored: %d bytes", len(got[0].Text))
	}
	b.srv.Send("events_api", map[string]any{"event": strings.Repeat("y", 6<<20)})
	b.acked(t)
	if got := b.kept(); !slices.Equal(got, []string{"oversized"}) {
		t.Errorf("kept: %q", got)
	}
	dm.Say("after it")
	b.store.Await(t, 2)
	b.acked(t)
	if n := b.srv.Opened(); n != 1 {
		t.Errorf("%d sockets", n)
	}
}

// A slash command is acknowledged so that everybody sees it, a press with nothing.
func TestCommandsAndTheirAcknowledgement(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.until(t, "a socket", func() bool { return b.srv.Sockets() == 1 })
	ann := b.srv.User("Ann")
	general := b.srv.Channel("general", ann)
	for _, text := range []string{"stop", "tell me more", ""} {
		general.Command(text)
	}
	got := b.store.Await(t, 3)
	b.acked(t)
	if all := inboxtest.Texts(got); !slices.Equal(all, []string{"/stop", "tell me more", "/help"}) {
		t.Errorf("stored: %q", all)
	}
	for n := range got {
		if got[n].Address.Thread != "" || !got[n].Mentioned {
			t.Errorf("%+v", got[n])
		}
	}
}

// Bots, the bot itself among them, start nothing.
func TestBotsStartNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	general := b.srv.Channel("general", b.srv.User("Ann"))
	general.SayAs("BOTHER", b.srv.Mention()+" hello, fellow bot")
	general.Say("a person")
	b.store.Await(t, 1)
	b.acked(t)
	if got := inboxtest.Texts(b.store.All()); !slices.Equal(got, []string{"a person"}) {
		t.Errorf("stored: %q", got)
	}
}

// Ten gateways of one app share its events; the eleventh is told to wait, and says so.
func TestTenSockets(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	shared := inboxtest.New()
	var all []*bench
	for range 11 {
		b := &bench{srv: srv, store: shared, log: &inboxtest.Log{}}
		b.start(t, b.options())
		all = append(all, b)
	}
	waiting := func() (n int) {
		for _, b := range all {
			if b.ch.Health().State == channels.HealthDegraded {
				n++
			}
		}
		return n
	}
	all[0].until(t, "ten sockets, and one refused", func() bool { return srv.Sockets() == 10 })
	for _, b := range all {
		go func() { _, _ = b.log.Write(nil) }()
	}
	dm := srv.DM(srv.User("Ann"))
	for n := range 50 {
		dm.Say(fmt.Sprint(n))
	}
	if got := shared.Await(t, 50); len(got) != 50 {
		t.Errorf("%d items", len(got))
	}
	all[0].acked(t)
	if n := waiting(); n > 1 {
		t.Errorf("%d wait for a place", n)
	}
}

// The token of another workspace or app ends Run: what is stored is the first one's.
func TestAnotherAccountEndsRun(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	team, user, bot := srv.Identity()
	for _, me := range []slack.Identity{{Team: "TOTHER", User: user, Bot: bot}, {Team: team, User: "UOTHER", Bot: bot}} {
		b := &bench{srv: srv}
		ch, err := slack.New(b.options(), me)
		if err != nil {
			t.Fatal(err)
		}
		err = ch.Run(inboxtest.Limited(t), channels.NewIngress(inboxtest.New(), inboxtest.Everyone{}, zerolog.Nop()))
		if err == nil || !strings.Contains(err.Error(), "another workspace or app") {
			t.Errorf("%+v: Run: %v", me, err)
		}
	}
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	b := &bench{srv: srv}
	opt := b.options()
	got, err := slack.Identify(inboxtest.Limited(t), opt)
	if err != nil || got != b.identity() {
		t.Errorf("%+v, %v", got, err)
	}
	opt.APIURL = strings.TrimSuffix(opt.APIURL, "/")
	if got, err := slack.Identify(inboxtest.Limited(t), opt); err != nil || got != b.identity() {
		t.Errorf("without the last slash: %+v, %v", got, err)
	}
	for _, name := range []string{
		"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "no_permission",
		"org_login_required", "team_access_not_granted", "not_allowed_token_type",
	} {
		heal := srv.Harm(fakeslack.Rule{Method: "auth.test", Fault: fakeslack.Refusal(name)})
		if _, err := slack.Identify(inboxtest.Limited(t), opt); !errors.Is(err, slack.ErrRefused) ||
			strings.Contains(err.Error(), srv.BotToken()) {
			t.Errorf("%s: %v", name, err)
		}
		heal()
	}
	srv.Harm(fakeslack.Rule{Method: "auth.test", Fault: fakeslack.BadGateway()})
	if _, err := slack.Identify(inboxtest.Limited(t), opt); err == nil || errors.Is(err, slack.ErrRefused) {
		t.Errorf("an outage: %v", err)
	}
}

// No option that is wrong is taken, and no error shows a secret.
func TestNewRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	secret := func() string { return "xoxb-very-secret" }
	none := func() string { return "" }
	for name, test := range map[string]struct {
		change func(o *slack.Options)
		says   string
	}{
		"no bot token":      {func(o *slack.Options) { o.BotToken = none }, "bot token"},
		"no app token":      {func(o *slack.Options) { o.AppToken = nil }, "app token"},
		"no signing secret": {func(o *slack.Options) { o.Events = &slack.Events{Listen: "127.0.0.1:0", SigningSecret: none} }, "signing secret"},
		"no address":        {func(o *slack.Options) { o.Events = &slack.Events{SigningSecret: secret} }, "listen"},
		"a stream":          {func(o *slack.Options) { o.Stream = "loud" }, `"loud"`},
		"an address":        {func(o *slack.Options) { o.APIURL = "ftp://xoxb-very-secret" }, "api_url"},
		"a proxy":           {func(o *slack.Options) { o.Proxy = "gopher://u:xoxb-very-secret@h" }, "proxy"},
	} {
		o := slack.Options{BotToken: secret, AppToken: secret}
		test.change(&o)
		if _, err := slack.New(o, me()); err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := slack.New(slack.Options{BotToken: secret, AppToken: secret}, slack.Identity{}); err == nil {
		t.Error("an identity without a workspace was taken")
	}
}

// Names are asked for beside taking in, once for each person, and come with what they
// say next.
func TestNamesComeWithWhatIsSaidNext(t *testing.T) {
	t.Parallel()
	underFakeTime(t, func(_ *slack.Options, b *bench) {
		b.srv.Harm(fakeslack.Rule{Method: "users.info", Fault: fakeslack.Fault{Delay: 5 * time.Second}})
	}, func(t *testing.T, b *bench) {
		t.Helper()
		ann := b.srv.User("Ann")
		dm := b.srv.DM(ann)
		for _, text := range []string{"one", "two"} {
			dm.Say(text)
			after(time.Second)
			if got := b.store.All(); got[len(got)-1].Sender.Name != "" || len(b.srv.Unacked()) != 0 {
				t.Errorf("%s is %+v; not acknowledged: %v", text, got, b.srv.Unacked())
			}
		}
		after(5 * time.Second)
		for _, text := range []string{"three", "four"} {
			dm.Say(text)
			after(time.Second)
			got := b.store.All()
			if last := got[len(got)-1]; last.Sender != (channels.Sender{ID: ann.ID, Name: "Ann"}) {
				t.Errorf("%s is of %+v", text, last.Sender)
			}
		}
		if n := b.srv.Count("users.info"); n != 1 {
			t.Errorf("asked %d times", n)
		}
		after(2 * time.Hour)
		dm.Say("five")
		after(10 * time.Second)
		if n := b.srv.Count("users.info"); n != 2 {
			t.Errorf("asked %d times in two hours", n)
		}
	})
}

// However many people write, few questions about names are under way at once, and few
// names are remembered.
func TestNamesAreBounded(t *testing.T) {
	t.Parallel()
	underFakeTime(t, nil, func(t *testing.T, b *bench) {
		t.Helper()
		var people []*fakeslack.User
		for n := range 1100 {
			people = append(people, b.srv.User(fmt.Sprint("P", n)))
		}
		general := b.srv.Channel("general", people...)
		for _, p := range people {
			general.As(p).Say("hello")
			synctest.Wait()
		}
		if n := len(b.store.All()); n != len(people) {
			t.Errorf("%d items", n)
		}
		if n := b.ch.Known(); n > 1000 || n < 900 {
			t.Errorf("%d names are remembered", n)
		}
	})
}
