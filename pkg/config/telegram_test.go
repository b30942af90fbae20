package config_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/pkg/config"
)

// tokens are an environment with the tokens of some bots.
func tokens(name string) (string, bool) {
	v, ok := map[string]string{"ONE": "11:canary-one", "TWO": "22:canary-two", "TWO_AGAIN": "22:canary-new", "HOOK": "canary-hook"}[name]
	return v, ok
}

func telegramOptions() config.Options {
	o := options()
	o.LookupEnv, o.Built = tokens, []string{"console", "telegram"}
	return o
}

func telegramOf(t *testing.T, keys string) (*config.Config, error) {
	t.Helper()
	return config.Load(write(t, "channels:\n  telegram:\n    enabled: true\n"+indent(keys)), telegramOptions())
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(text, "\n")) {
		b.WriteString("    " + line)
	}
	return b.String()
}

// accounts are two bots, the shared keys below them, where they count as well.
const accounts = `
accounts:
  - name: help
    token: env:ONE
    allow: [1]
    send_rate: {chat: 0}
  - name: ops
    token: env:TWO
    allow_everyone: true
    groups: {mention: "off", allow: [-5]}
    webhook: {listen: "127.0.0.1:8443", public_url: "https://bot.example.org/ops", secret: env:HOOK}
    api_url: http://127.0.0.1:8081
    stream: off
    proxy: ""
    pairing: on
    levels: {groups: read}
levels: {direct: write}
api_url: https://telegram.example.org
send_rate: {chat: 2, group_per_minute: 10}
stream: edit
proxy: http://127.0.0.1:3128
pairing: off
`

func TestTelegramAccounts(t *testing.T) {
	t.Parallel()
	cfg, err := telegramOf(t, accounts)
	if err != nil {
		t.Fatal(err)
	}
	want := []*config.TelegramAccount{
		{
			Name: "help", APIURL: "https://telegram.example.org", Allow: []config.ID{"1"}, Groups: config.Groups{Mention: "required"},
			Levels:   config.Levels{Direct: "write", Groups: "chat"},
			SendRate: config.TelegramRate{GroupPerMinute: 10, Bot: 30}, Stream: "edit", Proxy: "http://127.0.0.1:3128", Pairing: "off",
		},
		{
			Name: "ops", APIURL: "http://127.0.0.1:8081", AllowEveryone: true, Groups: config.Groups{Mention: "off", Allow: []config.ID{"-5"}},
			Levels:   config.Levels{Direct: "write", Groups: "read"},
			Webhook:  config.Webhook{Listen: "127.0.0.1:8443", PublicURL: "https://bot.example.org/ops"},
			SendRate: config.TelegramRate{Chat: 2, GroupPerMinute: 10, Bot: 30}, Stream: "off", Pairing: "on",
		},
	}
	bots := cfg.Channels.Telegram.Bots()
	if diff := cmp.Diff(want, bots, cmpopts.IgnoreTypes(config.Secret{})); diff != "" {
		t.Errorf("bots (-want +got):\n%s", diff)
	}
	var got []string
	for _, b := range bots {
		got = append(got, b.BotID(), b.Token.Reveal(), b.Webhook.Secret.Reveal())
	}
	if diff := cmp.Diff([]string{"11", "11:canary-one", "", "22", "22:canary-two", "canary-hook"}, got); diff != "" {
		t.Errorf("ids and secrets (-want +got):\n%s", diff)
	}
	secrets := cfg.Secrets()
	slices.Sort(secrets)
	if diff := cmp.Diff([]string{"11:canary-one", "22:canary-two", "canary-hook"}, secrets); diff != "" {
		t.Errorf("Secrets (-want +got):\n%s", diff)
	}
	if shown := fmt.Sprintf("%+v %#v", bots, bots); strings.Contains(shown, "canary") {
		t.Errorf("a secret shows itself: %s", shown)
	}
}

