package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/pkg/config"
)

const home = "/home/someone"

var environment = map[string]string{
	"OPENAI_API_KEY": "sk-openai-canary",
	"TG_TOKEN":       "1:telegram-canary",
	"TG_HOOK":        "hook-canary",
	"EMPTY":          "",
}

func lookup(name string) (string, bool) { v, ok := environment[name]; return v, ok }

func options() config.Options {
	return config.Options{
		LookupEnv: lookup, Home: home, Built: []string{"console"},
		Owner: func(s string) error {
			if !strings.Contains(s, ":") {
				return errors.New("write CHANNEL:ID")
			}
			return nil
		},
		User: func(channel, id string) error {
			if strings.Contains(id, "*") {
				return errors.New("no wildcard on " + channel)
			}
			return nil
		},
		Place: func(s string) error {
			if !strings.Contains(s, ":") {
				return errors.New("write CHANNEL:CHAT")
			}
			return nil
		},
	}
}

func write(tb testing.TB, text string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "parley.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// example is a usual file.
const example = `
state_dir: ~/.parley
workspace: ~/.parley/workspace
log: {level: info, format: console}
agent: {model: main, fallbacks: [], max_tool_iterations: 10, while_busy: steer}
models:
  main: {provider: openai, model: gpt-4o, base_url: https://api.openai.com/v1, api_key: env:OPENAI_API_KEY, max_tokens: 4096, temperature: 0.7, images: true}
owners: []
tools: {on: true, enabled: [], disabled: [], timeout: 30s, max_parallel: 4}
channels:
  console: {}
`

// everything uses every key once.
const everything = `
state_dir: state
workspace: /srv/bot
log: {level: warn, format: json}
agent: {model: small, fallbacks: [big, none], max_tool_iterations: 20, while_busy: queue, answer_edits: true}
models:
  small: {model: llama, base_url: "http://127.0.0.1:11434/v1"}
  big:
    provider: openai
    model: gpt-4o
    base_url: https://example.org/v1
    api_key: env:OPENAI_API_KEY
    max_tokens: 4096
    temperature: 0.5
    images: true
    timeouts: {connect: 2s, idle: 30s, total: 2m}
  none: {provider: offline}
  unused: {model: x, api_key: env:NOT_SET}
owners: ["telegram:11", "slack:T1/U1"]
tools:
  on: true
  enabled: [a, b]
  disabled: [b]
  timeout: 45s
  max_parallel: 2
  chats:
    "telegram:-5": {enabled: [a], disabled: [c], level: read}
background: {agents: 3, per_chat: 4, per_turn: 2, max_depth: 1, deadline: 20m}
channels:
  console: {enabled: false}
  telegram:
    enabled: true
    token: env:TG_TOKEN
    api_url: https://telegram.example.org
    allow: [22, "33"]
    allow_everyone: false
    groups: {mention: "off", allow: [-500]}
    webhook: {listen: "127.0.0.1:8443", public_url: "https://bot.example.org/hook", secret: env:TG_HOOK}
    send_rate: {chat: 0, group_per_minute: 10.5, bot: 5}
    stream: edit
    proxy: socks5://127.0.0.1:1080
    pairing: off
  slack:
    enabled: false
    bot_token: env:NOT_SET
    app_token: env:NOT_SET
    api_url: http://127.0.0.1:9/api/
    events: {listen: ":8080", signing_secret: env:NOT_SET}
    allow: [T1/U2]
    allow_everyone: true
    channels: {mention: required, allow: [C1]}
    send_rate: {channel: 0}
    stream: native
    proxy: http://127.0.0.1:3128
    pairing: off
    levels: {direct: chat, groups: read}
http: {listen: "127.0.0.1:8081", public_url: "https://bot.example.org", trusted_proxies: [10.0.0.1]}
`

func TestLoad(t *testing.T) {
	t.Parallel()
	o := options()
	o.Built = []string{"console", "telegram"}
	path := write(t, everything)
	got, err := config.Load(path, o)
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	timeouts := config.DefaultModel().Timeouts
	want := config.Default(home)
	want.StateDir, want.Workspace = filepath.Join(filepath.Dir(path), "state"), "/srv/bot"
	want.Log = config.Log{Level: "warn", Format: "json"}
	want.Agent = config.Agent{
		Model:             "small",
		Fallbacks:         []string{"big", "none"},
		MaxToolIterations: 20,
		WhileBusy:         "queue",
		AnswerEdits:       true,
		Voice:             "keep",
		Pictures:          "answer",
		Heartbeat:         want.Agent.Heartbeat,
	}
	want.Models = map[string]*config.Model{
		"small": {Provider: "openai", Model: "llama", BaseURL: "http://127.0.0.1:11434/v1", Timeouts: timeouts},
		"big": {
			Provider: "openai", Model: "gpt-4o", BaseURL: "https://example.org/v1", MaxTokens: 4096, Temperature: &half, Images: true,
			Timeouts: config.Timeouts{
				Connect: config.Duration(2 * time.Second),
				Idle:    config.Duration(30 * time.Second),
				Total:   config.Duration(2 * time.Minute),
			},
		},
		"none":   {Provider: "offline", BaseURL: config.DefaultModel().BaseURL, Timeouts: timeouts},
		"unused": {Provider: "openai", Model: "x", BaseURL: config.DefaultModel().BaseURL, Timeouts: timeouts},
	}
	want.Owners = []string{"telegram:11", "slack:T1/U1"}
	want.Tools = config.Tools{
		On: true, Enabled: []string{"a", "b"}, Disabled: []string{"b"},
		Timeout: config.Duration(45 * time.Second), MaxParallel: 2, Approval: "destructive", MaxDepth: 3,
		Files: config.Default("").Tools.Files, Shell: config.Default("").Tools.Shell, Code: config.Default("").Tools.Code,
		Web: config.Default("").Tools.Web, Scripts: config.Default("").Tools.Scripts,
		Chats: map[string]config.ChatTools{"telegram:-5": {Enabled: []string{"a"}, Disabled: []string{"c"}, Level: "read"}},
	}
	want.Background = config.Background{Agents: 3, PerChat: 4, PerTurn: 2, MaxDepth: 1, Deadline: config.Duration(20 * time.Minute)}
	want.HTTP = config.HTTP{
		Listen: "127.0.0.1:8081", PublicURL: "https://bot.example.org", TrustedProxies: []string{"10.0.0.1"}, FilesMB: 1000,
	}
	want.Channels.Console.Enabled = false
	want.Channels.Telegram = config.Telegram{
		Enabled: true, APIURL: "https://telegram.example.org", Allow: []config.ID{"22", "33"},
		Levels:   config.Levels{Direct: "read", Groups: "chat"},
		Groups:   config.Groups{Mention: "off", Allow: []config.ID{"-500"}},
		Webhook:  config.Webhook{Listen: "127.0.0.1:8443", PublicURL: "https://bot.example.org/hook"},
		SendRate: config.TelegramRate{GroupPerMinute: 10.5, Bot: 5}, Stream: "edit", Proxy: "socks5://127.0.0.1:1080", Pairing: "off",
	}
	want.Channels.Slack = config.Slack{
		APIURL: "http://127.0.0.1:9/api/", Events: config.Events{Listen: ":8080"},
		Allow: []config.ID{"T1/U2"}, AllowEveryone: true, Channels: config.Groups{Mention: "required", Allow: []config.ID{"C1"}},
		Pairing: "off", Levels: config.Levels{Direct: "chat", Groups: "read"}, Stream: "native", Proxy: "http://127.0.0.1:3128",
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(config.Secret{}), cmpopts.IgnoreUnexported(config.Config{})); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	secrets := map[string]string{
		"big.api_key":    got.Models["big"].APIKey.Reveal(),
		"telegram.token": got.Channels.Telegram.Token.Reveal(),
		"webhook.secret": got.Channels.Telegram.Webhook.Secret.Reveal(),
		"unused.api_key": got.Models["unused"].APIKey.Reveal(),
		"slack.token":    got.Channels.Slack.BotToken.Reveal(),
	}
	wantSecrets := map[string]string{
		"big.api_key": "sk-openai-canary", "telegram.token": "1:telegram-canary", "webhook.secret": "hook-canary",
		"unused.api_key": "", "slack.token": "",
	}
	if diff := cmp.Diff(wantSecrets, secrets); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	list := got.Secrets()
	if diff := cmp.Diff([]string{"1:telegram-canary", "hook-canary", "sk-openai-canary"},
		list, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("Secrets (-want +got):\n%s", diff)
	}
}

func TestLoadDefaults(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "comment": "# nothing yet\n", "marker": "---\n", "empty blocks": "models:\nchannels:\n  console:\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := config.Load(write(t, text), options())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(config.Default(home), got, cmpopts.IgnoreTypes(config.Secret{}),
				cmpopts.IgnoreUnexported(config.Config{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("not the default (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("the workspace follows the state", func(t *testing.T) {
		t.Parallel()
		got, err := config.Load(write(t, "state_dir: ~/bot"), options())
		if err != nil || got.Workspace != home+"/bot/workspace" {
			t.Errorf("workspace %q, %v", got.Workspace, err)
		}
	})
	t.Run("the example", func(t *testing.T) {
		t.Parallel()
		got, err := config.Load(write(t, example), options())
		if err != nil || got.Models["main"].APIKey.Reveal() != "sk-openai-canary" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestLoadWithoutSecrets(t *testing.T) {
	t.Parallel()
	o := options()
	o.WithoutSecrets = true
	path := write(t, "models: {main: {model: m, api_key: env:NOT_SET}}")
	if _, err := config.Load(path, o); err != nil {
		t.Error(err)
	}
	if _, err := config.Load(path, options()); err == nil {
		t.Error("a missing secret is accepted")
	}
}

func TestLoadReadsTheTextThatEditorsWrite(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"byte order mark": {"\ufeffagent: {while_busy: queue}\n", ""},
		"UTF-16":          {"\xff\xfea\x00", "is not text in UTF-8: save it as UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "parley.yaml")
			if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, err := config.Load(path, options())
			switch {
			case tc.want == "" && (err != nil || cfg.Agent.WhileBusy != "queue"):
				t.Errorf("got %+v, %v", cfg, err)
			case tc.want != "" && (err == nil || err.Error() != path+": "+tc.want):
				t.Errorf("got %v", err)
			}
		})
	}
}
