package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/pkg/config"
)

// slackEnv is an environment with tokens of every kind; a problem may not tell the text
// behind "canary".
func slackEnv(name string) (string, bool) {
	v, ok := map[string]string{
		"BOT": "xoxb" + "-1-canary", "APP": "xapp" + "-1-A1-canary", "SIGNING": "canary0123456789",
		"USER": "xoxp" + "-canary", "ROTATING": "xoxe." + "xoxb" + "-canary", "NONE": "canary", "BLANK": "  ",
	}[name]
	return v, ok
}

func slackOf(t *testing.T, keys string) (*config.Config, error) {
	t.Helper()
	o := options()
	o.LookupEnv, o.Built = slackEnv, []string{"console", "slack"}
	return config.Load(write(t, "channels:\n  slack:\n"+indent(keys)), o)
}

func TestSlack(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		keys    string
		change  func(*config.Slack)
		secrets []string
	}{
		"sockets": {
			"enabled: true\nbot_token: env:BOT\napp_token: env:APP",
			func(s *config.Slack) { s.Enabled = true },
			[]string{"xapp-1-A1-canary", "xoxb-1-canary"},
		},
		"over HTTP nobody needs the app-level token": {
			"enabled: true\nbot_token: env:BOT\napp_token: env:NOT_SET\nevents: {listen: \"0.0.0.0:8444\", signing_secret: env:SIGNING}",
			func(s *config.Slack) { s.Enabled, s.Events.Listen = true, "0.0.0.0:8444" },
			[]string{"canary0123456789", "xoxb-1-canary"},
		},
		"off, it may be incomplete": {
			"bot_token: env:APP\napp_token: env:NOT_SET\nstream: native",
			func(s *config.Slack) { s.Stream = "native" },
			[]string{"xapp-1-A1-canary"},
		},
		"rights": {
			"pairing: off\nlevels: {groups: read}\nallow: [U1, T1/U2]\nchannels: {mention: off, allow: [C1]}\nsend_rate: {channel: 0}",
			func(s *config.Slack) {
				s.Pairing, s.Levels.Groups = "off", "read"
				s.Allow, s.Channels = []config.ID{"U1", "T1/U2"}, config.Groups{Mention: "off", Allow: []config.ID{"C1"}}
				s.SendRate.Channel = 0
			}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := slackOf(t, tc.keys)
			if err != nil {
				t.Fatal(err)
			}
			want := config.Default("").Channels.Slack
			tc.change(&want)
			if diff := cmp.Diff(want, got.Channels.Slack, cmpopts.IgnoreTypes(config.Secret{})); diff != "" {
				t.Errorf("slack (-want +got):\n%s", diff)
			}
			secrets := got.Secrets()
			slices.Sort(secrets)
			if diff := cmp.Diff(tc.secrets, secrets, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Secrets (-want +got):\n%s", diff)
			}
		})
	}
	want := config.Slack{
		APIURL: "https://slack.com/api/", Pairing: "on", Channels: config.Groups{Mention: "required"},
		Levels: config.Levels{Direct: "read", Groups: "chat"}, SendRate: config.SlackRate{Channel: 1}, Stream: "auto",
	}
	if diff := cmp.Diff(want, config.Default("").Channels.Slack, cmpopts.IgnoreTypes(config.Secret{})); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

