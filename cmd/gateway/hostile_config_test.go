package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// place begins every line of a refusal: the file, a line and a column.
var place = regexp.MustCompile(`parley\.yaml:\d+:\d+: `)

// TestHostileConfiguration has the gateway refuse settings that would open it, in many
// spellings: with file, line and cure, before anything runs.
func TestHostileConfiguration(t *testing.T) {
	t.Parallel()
	const (
		list   = "set allow_everyone: true"
		ids    = "names can be taken over by others"
		crypt  = "a secret would travel unencrypted: write https"
		hidden = "a secret is never written into this file: write env:NAME"
		once   = "is written twice"
	)
	cases := map[string]string{} // text -> cure
	first := map[string]bool{}   // of each kind
	add := func(cure, format string, values ...string) {
		first[fmt.Sprintf(format, values[0])] = true
		for _, v := range values {
			cases[fmt.Sprintf(format, v)] = cure
		}
	}
	wild := []string{`"*"`, `"**"`, `"?"`, `" * "`, `all`, `ALL`, `any`, `Everyone`, `everybody`, `anyone`, `"12*"`, `"*/12"`}
	add(list, "channels: {telegram: {allow: [%s]}}", wild...)
	add(list, "channels: {telegram: {allow: [12, %s]}}", wild...)
	add(list, "channels: {slack: {allow: [%s]}}", wild...)
	add(list, "owners: [\"telegram:%s\"]", "*", "?", "all", "everyone", "any")
	add(list, "channels: {telegram: {groups: {allow: [%s]}}}", wild[:6]...)
	add(ids, "channels: {telegram: {allow: [%s]}}", `"@ann"`, `ann`, `"+4912345"`, `"t.me/ann"`, `"Ann Lee"`, `"-5"`, `"0"`, `"012"`, `"1e3"`, `"١٢"`, `"12 "`, `"12\n13"`)
	add(ids, "channels: {telegram: {groups: {allow: [%s]}}}", `"@club"`, `club`, `12`, `"-0"`, `"-1001234567890 "`, `"telegram:-5"`, `"t.me/club"`, `"-5\n-6"`)
	add(ids, "channels: {slack: {channels: {allow: [%s]}}}", `"#general"`, `general`, `"T1/C1"`)
	add(ids, "owners: [%s]", `"telegram:@ann"`, `"telegram:ann"`, `"telegram: 12"`, `"telegram:12;13"`, `"slack:T012/ann"`, `"slack:T012/@ann"`)
	add("write CHANNEL:ID", "owners: [%s]", `ann`, `"12"`, `":12"`, `"*"`)
	add("slack:TEAM/USER", "owners: [%s]", `"slack:U012AB3CD"`)
	add("write CHANNEL:CHAT", "tools: {chats: {%s: {level: exec}}}", `"*"`, `"telegram:*"`, `"telegram"`, `"telegram:-1 -2"`)
	add(crypt, "models: {main: {model: m, api_key: env:KEY, base_url: %q}}",
		"http://example.org/v1", "HTTP://example.org/v1", "http://localhost.example.org/v1",
		"http://127.0.0.1.example.org/v1", "http://0.0.0.0/v1", "http://[::]/v1",
		"http://127.1.example/v1", "http://10.0.0.1/v1", "http://192.168.1.1/v1",
		"http://169.254.169.254/v1", "http://[fe80::1]/v1", "http://[::ffff:10.0.0.1]/v1",
		"http://2130706433/v1", "http://0x7f.0.0.1/v1", "http://127.1/v1", "http://localhost./v1")
	add("must not hold a name or a password", "models: {main: {model: m, base_url: %q}}",
		"https://user:canary@example.org/v1", "https://canary@example.org/v1", "http://127.0.0.1@example.org/v1")
	add("must be an address", "models: {main: {model: m, base_url: %q}}",
		"example.org", "file:///etc/passwd", "ftp://example.org", "//example.org",
		"javascript:alert(1)", "http://", "unix:///run/x", "http://loca%6Chost.org/v1")
	add(hidden, "models: {main: {model: m, api_key: %s}}", `sk-canary-1234567890`, `"Env:KEY"`, `"env:"`, `"env: KEY"`, `"file:"`, `"credential:../canary"`, `"${KEY}"`, `"base64:Y2FuYXJ5"`, `env:sk-canary-12345678`)
	add("can be read by others (mode 06", "models: {main: {model: m, api_key: \"file:%s\"}}", "open.txt", "group.txt", "./open.txt")
	for _, listen := range []string{":8443", "0.0.0.0:8443", "[::]:8443", "127.0.0.1:8443", "localhost:8443", "192.0.2.1:8443"} {
		add("webhook.secret: is missing",
			"channels: {telegram: {enabled: true, token: env:TOKEN, webhook: {public_url: \"https://b.example/h\", listen: %q}}}",
			listen)
		add("events.signing_secret: is missing", "channels: {slack: {events: {listen: %q}}}", listen)
	}
	add("must be the https address",
		"channels: {telegram: {enabled: true, token: env:TOKEN, webhook: {listen: \":1\", secret: env:KEY, public_url: %q}}}",
		"http://b.example/h", "b.example", "ftp://b.example")
	add("unknown key", "%s", "owner: [\"telegram:1\"]", "Owners: []", "OWNERS: []", "\"owners \": []",
		"channels: {telegram: {allow_all: true}}", "channels: {telegram: {Allow_Everyone: true}}",
		"tools: {approvals: never}", "tools: {chats: {\"telegram:1\": {levels: exec}}}", "models: {main: {model: m, apikey: x}}", "оwners: []")
	add(once, "%s", "owners: []\nowners: [\"telegram:1\"]", "channels: {telegram: {allow: [], allow: [1]}}",
		"tools: {approval: destructive, \"approval\": never}",
		"models: {main: {model: a}, main: {model: b}}", "owners: []\n\"\\u006fwners\": [\"telegram:1\"]",
		"tools: {chats: {\"telegram:1\": {level: none, level: exec}}}")
	add("must be", "%s", "owners: \"telegram:1\"", "owners: {telegram: 1}", "channels: []",
		"channels: {telegram: {allow: 12}}", "channels: {telegram: {allow_everyone: \"yes\"}}",
		"channels: {telegram: {allow_everyone: 1}}",
		"tools: {timeout: 30}", "agent: {max_tool_iterations: \"10\"}",
		"channels: {telegram: {allow: [[12]]}}", "channels: {telegram: {allow: [true]}}")
	add("anchors, aliases and tags", "%s", "owners: &all []", "channels: {telegram: {<<: {allow_everyone: true}}}",
		"owners: !!seq [\"telegram:1\"]", "models: {a: &m {model: m}, b: *m}")

	for text, cure := range cases {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.env = append(w.env, "KEY=hook-Secret_1", "TOKEN=11:canary-token")
			for name, mode := range map[string]os.FileMode{"open.txt": 0o644, "group.txt": 0o640} {
				file := filepath.Join(w.dir, name)
				if err := os.WriteFile(file, []byte("canary"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(file, mode); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(w.config, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			verbs := [][]string{{"config", "check"}}
			if first[text] {
				verbs = append(verbs, []string{"run"}, []string{"chat"})
			}
			for _, verb := range verbs {
				out, errs, code := w.run(verb...)
				if code != 2 || !strings.Contains(errs, cure) {
					t.Errorf("%s ends with %d and says %q, without %q", verb[0], code, errs, cure)
				}
				for line := range strings.Lines(strings.TrimSpace(errs)) {
					if !place.MatchString(line) {
						t.Errorf("no place in %q", line)
					}
				}
				if strings.Contains(out+errs, "canary") || strings.Contains(errs, "goroutine") {
					t.Errorf("it tells %s%s", out, errs)
				}
			}
			if _, err := os.Stat(filepath.Join(w.dir, "state")); err == nil {
				t.Error("it has begun all the same")
			}
		})
	}
}

// TestConfigurationThatIsNoHarm: settings that look like the above and are in order.
func TestConfigurationThatIsNoHarm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`models: {main: {model: m, api_key: env:KEY, base_url: "http://127.0.0.1:11434/v1"}}`, `models: {main: {model: m, api_key: env:KEY, base_url: "http://localhost/v1"}}`,
		`models: {main: {model: m, api_key: env:KEY, base_url: "http://[::1]:80/v1"}}`, `models: {main: {model: m, api_key: env:KEY, base_url: "http://127.9.9.9/v1"}}`,
		`models: {main: {model: m, base_url: "http://192.168.1.1:11434/v1"}}`, `models: {main: {model: m, api_key: "file:closed.txt"}}`,
		`channels: {telegram: {allow: [12, "13"], groups: {allow: [-100123]}}}`, `channels: {telegram: {allow: [], allow_everyone: true}}`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.env = append(w.env, "KEY=canary")
			if err := os.WriteFile(filepath.Join(w.dir, "closed.txt"), []byte("canary"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(w.config, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, errs, code := w.run("config", "check"); code != 0 {
				t.Errorf("%d: %s%s", code, out, errs)
			}
		})
	}
}
