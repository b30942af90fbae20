package gateway

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/slack"
	"parley/pkg/config"
	"parley/pkg/gateway/files"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// slackApp is an app with keys as its configuration of Slack.
func slackApp(t *testing.T, keys string) (*platforms, *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "parley.yaml")
	text := "state_dir: state\nowners: [slack:T1/U0OWNER]\nchannels:\n  slack: {enabled: true, bot_token: env:BOT, app_token: env:APP" +
		keys + "}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, config.Options{
		LookupEnv: func(name string) (string, bool) {
			return map[string]string{"BOT": "xoxb" + "-canary-bot", "APP": "xapp" + "-canary-app", "SIGNING": "canary-signing"}[name], true
		},
		Built: []string{slack.Name}, Owner: func(s string) error { return policy.CheckOwner(s, built()) },
		User: policy.CheckUser, Group: policy.CheckGroup,
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg.StateDir = t.TempDir()
	var log bytes.Buffer
	return &platforms{
		cfg: cfg, log: zerolog.New(&log), deadLetters: files.NewDeadLetters(cfg.StateDir, zerolog.Nop()),
	}, &log
}

// nobody has no pairs.
type nobody struct{}

func (nobody) Paired(string, string, string) (paired, owner bool) { return false, false }

// TestSlackRules: the people with access, and their rights.
func TestSlackRules(t *testing.T) {
	t.Parallel()
	direct := policy.Event{Kind: policy.KindMessage, Direct: true, Address: channels.Address{Channel: slack.Name, Account: "T1", Chat: "D1"}}
	channel := policy.Event{
		Kind:      policy.KindMessage,
		Mentioned: true,
		Address:   channels.Address{Channel: slack.Name, Account: "T1", Chat: "C1", Thread: "1.2"},
	}
	by := func(e policy.Event, id string) policy.Event { e.Sender.ID = id; return e }
	quiet := func(e policy.Event) policy.Event { e.Mentioned = false; return e }
	yes := func(l policy.Level) policy.Verdict { return policy.Verdict{Allow: true, Level: l} }
	no := policy.Verdict{Level: policy.LevelNone}
	for name, tc := range map[string]struct {
		keys  string
		event policy.Event
		want  policy.Verdict
	}{
		"a stranger may pair":         {"", by(direct, "U0X"), policy.Verdict{Level: policy.LevelNone, MayPair: true}},
		"without pairing":             {", pairing: off", by(direct, "U0X"), no},
		"a stranger in a channel":     {"", by(channel, "U0X"), no},
		"on the list":                 {", allow: [U0ANN]", by(direct, "U0ANN"), yes(policy.LevelRead)},
		"on the list of this team":    {", allow: [T1/U0ANN]", by(direct, "U0ANN"), yes(policy.LevelRead)},
		"on the list of another team": {", allow: [T2/U0ANN], pairing: off", by(direct, "U0ANN"), no},
		"in a channel":                {", allow: [U0ANN]", by(channel, "U0ANN"), yes(policy.LevelChat)},
		"levels":                      {", allow: [U0ANN], levels: {direct: chat}", by(direct, "U0ANN"), yes(policy.LevelChat)},
		"levels in channels":          {", allow: [U0ANN], levels: {groups: read}", by(channel, "U0ANN"), yes(policy.LevelRead)},
		"everyone":                    {", allow_everyone: true", by(direct, "T2/U0X"), yes(policy.LevelRead)},
		"an allowed channel":          {", channels: {allow: [C1]}", by(channel, "U0X"), yes(policy.LevelChat)},
		"an allowed channel is no DM": {", channels: {allow: [C1]}, pairing: off", by(direct, "U0X"), no},
		"not spoken to": {
			", channels: {allow: [C1]}", quiet(by(channel, "U0X")), policy.Verdict{Level: policy.LevelNone, Overheard: true},
		},
		"every message":                    {", channels: {allow: [C1], mention: off}", quiet(by(channel, "U0X")), yes(policy.LevelChat)},
		"an owner has the console's right": {"", by(direct, "U0OWNER"), policy.Verdict{Allow: true, Owner: true, Level: policy.LevelWrite}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, _ := slackApp(t, tc.keys)
			p, err := newPolicy(a.cfg)
			if err != nil {
				t.Fatal(err)
			}
			got := p.WithPairs(nobody{}).Authorize(t.Context(), tc.event)
			got.Reason = ""
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestThreadIsAlive for a week after the last there was in it, and no other thread is.
func TestThreadIsAlive(t *testing.T) {
	t.Parallel()
	atTheDoor(t, func(d *door) {
		thread := channels.Address{Channel: slack.Name, Account: "T1", Chat: "C1", Thread: "1.2"}
		other := thread
		other.Thread = "3.4"
		alive := func(at channels.Address) bool {
			d.Helper()
			yes, err := (&platforms{engine: d.desk.Engine}).alive(d.Context(), at)
			if err != nil {
				d.Fatal(err)
			}
			return yes
		}
		if alive(thread) {
			d.Error("alive before anything was said")
		}
		item := session.Item{
			ID: "msg/C1/1.2", Kind: session.ItemMessage, Address: thread, Time: time.Now(),
			Inbound: &channels.Inbound{ID: "msg/C1/1.2", Address: thread, Text: "hello", MessageID: "1.2"},
		}
		if err := d.desk.Engine.Inbox().Append(d.Context(), []session.Item{item}, nil); err != nil {
			d.Fatal(err)
		}
		ctx, stop := context.WithCancel(d.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- d.desk.Engine.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
				return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
			})
		}()
		<-time.After(time.Second)
		stop()
		if err := <-ended; err != nil {
			d.Fatal(err)
		}
		<-time.After(threadAlive - time.Minute)
		if !alive(thread) || alive(other) {
			d.Errorf("after six days: %t, another %t", alive(thread), alive(other))
		}
		<-time.After(2 * time.Minute)
		if alive(thread) {
			d.Error("after seven days")
		}
		if err := d.desk.Engine.Close(); err != nil {
			d.Fatal(err)
		}
		if yes, err := (&platforms{engine: d.desk.Engine}).alive(d.Context(), thread); yes || err == nil {
			d.Errorf("where the store cannot tell: %t, %v", yes, err)
		}
	})
}

// TestSlackOptions: the configuration reaches the adapter.
func TestSlackOptions(t *testing.T) {
	t.Parallel()
	a, _ := slackApp(t, "")
	o := a.slackOptions()
	if o.BotToken() != "xoxb-canary-bot" || o.AppToken() != "xapp-canary-app" || o.APIURL != "https://slack.com/api/" || o.Events != nil ||
		o.Stream != "auto" || o.PerChannel != 1 || o.Proxy != "" {
		t.Errorf("%+v", o)
	}
	if got := o.Command("tool x"); got != "/tool x" {
		t.Errorf("a command is %q", got)
	}
	o.Unread("gift", []byte(`{"a":1}`))
	kept, err := os.ReadFile(filepath.Join(a.cfg.StateDir, "unread.jsonl"))
	if err != nil || !strings.Contains(string(kept), `"channel":"slack","kind":"gift"`) {
		t.Errorf("%s, %v", kept, err)
	}

	a, log := slackApp(t, `, send_rate: {channel: 0}, stream: native, proxy: "http://127.0.0.1:3128", allow_everyone: true, events: {listen: "127.0.0.1:8444", signing_secret: env:SIGNING}`)
	o = a.slackOptions()
	if o.Events == nil || o.Events.Listen != "127.0.0.1:8444" || o.Events.SigningSecret() != "canary-signing" || o.Stream != "native" ||
		o.PerChannel >= 0 || o.Proxy != "http://127.0.0.1:3128" {
		t.Errorf("%+v", o)
	}
	for _, secret := range []string{o.BotToken(), o.Events.SigningSecret()} {
		if told := policy.NewRedactor(a.cfg.Secrets()...).Redact("it is " + secret); strings.Contains(told, "canary") {
			t.Errorf("a secret is not known to be one: %s", told)
		}
	}
	bound := &Channels{}
	if err := a.open(bound); len(bound.all()) != 0 || err != nil || bound.pending == nil || bound.expected() != 1 {
		t.Errorf("nobody is known yet: %v, %v", bound.all(), err)
	}
	if !strings.Contains(log.String(), "allow_everyone is on: whoever can write to the app may use it") {
		t.Errorf("no warning: %s", log)
	}

	a.cfg.Channels.Slack.Enabled = false
	off := &Channels{}
	if err := a.open(off); len(off.all()) != 0 || err != nil || off.pending != nil {
		t.Errorf("it is off: %v, %v", off.all(), err)
	}
}
