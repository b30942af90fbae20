package slack_test

import (
	"errors"
	"fmt"
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

// The token of another workspace or app ends Run: the stored messages are the first
// one's.
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

// Names are asked for beside receiving, once for each person, and come with that
// person's next message.
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
