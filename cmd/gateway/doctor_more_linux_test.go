package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
	"parley/pkg/session/bolt/bolttest"
)

// TestDoctorOfRefusedSettings names the rule that a setting breaks.
func TestDoctorOfRefusedSettings(t *testing.T) {
	t.Parallel()
	const names = "channels: {telegram: {enabled: true, token: env:SECRET_BOT, %s}}\n"
	write := func(text string) func(*testing.T, *world) {
		return func(_ *testing.T, w *world) {
			w.env = append(w.env, "SECRET_BOT=1:"+hiddenKey, "HOOK=hook-word-of-the-test")
			w.write(offlineModel + text)
		}
	}
	diagnose(t, map[string]setup{
		"a group by its name": {
			breaks: write(fmt.Sprintf(names, "groups: {allow: [\"@friends\"]}")),
			want:   finding{"configuration", "fail", "@friends", "correct line 3 of "},
		},
		"a person by their name": {
			breaks: write(fmt.Sprintf(names, "allow: [\"@ann\"]")),
			want:   finding{"configuration", "fail", "@ann", "correct line 3 of "},
		},
		"an owner by their name": {
			breaks: write("owners: [\"telegram:@ann\"]\n"),
			want:   finding{"configuration", "fail", "@ann", "correct line 3 of "},
		},
		"a webhook without a secret": {
			breaks: write(fmt.Sprintf(names, `webhook: {listen: "127.0.0.1:1", public_url: "https://bot.example/telegram"}`)),
			want:   finding{"configuration", "fail", "secret", "correct line 3 of "},
		},
		"a page that other machines reach unencrypted": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				_, port, _ := strings.Cut(free(t), ":")
				w.write(offlineModel + fmt.Sprintf("http: {listen: \"0.0.0.0:%s\"}\n", port))
			},
			want: finding{"port", "warn", "is open to other machines, unencrypted", "write 127.0.0.1:"},
		},
		"a configuration that cannot be read": {
			bare:   true,
			breaks: func(t *testing.T, w *world) { t.Helper(); w.write(offlineModel); unusable(t, w.config, 0) },
			want:   finding{"configuration", "fail", "permission denied", "a file that this user can read"},
		},
		"a file of a secret that cannot be read": {
			bare: true,
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				w.write("models: {main: {model: m, api_key: file:key}}\n")
				w.file("key", hiddenKey, 0o600)
				unusable(t, filepath.Join(w.dir, "key"), 0)
			},
			want: finding{"configuration", "fail", "permission denied", "do as the line says"},
		},
		"one bot under two names": {
			breaks: write("channels: {telegram: {enabled: true, accounts: [" +
				"{name: one, token: env:SECRET_BOT}, {name: two, token: env:SECRET_BOT}]}}\n"),
			want: finding{"configuration", "fail", "each bot may be here once", "do as the line says"},
		},
	})
}

// TestDoctorOfUnknownNames: a name that no DNS knows is told apart from a server that is down.
func TestDoctorOfUnknownNames(t *testing.T) {
	t.Parallel()
	const nowhere = "https://no-such-host.invalid"
	diagnose(t, map[string]setup{
		"of a model server": {
			breaks: func(_ *testing.T, w *world) {
				w.env = append(w.env, "SECRET_MODEL="+hiddenKey)
				w.write(fmt.Sprintf("models: {main: {model: m, base_url: %q, api_key: env:SECRET_MODEL}}\n", nowhere+"/v1"))
			},
			want: finding{"model main", "fail", "no-such-host.invalid", "correct the name https://no-such-host.invalid"},
		},
		"of Telegram": {
			breaks: func(_ *testing.T, w *world) { w.withTelegram(nowhere, "1:"+hiddenKey, "") },
			want:   finding{"telegram", "fail", "no-such-host.invalid", "correct the name https://no-such-host.invalid"},
		},
		"of the page": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				w.write(offlineModel + fmt.Sprintf("http: {listen: %q, public_url: %q}\n", free(t), nowhere))
			},
			want: finding{"public address", "fail", "no-such-host.invalid", "correct the name https://no-such-host.invalid"},
		},
	})
}

// TestDoctorOfBotsAndWindows finds what works and is not what the person meant.
func TestDoctorOfBotsAndWindows(t *testing.T) {
	t.Parallel()
	diagnose(t, map[string]setup{
		"an app-level token without its right": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				srv := fakeslack.New(t)
				w.withSlackAt(srv.URL(), srv.BotToken(), srv.AppToken())
				srv.Harm(fakeslack.Rule{Method: "apps.connections.open", Fault: fakeslack.Refusal("missing_scope")})
			},
			want: finding{"slack socket", "fail", "missing_scope", "with connections:write"},
		},
		"a bot token without a right": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				srv := fakeslack.New(t)
				w.withSlackAt(srv.URL(), srv.BotToken(), srv.AppToken())
				srv.Harm(fakeslack.Rule{Method: "auth.test", Fault: fakeslack.Refusal("missing_scope")})
			},
			want: finding{"slack", "fail", "missing_scope", "take the Bot User OAuth Token"},
		},
		"a history that is larger than the window": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				w.withModel(t, answering("hello"), ", context: 32000")
				w.file("parley.yaml", w.read(t)+"agent: {history: {tokens: 60000}}\n", 0o600)
			},
			want: finding{"window", "warn", "60000 tokens of a conversation", "agent.history.tokens"},
		},
		"a token of another bot": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				srv := faketelegram.New(t)
				w.withTelegram(srv.URL(), srv.Token(), ", allow_everyone: true")
				g := w.start("run")
				chat := srv.Private(srv.User("Ann"))
				chat.Say("hello")
				w.eventually(t, func() bool { return len(chat.Texts()) > 0 })
				g.interrupt()
				other := srv.AddBot("other_test_bot")
				w.env = nil
				w.withTelegram(srv.URL(), other.Token(), ", allow_everyone: true")
			},
			want: finding{"telegram", "warn", "are with another bot", "put the token of that bot where channels.telegram.token points"},
		},
		"a store of a newer release": {
			breaks: func(t *testing.T, w *world) { t.Helper(); w.chat("what is 2*3?"); newerStore(t, w) },
			want:   finding{"store", "fail", "newer", "run the newer release"},
		},
	})
}

// read is the configuration of the world.
func (w *world) read(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(w.config)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// newerStore makes the store that of a release to come.
func newerStore(t *testing.T, w *world) {
	t.Helper()
	if err := bolttest.SetSchema(filepath.Join(w.dir, "state"), 99); err != nil {
		t.Fatal(err)
	}
}