// TestSlackProblems: each names its line, the mistake and the correction, and shows no
// secret.
func TestSlackProblems(t *testing.T) {
	t.Parallel()
	const sockets = "enabled: true\nbot_token: env:BOT\napp_token: env:APP\n"
	for name, tc := range map[string]struct {
		keys string
		want []string
	}{
		"no tokens": {"enabled: true", []string{
			"channels.slack.bot_token: is missing: write env:SLACK_BOT_TOKEN", "channels.slack.app_token: is missing: Socket Mode needs it",
		}},
		"swapped": {"enabled: true\nbot_token: env:APP\napp_token: env:BOT", []string{
			":4:16: channels.slack.bot_token: is an app-level token (xapp-…): write the Bot User OAuth Token, which begins with xoxb-",
			":5:16: channels.slack.app_token: is a bot token (xoxb-…): write the App-Level Token with connections:write, which begins with xapp-",
		}},
		"a user token": {
			"enabled: true\nbot_token: env:USER\napp_token: env:APP",
			[]string{":4:16: channels.slack.bot_token: is a user token (xoxp-…): write the Bot User"},
		},
		"a rotating token": {
			"enabled: true\nbot_token: env:ROTATING\napp_token: env:APP",
			[]string{"is a token that expires (xoxe.…): switch token rotation off"},
		},
		"no token at all": {
			"enabled: true\nbot_token: env:BOT\napp_token: env:NONE",
			[]string{":5:16: channels.slack.app_token: is no token of Slack's: write the App-Level Token"},
		},
		"no signing secret": {"enabled: true\nbot_token: env:BOT\nevents: {listen: \"0.0.0.0:8444\"}", []string{
			":5:13: channels.slack.events.signing_secret: is missing: whoever reaches the address could speak as Slack",
		}},
		"a blank signing secret": {"enabled: true\nbot_token: env:BOT\nevents: {listen: \"127.0.0.1:8444\", signing_secret: env:BLANK}", []string{
			":5:56: channels.slack.events.signing_secret: is empty, so that whoever reaches the address could speak as Slack: write " +
				"the Signing Secret",
		}},
		"a token for the signing secret": {
			"enabled: true\nbot_token: env:BOT\nevents: {listen: \"127.0.0.1:8444\", signing_secret: env:APP}", []string{
				"channels.slack.events.signing_secret: is an app-level token (xapp-…): write the Signing Secret",
			},
		},
		"a secret without an address": {sockets + "events: {signing_secret: env:SIGNING}", []string{
			":6:13: channels.slack.events: has no listen: write HOST:PORT where Slack's requests arrive, or take events out for Socket Mode",
		}},
		"no port": {
			"enabled: true\nbot_token: env:BOT\nevents: {listen: here, signing_secret: env:SIGNING}",
			[]string{"channels.slack.events.listen: must be HOST:PORT"},
		},
		"wildcard": {sockets + "allow: [U1, '*']", []string{":6:17: channels.slack.allow[1]: no wildcard on slack"}},
		"level":    {sockets + "levels: {direct: all}", []string{`channels.slack.levels.direct: "all" is not understood: write one of none, chat, read, write, exec`}},
		"pairing":  {sockets + "pairing: maybe", []string{"channels.slack.pairing: \"maybe\" is not understood: write one of on, off"}},
		"stream":   {sockets + "stream: draft", []string{"write one of auto, edit, native, off"}},
		"in the open": {
			sockets + "api_url: http://slack.example.org/api/",
			[]string{"channels.slack.api_url: a secret would travel unencrypted"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := slackOf(t, tc.keys)
			if err == nil {
				t.Fatal("accepted")
			}
			lines := strings.Split(err.Error(), "\n")
			for _, want := range tc.want {
				if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, want) }) {
					t.Errorf("no problem has %q: %v", want, err)
				}
			}
			if len(lines) != len(tc.want) {
				t.Errorf("%d problems, want %d: %v", len(lines), len(tc.want), err)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("a secret shows itself: %v", err)
			}
		})
	}
}

// TestASlackSecretInTheFileIsOneMistake: the key with it is not told to be missing as well.
func TestASlackSecretInTheFileIsOneMistake(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"xoxb" + "-1-canary", "' env:BOT'", "[env:BOT]", "5", "{env: BOT}"} {
		_, err := slackOf(t, "enabled: true\nbot_token: "+secret+"\napp_token: env:APP")
		if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), "channels.slack.bot_token: ") ||
			strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: told %v", secret, err)
		}
	}
}
