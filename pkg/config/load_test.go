package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/pkg/config"
	"parley/pkg/strictyaml"
)

const home = "/home/someone"

var environment = map[string]string{"OPENAI_API_KEY": "sk-openai-canary", "TG_TOKEN": "1:telegram-canary", "TG_HOOK": "hook-canary", "EMPTY": ""}

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
	want.Agent = config.Agent{Model: "small", Fallbacks: []string{"big", "none"}, MaxToolIterations: 20, WhileBusy: "queue", AnswerEdits: true, Heartbeat: want.Agent.Heartbeat}
	want.Models = map[string]*config.Model{
		"small": {Provider: "openai", Model: "llama", BaseURL: "http://127.0.0.1:11434/v1", Timeouts: timeouts},
		"big": {
			Provider: "openai", Model: "gpt-4o", BaseURL: "https://example.org/v1", MaxTokens: 4096, Temperature: &half, Images: true,
			Timeouts: config.Timeouts{Connect: config.Duration(2 * time.Second), Idle: config.Duration(30 * time.Second), Total: config.Duration(2 * time.Minute)},
		},
		"none":   {Provider: "offline", BaseURL: config.DefaultModel().BaseURL, Timeouts: timeouts},
		"unused": {Provider: "openai", Model: "x", BaseURL: config.DefaultModel().BaseURL, Timeouts: timeouts},
	}
	want.Owners = []string{"telegram:11", "slack:T1/U1"}
	want.Tools = config.Tools{
		On: true, Enabled: []string{"a", "b"}, Disabled: []string{"b"}, Timeout: config.Duration(45 * time.Second), MaxParallel: 2, Approval: "destructive", MaxDepth: 3,
		Files: config.Default("").Tools.Files, Shell: config.Default("").Tools.Shell, Code: config.Default("").Tools.Code,
		Web: config.Default("").Tools.Web, Scripts: config.Default("").Tools.Scripts,
		Chats: map[string]config.ChatTools{"telegram:-5": {Enabled: []string{"a"}, Disabled: []string{"c"}, Level: "read"}},
	}
	want.Background = config.Background{Agents: 3, PerChat: 4, PerTurn: 2, MaxDepth: 1, Deadline: config.Duration(20 * time.Minute)}
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
	if diff := cmp.Diff([]string{"1:telegram-canary", "hook-canary", "sk-openai-canary"}, list, cmpopts.SortSlices(strings.Compare)); diff != "" {
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
			if diff := cmp.Diff(config.Default(home), got, cmpopts.IgnoreTypes(config.Secret{}), cmpopts.IgnoreUnexported(config.Config{}), cmpopts.EquateEmpty()); diff != "" {
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

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string // each "line:column: path: part of the message"
	}{
		{"unknown key", "agnt: {}", []string{"1:1: agnt: unknown key: did you mean agent?"}},
		{"unknown key below", "agent:\n  while_bussy: steer", []string{"2:3: agent.while_bussy: unknown key: did you mean while_busy?"}},
		{"nothing like it", "zzzzzz: 1", []string{"1:1: zzzzzz: unknown key: the keys here are agent, background, budgets, channels, log"}},
		{"unknown channel", "channels:\n  irc: {}", []string{"2:3: channels.irc: unknown key: the keys in channels are console, inbox, slack, telegram"}},
		{"key twice", "log: {level: info}\nagent: {}\nlog: {}", []string{"3:1: log: is written twice, first in line 1: keep one"}},
		{"model twice", "models:\n  main: {model: a}\n  main: {model: b}", []string{"3:3: models.main: is written twice"}},
		{"block expected", "agent: fast", []string{"1:8: agent: must be a block of keys (answer_edits, fallbacks, heartbeat, max_tool_iterations, model, timezone, while_busy), not a text"}},
		{"list expected", "owners: telegram:1", []string{"1:9: owners: must be a list"}},
		{"top level list", "[a]", []string{"1:1: must be a block of keys"}},
		{"text expected", "state_dir: 5", []string{"1:12: state_dir: must be a text, not a number: put it in quotes"}},
		{"number expected", "agent: {max_tool_iterations: many}", []string{"1:30: agent.max_tool_iterations: must be a whole number, not a text"}},
		{"whole number expected", "agent: {max_tool_iterations: 1.5}", []string{"must be a whole number"}},
		{"float expected", "models: {main: {model: m, temperature: warm}}", []string{"models.main.temperature: must be a number"}},
		{"bool expected", "tools: {on: yes please}", []string{"tools.on: must be true or false"}},
		{"duration expected", "tools: {timeout: 30}", []string{"1:18: tools.timeout: must be a time span such as 30s"}},
		{"bad duration", "tools: {timeout: 30 seconds}", []string{"tools.timeout: must be a time span"}},
		{"no value", "state_dir:", []string{"state_dir: has no value"}},
		{"id expected", "channels: {telegram: {allow: [true]}}", []string{"channels.telegram.allow[0]: must be an id, not true"}},
		{"bad word", "agent: {while_busy: sleep}", []string{`1:21: agent.while_busy: "sleep" is not understood: write one of steer, queue, interrupt`}},
		{"bad level", "tools: {chats: {'telegram:1': {level: root}}}", []string{"none, chat, read, write, exec"}},
		{"too small", "agent: {max_tool_iterations: 0}", []string{"agent.max_tool_iterations: 0 is out of range: write a number from 1 to 200"}},
		{"too large", "models: {main: {model: m, temperature: 3}}", []string{"write a number from 0 to 2"}},
		{"not a number", "models: {main: {model: m, temperature: .inf}}", []string{"models.main.temperature"}},
		{"bad mode", "tools: {shell: {mode: bash}}", []string{"write one of argv, shell"}},
		{"pattern of programs", "tools: {shell: {allow: [ls, '*']}}", []string{"tools.shell.allow[1]: \"*\" is a pattern: name each program"}},
		{"relative program", "tools: {shell: {allow: [bin/ls, /bin/../ls, '']}}", []string{"tools.shell.allow[0]: \"bin/ls\" must be a name", "tools.shell.allow[1]", "tools.shell.allow[2]"}},
		{"relative interpreter", "tools: {code: {python: python3}}", []string{"tools.code.python: must be an absolute path"}},
		{"readable root", "tools: {shell: {readable: [/, data, /a/../b]}}", []string{"tools.shell.readable[0]", "tools.shell.readable[1]", "tools.shell.readable[2]"}},
		{"readable state", "state_dir: /s\nworkspace: /w\ntools: {code: {readable: [/s/x, /s]}}", []string{"tools.code.readable[0]: \"/s/x\" lies in state_dir", "tools.code.readable[1]"}},
		{"time beyond its bound", "tools: {shell: {timeout: 10m}}", []string{"tools.shell.timeout: is longer than max_timeout, 5m0s"}},
		{"too long", "tools: {timeout: 48h}", []string{"48h0m0s is out of range: write a time span from 100ms to 1h0m0s"}},
		{"anchor", "owners: &a []", []string{"owners: anchors, aliases and tags"}},
		{"anchor of a block", "models: {main: &a {model: m}}", []string{"models.main: anchors, aliases and tags"}},
		{"merge", "log: {<<: {level: info}}", []string{"log: anchors, aliases and tags"}},
		{"tag", "state_dir: !!str 5", []string{"state_dir: anchors, aliases and tags"}},
		{"not YAML", "log: {level: info", []string{"this is not YAML"}},
		{"tabs", "log:\n\tlevel: info", []string{"this is not YAML"}},
		{"two documents", "log: {}\n---\nlog: {}", []string{"a second document starts here"}},
		{"deep", strings.Repeat("[", 10_000), []string{"it is nested more than 100 levels deep"}},
		{"literal secret", "models: {main: {model: m, api_key: sk-literal-canary}}", []string{"1:36: models.main.api_key: a secret is never written into this file: write env:NAME, file:PATH or credential:NAME"}},
		{"number as secret", "channels: {telegram: {token: 123456}}", []string{"channels.telegram.token: must be env:NAME"}},
		{"credential path", "models: {main: {model: m, api_key: credential:../x}}", []string{"a secret is never written into this file"}},
		{"secret not set", "models:\n  main: {model: m, api_key: env:NOT_SET}", []string{"2:29: models.main.api_key: the environment variable NOT_SET is not set: export it"}},
		{"secret empty", "models: {main: {model: m, api_key: env:EMPTY}}", []string{"the environment variable EMPTY is not set"}},
		{"no credentials", "models: {main: {model: m, api_key: credential:key}}", []string{"LoadCredential=key:PATH"}},
		{"plain http with a key", "models: {main: {model: m, base_url: 'http://example.org/v1', api_key: env:OPENAI_API_KEY}}", []string{"models.main.base_url: a secret would travel unencrypted: write https"}},
		{"no address", "models: {main: {model: m, base_url: example.org}}", []string{"models.main.base_url: must be an address"}},
		{"key in the address", "models: {main: {model: m, base_url: 'https://u:pw-canary@example.org'}}", []string{"must not hold a name or a password"}},
		{"query in the address", "models: {main: {model: m, base_url: 'https://example.org?key=1'}}", []string{"must end before ?"}},
		{"model without name", "models: {main: {}}", []string{"models.main.model: is missing"}},
		{"no such model", "agent: {model: mian}\nmodels: {main: {model: m}}", []string{`1:16: agent.model: "mian" is not among the models: write one of main`}},
		{"default model missing", "models: {other: {model: m}}", []string{`agent.model: "main" is not among the models: write one of other`}},
		{"no such fallback", "agent: {fallbacks: [b]}\nmodels: {main: {model: m}}", []string{"1:21: agent.fallbacks[0]"}},
		{"fallback without models", "agent: {fallbacks: [b]}", []string{"agent.fallbacks[0]: there are no models"}},
		{"state in the workspace", "state_dir: ~/w/state\nworkspace: ~/w", []string{"1:12: state_dir: must not lie inside the workspace"}},
		{"owner", "owners: ['telegram:1', ann]", []string{"1:24: owners[1]: write CHANNEL:ID"}},
		{"place", "tools: {chats: {everywhere: {}}}", []string{"1:17: tools.chats.everywhere: write CHANNEL:CHAT"}},
		{"wildcard", "channels:\n  telegram:\n    allow:\n      - '*'", []string{"4:9: channels.telegram.allow[0]: no wildcard on telegram"}},
		{"not built", "channels: {telegram: {enabled: true, token: env:TG_TOKEN}}", []string{"1:32: channels.telegram.enabled: this gateway is built without the channel telegram: set enabled: false (built are console)"}},
		{"no token", "channels: {telegram: {enabled: true}}", []string{"channels.telegram.token: is missing"}},
		{"no slack tokens", "channels: {slack: {enabled: true}}", []string{"channels.slack.bot_token: is missing", "channels.slack.app_token: is missing"}},
		{"open webhook", "channels: {telegram: {webhook: {listen: ':80'}}}", []string{"webhook.secret: is missing", "webhook.public_url: must be the https address"}},
		{"open events", "channels: {slack: {events: {listen: here}}}", []string{"events.signing_secret: is missing", "events.listen: must be HOST:PORT"}},
		{"proxies to trust", "channels: {slack: {events: {listen: ':80', signing_secret: env:TG_TOKEN, trusted_proxies: [proxy, 10.0.0.1/8, 0.0.0.0/0, '::ffff:10.0.0.0/104', 'fe80::1%eth0', '']}}}", []string{
			`1:92: channels.slack.events.trusted_proxies[0]: "proxy" is no address or network: write one such as 127.0.0.1 or 10.0.0.0/8`,
			`trusted_proxies[1]: "10.0.0.1/8" has bits behind its network: write 10.0.0.0/8`, `trusted_proxies[2]: "0.0.0.0/0" holds every address`,
			"trusted_proxies[3]: ", "trusted_proxies[4]: ", "trusted_proxies[5]: ",
		}},
		{"proxies of a webhook", "channels: {telegram: {webhook: {listen: ':80', secret: env:TG_TOKEN, public_url: 'https://h', trusted_proxies: ['*']}}}", []string{"channels.telegram.webhook.trusted_proxies[0]: "}},
		{"proxies of nothing", "channels: {telegram: {webhook: {trusted_proxies: ['::1']}}, slack: {events: {trusted_proxies: [10.0.0.0/8]}}}", []string{"channels.telegram.webhook: has no listen", "channels.slack.events: has no listen"}},
		{"bad proxy", "channels: {slack: {proxy: 'ftp://x'}}", []string{"channels.slack.proxy: must be an address"}},
		{"searxng without address", "tools: {web: {search: {backend: searxng}}}", []string{"tools.web.search.searxng_url: is missing"}},
		{"brave without key", "tools: {web: {search: {backend: brave}}}", []string{"tools.web.search.brave_key: is missing: write env:BRAVE_API_KEY"}},
		{"brave in the clear", "tools: {web: {search: {brave_key: env:OPENAI_API_KEY, brave_url: 'http://example.org'}}}", []string{"tools.web.search.brave_url: a secret would travel unencrypted"}},
		{"no such search", "tools: {web: {search: {backend: altavista}}}", []string{"auto, searxng, brave, duckduckgo"}},
		{"private wildcard", "tools: {web: {allow_private: ['*.internal']}}", []string{`tools.web.allow_private[0]: "*.internal" is no address, network or name`}},
		{"private address", "tools: {web: {allow_private: ['127.1', '[::1]', 'http://a', '::ffff:10.0.0.0/104', '10.0.0.1:80']}}", []string{"allow_private[0]", "allow_private[1]", "allow_private[2]", "allow_private[3]", "allow_private[4]"}},
		{"everything private", "tools: {web: {allow_private: [0.0.0.0/0, '::/0']}}", []string{`allow_private[0]: "0.0.0.0/0" is too wide`, "allow_private[1]"}},
		{"no ports", "tools: {web: {ports: []}}", []string{"tools.web.ports: is empty"}},
		{"bad port", "tools: {web: {ports: [70000]}}", []string{"tools.web.ports[0]: must be a number from 1 to 65535"}},
		{"all at once", "agnt: 1\nlog: {level: loud}\ntools: {timeout: 1}\nowners: [x]", []string{"1:1: agnt", "2:14: log.level", "3:18: tools.timeout", "4:10: owners[0]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, tt.text)
			_, err := config.Load(path, options())
			if err == nil {
				t.Fatal("accepted")
			}
			e, ok := errors.AsType[*strictyaml.Error](err)
			if !ok || len(e.Problems) == 0 {
				t.Fatalf("the error is %T: %v", err, err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q\nis not in\n%v", want, err)
				}
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("a secret is repeated: %v", err)
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, path+":") {
					t.Errorf("no file in %q", line)
				}
			}
		})
	}
}

func TestLoadFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := config.Load(filepath.Join(dir, "none.yaml"), options()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := config.Load(dir, options()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: %v", err)
	}
	large := write(t, strings.Repeat("# comment\n", 30_000))
	if _, err := config.Load(large, options()); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("large: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(example)
	f.Add(everything)
	f.Add("models: {main: {api_key: sk-literal-canary}}")
	f.Add("a: &a [*a]\n<<: *a")
	f.Add("? [x]\n: y")
	f.Add("!!binary aGVsbG8=: |-\n  x")
	f.Fuzz(func(t *testing.T, text string) {
		cfg, err := config.Load(write(t, text), options())
		if (cfg == nil) == (err == nil) {
			t.Fatalf("a configuration and an error, or neither: %v, %v", cfg, err)
		}
		if cfg != nil && (cfg.StateDir == "" || cfg.Agent.MaxToolIterations < 1 || cfg.Tools.MaxParallel < 1) {
			t.Fatalf("accepted without a needed value: %+v", cfg)
		}
	})
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