func TestTelegramBots(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		keys string
		want []string
	}{
		"one":                 {"token: env:ONE", []string{"/11"}},
		"a list":              {"accounts: [{name: a, token: env:ONE}, {name: b, token: env:TWO}]", []string{"a/11", "b/22"}},
		"one beside the list": {"token: env:TWO\nallow: [1]\naccounts: [{name: a, token: env:ONE}]", []string{"/22", "a/11"}},
		"an empty list":       {"token: env:ONE\naccounts: []", []string{"/11"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := telegramOf(t, tc.keys)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range cfg.Channels.Telegram.Bots() {
				got = append(got, b.Name+"/"+b.BotID())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("bots (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTelegramAccountsRefused(t *testing.T) {
	t.Parallel()
	const accounts = "channels.telegram.accounts"
	for name, tc := range map[string]struct {
		keys string
		want []string
	}{
		"one bot twice": {
			"accounts:\n  - {name: a, token: env:TWO}\n  - {name: b, token: env:TWO_AGAIN}",
			[]string{`:6:26: ` + accounts + `[1].token: is a token of the bot "22", which ` + accounts + `[0] has already`},
		},
		"one bot in the list and beside it": {
			"token: env:TWO\naccounts: [{name: a, token: env:TWO_AGAIN}]", []string{accounts + `[0].token: is a token of the bot "22", which channels.telegram has already`},
		},
		"no name":             {"accounts: [{token: env:ONE}]", []string{accounts + "[0].name: is missing"}},
		"nothing":             {"accounts: [null]", []string{accounts + "[0]: has no value: write one, or leave the key out"}},
		"a name that is none": {"accounts: [{name: a b, token: env:ONE}]", []string{accounts + `[0].name: "a b" is no name for a bot`}},
		"a name twice":        {"accounts: [{name: a, token: env:ONE}, {name: a, token: env:TWO}]", []string{accounts + `[1].name: "a" is the name of accounts[0] already`}},
		"no token":            {"accounts: [{name: a}]", []string{accounts + "[0].token: is missing"}},
		"a token in the file": {
			"accounts: [{name: a, token: 33:canary}]",
			[]string{accounts + "[0].token: a secret is never written into this file"},
		},
		"a wildcard": {
			"accounts: [{name: a, token: env:ONE, allow: ['*']}]",
			[]string{accounts + "[0].allow[0]: no wildcard on telegram"},
		},
		"plain http": {
			"accounts: [{name: a, token: env:ONE, api_url: 'http://example.org'}]",
			[]string{accounts + "[0].api_url: a secret would travel unencrypted"},
		},
		"a proxy that is none": {"accounts: [{name: a, token: env:ONE, proxy: 'ftp://x'}]", []string{accounts + "[0].proxy: must be an address"}},
		"an open webhook": {
			"accounts: [{name: a, token: env:ONE, webhook: {listen: ':80'}}]",
			[]string{accounts + "[0].webhook.secret: is missing"},
		},
		"one address for two": {
			"accounts:\n" +
				"  - {name: a, token: env:ONE, webhook: {listen: ':80', public_url: 'https://a.example', secret: env:HOOK}}\n" +
				"  - {name: b, token: env:TWO, webhook: {listen: ':80', public_url: 'https://b.example', secret: env:HOOK}}",
			[]string{accounts + "[1].webhook.listen: " + accounts + "[0].webhook.listen has this address already"},
		},
		"a list of nobody's": {
			"allow: [1]\ngroups: {allow: [-1]}\naccounts: [{name: a, token: env:ONE}]",
			[]string{":4:12: channels.telegram.allow: belongs to one bot", ":5:13: channels.telegram.groups: belongs to one bot"},
		},
		"an unknown key": {"accounts: [{name: a, tokne: env:ONE}]", []string{accounts + "[0].tokne: unknown key: did you mean token?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := telegramOf(t, tc.keys)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q\nis not in\n%v", want, err)
				}
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("a secret is repeated: %v", err)
			}
		})
	}
}

// TestTelegramAccountsOff: a disabled channel needs no tokens, and does not look for
// them.
func TestTelegramAccountsOff(t *testing.T) {
	t.Parallel()
	const off = "channels: {telegram: {accounts: [{name: a, token: env:NOT_SET}, {name: b}]}}"
	if _, err := config.Load(write(t, off), telegramOptions()); err != nil {
		t.Error(err)
	}
}

// TestTelegramAccountsHaveEveryKey finds a key that one bot has and one of several has not.
func TestTelegramAccountsHaveEveryKey(t *testing.T) {
	t.Parallel()
	keys := func(v any) map[string]reflect.Type {
		all := map[string]reflect.Type{}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			all[f.Tag.Get("yaml")] = f.Type
		}
		return all
	}
	one, several := keys(config.Telegram{}), keys(config.TelegramAccount{})
	delete(one, "enabled")
	delete(one, "accounts")
	delete(several, "name")
	if diff := cmp.Diff(one, several, cmp.Comparer(func(a, b reflect.Type) bool { return a == b })); diff != "" {
		t.Errorf("keys (-one bot +one of several):\n%s", diff)
	}
}

func TestTelegramAccountsInTheSchema(t *testing.T) {
	t.Parallel()
	s := schema(t)
	for keys, valid := range map[string]bool{
		accounts:                           true,
		"accounts: [{token: env:ONE}]":     false,
		"accounts: [{name: a b}]":          false,
		"accounts: [{name: a, token: 33}]": false,
		"accounts: [{name: a, bot: b}]":    false,
	} {
		if err := validate(t, s, "channels:\n  telegram:\n    enabled: true\n"+indent(keys)); (err == nil) != valid {
			t.Errorf("%s\nschema: %v, want valid %v", keys, err, valid)
		}
		if _, err := telegramOf(t, keys); (err == nil) != valid {
			t.Errorf("%s\nLoad: %v, want valid %v", keys, err, valid)
		}
	}
}
