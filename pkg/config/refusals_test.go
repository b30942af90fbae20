package config_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"parley/pkg/config"
	"parley/pkg/strictyaml"
)

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string // each "line:column: path: part of the message"
	}{
		{"unknown key", "agnt: {}", []string{"1:1: agnt: unknown key: did you mean agent?"}},
		{"unknown key below", "agent:\n  while_bussy: steer", []string{"2:3: agent.while_bussy: unknown key: did you mean while_busy?"}},
		{
			"nothing like it", "zzzzzz: 1",
			[]string{"1:1: zzzzzz: unknown key: the keys here are admin, agent, background, budgets, channels, chats, corpora, http, log"},
		},
		{
			"unknown channel", "channels:\n  irc: {}",
			[]string{"2:3: channels.irc: unknown key: the keys in channels are console, inbox, slack, telegram"},
		},
		{"key twice", "log: {level: info}\nagent: {}\nlog: {}", []string{"3:1: log: is written twice, first in line 1: keep one"}},
		{"model twice", "models:\n  main: {model: a}\n  main: {model: b}", []string{"3:3: models.main: is written twice"}},
		{
			"block expected", "agent: fast",
			[]string{
				"1:8: agent: must be a block of keys (answer_edits, fallbacks, heartbeat, history, max_tool_iterations, model, " +
					"pictures, timezone, voice, while_busy), not a text",
			},
		},
		{"list expected", "owners: telegram:1", []string{"1:9: owners: must be a list"}},
		{"top level list", "[a]", []string{"1:1: must be a block of keys"}},
		{"text expected, a block given", "state_dir: {a: b}", []string{"1:12: state_dir: must be a text, not a block of keys"}},
		{"text expected", "state_dir: 5", []string{"1:12: state_dir: must be a text, not a number: put it in quotes"}},
		{
			"number expected", "agent: {max_tool_iterations: many}",
			[]string{"1:30: agent.max_tool_iterations: must be a whole number, not a text"},
		},
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
		{
			"relative program", "tools: {shell: {allow: [bin/ls, /bin/../ls, '']}}",
			[]string{"tools.shell.allow[0]: \"bin/ls\" must be a name", "tools.shell.allow[1]", "tools.shell.allow[2]"},
		},
		{"relative interpreter", "tools: {code: {python: python3}}", []string{"tools.code.python: must be an absolute path"}},
		{
			"readable root", "tools: {shell: {readable: [/, data, /a/../b]}}",
			[]string{"tools.shell.readable[0]", "tools.shell.readable[1]", "tools.shell.readable[2]"},
		},
		{
			"readable chats",
			"state_dir: /s\nworkspace: /w\ntools: {shell: {readable: [/w/chats/1, /w/home]}, code: {readable: [/w/skills, /w/chats]}}",
			[]string{
				"tools.shell.readable[0]: \"/w/chats/1\" holds the files of chats", "tools.shell.readable[1]: \"/w/home\"",
				"tools.code.readable[1]: \"/w/chats\"",
			},
		},
		{
			"readable state", "state_dir: /s\nworkspace: /w\ntools: {code: {readable: [/s/x, /s]}}",
			[]string{"tools.code.readable[0]: \"/s/x\" lies in state_dir", "tools.code.readable[1]"},
		},
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
		{
			"literal secret", "models: {main: {model: m, api_key: sk-literal-canary}}",
			[]string{"1:36: models.main.api_key: a secret is never written into this file: write env:NAME, file:PATH or credential:NAME"},
		},
		{"number as secret", "channels: {telegram: {token: 123456}}", []string{"channels.telegram.token: must be env:NAME"}},
		{"credential path", "models: {main: {model: m, api_key: credential:../x}}", []string{"a secret is never written into this file"}},
		{
			"secret not set", "models:\n  main: {model: m, api_key: env:NOT_SET}",
			[]string{"2:29: models.main.api_key: the environment variable NOT_SET is not set: export it"},
		},
		{"secret empty", "models: {main: {model: m, api_key: env:EMPTY}}", []string{"the environment variable EMPTY is not set"}},
		{"no credentials", "models: {main: {model: m, api_key: credential:key}}", []string{"LoadCredential=key:PATH"}},
		{
			"plain http with a key",
			"models: {main: {model: m, base_url: 'http://example.org/v1', api_key: env:OPENAI_API_KEY}}",
			[]string{"models.main.base_url: a secret would travel unencrypted: write https"},
		},
		{"no address", "models: {main: {model: m, base_url: example.org}}", []string{"models.main.base_url: must be an address"}},
		{
			"key in the address", "models: {main: {model: m, base_url: 'https://u:pw-canary@example.org'}}",
			[]string{"must not hold a name or a password"},
		},
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
		{
			"not built", "channels: {telegram: {enabled: true, token: env:TG_TOKEN}}",
			[]string{"1:32: channels.telegram.enabled: this gateway is built without the channel telegram: set enabled: false (built are console)"},
		},
		{"no token", "channels: {telegram: {enabled: true}}", []string{"channels.telegram.token: is missing"}},
		{
			"no slack tokens", "channels: {slack: {enabled: true}}",
			[]string{"channels.slack.bot_token: is missing", "channels.slack.app_token: is missing"},
		},
		{
			"open webhook", "channels: {telegram: {webhook: {listen: ':80'}}}",
			[]string{"webhook.secret: is missing", "webhook.public_url: must be the https address"},
		},
		{
			"open events", "channels: {slack: {events: {listen: here}}}",
			[]string{"events.signing_secret: is missing", "events.listen: must be HOST:PORT"},
		},
		{
			"proxies to trust",
			"channels: {slack: {events: {listen: ':80', signing_secret: env:TG_TOKEN, trusted_proxies: [proxy, 10.0.0.1/8, 0.0.0.0/0, " +
				"'::ffff:10.0.0.0/104', 'fe80::1%eth0', '']}}}",
			[]string{
				`1:92: channels.slack.events.trusted_proxies[0]: "proxy" is no address or network: write one such as 127.0.0.1 or 10.0.0.0/8`,
				`trusted_proxies[1]: "10.0.0.1/8" has bits behind its network: write 10.0.0.0/8`, `trusted_proxies[2]: "0.0.0.0/0" holds every address`,
				"trusted_proxies[3]: ", "trusted_proxies[4]: ", "trusted_proxies[5]: ",
			},
		},
		{
			"proxies of a webhook",
			"channels: {telegram: {webhook: {listen: ':80', secret: env:TG_TOKEN, public_url: 'https://h', trusted_proxies: ['*']}}}",
			[]string{"channels.telegram.webhook.trusted_proxies[0]: "},
		},
		{
			"proxies of nothing",
			"channels: {telegram: {webhook: {trusted_proxies: ['::1']}}, slack: {events: {trusted_proxies: [10.0.0.0/8]}}}",
			[]string{"channels.telegram.webhook: has no listen", "channels.slack.events: has no listen"},
		},
		{"bad proxy", "channels: {slack: {proxy: 'ftp://x'}}", []string{"channels.slack.proxy: must be an address"}},
		{"searxng without address", "tools: {web: {search: {backend: searxng}}}", []string{"tools.web.search.searxng_url: is missing"}},
		{
			"brave without key", "tools: {web: {search: {backend: brave}}}",
			[]string{"tools.web.search.brave_key: is missing: write env:BRAVE_API_KEY"},
		},
		{
			"brave in the clear", "tools: {web: {search: {brave_key: env:OPENAI_API_KEY, brave_url: 'http://example.org'}}}",
			[]string{"tools.web.search.brave_url: a secret would travel unencrypted"},
		},
		{"no such search", "tools: {web: {search: {backend: altavista}}}", []string{"auto, searxng, brave, duckduckgo"}},
		{"private wildcard", "tools: {web: {allow_private: ['*.internal']}}", []string{`tools.web.allow_private[0]: "*.internal" is no address, network or name`}},
		{
			"private address",
			"tools: {web: {allow_private: ['127.1', '[::1]', 'http://a', '::ffff:10.0.0.0/104', '10.0.0.1:80']}}",
			[]string{"allow_private[0]", "allow_private[1]", "allow_private[2]", "allow_private[3]", "allow_private[4]"},
		},
		{"everything private", "tools: {web: {allow_private: [0.0.0.0/0, '::/0']}}", []string{`allow_private[0]: "0.0.0.0/0" is too wide`, "allow_private[1]"}},
		{"no ports", "tools: {web: {ports: []}}", []string{"tools.web.ports: is empty"}},
		{"bad port", "tools: {web: {ports: [70000]}}", []string{"tools.web.ports[0]: must be a number from 1 to 65535"}},
		{
			"all at once", "agnt: 1\nlog: {level: loud}\ntools: {timeout: 1}\nowners: [x]",
			[]string{"1:1: agnt", "2:14: log.level", "3:18: tools.timeout", "4:10: owners[0]"},
		},
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
