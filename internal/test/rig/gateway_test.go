package rig_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/rig"
)

// written is the configuration that a gateway gets, and its environment.
func written(t *testing.T, c rig.Config) (text string, env []string) {
	t.Helper()
	g, err := rig.NewGateway("gateway", t.TempDir(), c)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(g.ConfigPath())
	if err != nil {
		t.Fatal(err)
	}
	return string(b), g.Env
}

func TestTelegramIsInTheConfiguration(t *testing.T) {
	t.Parallel()
	text, env := written(t, rig.Config{
		Telegram: &rig.Telegram{APIURL: "http://127.0.0.1:1", Token: "1:secret", Chats: []int64{7, -8}, Owner: 9},
		Tools:    map[string]any{"disabled": []string{"calculator"}},
	})
	for _, want := range []string{
		"api_url: \"http://127.0.0.1:1\"", "owners: [\"telegram:9\"]",
		`tools: {"chats":{"telegram:-8":{"level":"write"},"telegram:7":{"level":"write"},"telegram:9":{"level":"exec"}},"disabled":["calculator"]}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret") || !slices.Contains(env, "TELEGRAM_TOKEN=1:secret") {
		t.Errorf("the token does not come by the environment: %q", env)
	}
}

func TestSlackIsInTheConfiguration(t *testing.T) {
	t.Parallel()
	app := rig.Slack{
		APIURL: "http://127.0.0.1:1/api/", BotToken: "xoxb-hidden", AppToken: "xapp-hidden", SigningSecret: "hidden",
		Team: "T1", Chats: []string{"C1"}, Owner: "U9", OwnerChat: "D9", Stream: "edit",
	}
	pushed := app
	pushed.Listen = "127.0.0.1:2"
	for name, tc := range map[string]struct {
		app          rig.Slack
		has, lacks   string
		alsoTelegram bool
	}{
		"sockets": {app: app, has: "app_token: \"env:SLACK_APP_TOKEN\"", lacks: "events:"},
		"HTTP": {
			app:   pushed,
			has:   "events: {listen: \"127.0.0.1:2\", signing_secret: \"env:SLACK_SIGNING_SECRET\"}",
			lacks: "app_token:",
		},
		"with Telegram": {app: app, has: "owners: [\"telegram:7\", \"slack:T1/U9\"]", lacks: "events:", alsoTelegram: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := rig.Config{Slack: &tc.app}
			if tc.alsoTelegram {
				c.Telegram = &rig.Telegram{Owner: 7}
			}
			text, env := written(t, c)
			for _, want := range []string{
				tc.has, "api_url: \"http://127.0.0.1:1/api/\"", "\"slack:T1/U9\"]\n", "stream: edit\n", "send_rate: {channel: 0}\n",
				`"slack:T1/C1":{"level":"write"},"slack:T1/D9":{"level":"exec"}`,
			} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			if strings.Contains(text, tc.lacks) || strings.Count(text, "channels:\n") != 1 {
				t.Errorf("%q is in it, or channels twice:\n%s", tc.lacks, text)
			}
			if strings.Contains(text, "hidden") || !slices.Contains(env, "SLACK_BOT_TOKEN=xoxb-hidden") {
				t.Errorf("the tokens do not come by the environment: %q", env)
			}
		})
	}
}
