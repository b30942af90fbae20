package config_test

import (
	"strings"
	"testing"

	"parley/pkg/config"
)

// TestHTTPRefuses lists the mistakes in http, and in webhooks that share its port.
func TestHTTPRefuses(t *testing.T) {
	t.Parallel()
	const (
		one  = "channels: {telegram: {enabled: true, token: env:TG_TOKEN, webhook: {listen: ':8080', secret: env:TG_HOOK, public_url: '"
		http = "http: {listen: ':8080', public_url: 'https://h.example'}\n"
	)
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"no listen": {"http: {public_url: 'https://h.example'}", []string{"http: has no listen: write HOST:PORT"}},
		"approvals": {"http: {listen: ':8080', chat_approvals: never}", []string{"http.chat_approvals"}},
		"no port":   {"http: {listen: here}", []string{"http.listen: must be HOST:PORT"}},
		"no URL":    {"http: {listen: ':8080', public_url: h.example}", []string{"http.public_url: must be an address such as"}},
		"a path":    {"http: {listen: ':8080', public_url: 'https://h.example/bot'}", []string{"http.public_url: must end behind the host"}},
		"every":     {"http: {listen: ':8080', public_url: 'http://0.0.0.0:8080'}", []string{"http.public_url: is no address that"}},
		"password":  {"http: {listen: ':8080', public_url: 'https://a:b@h.example'}", []string{"http.public_url: must be an address such as"}},
		"a port":    {"http: {listen: ':8080', public_url: 'https://h.example:0'}", []string{"http.public_url: has the port \"0\""}},
		"everybody": {"http: {listen: ':8080', trusted_proxies: [0.0.0.0/0]}", []string{"http.trusted_proxies[0]: "}},
		"no path":   {http + one + "https://h.example'}}}", []string{"webhook.public_url: must have the path /telegram"}},
		"a pattern": {http + one + "https://h.example/telegram/{x}'}}}", []string{"webhook.public_url: must have the path /telegram"}},
		"an API":    {http + one + "https://h.example/api'}}}", []string{"webhook.public_url: must have the path /telegram"}},
		"proxies": {
			http + one + "https://h.example/telegram', trusted_proxies: [10.0.0.1]}}}",
			[]string{"webhook.trusted_proxies: belongs to the server that is shared"},
		},
		"another spelling": {
			"http: {listen: '127.0.0.1:8080'}\n" + one + "https://h.example/telegram'}}}",
			[]string{"webhook.listen: http.listen has this address already"},
		},
		"two bots at one path": {
			http + "channels:\n  telegram:\n    enabled: true\n    accounts:\n" +
				"    - {name: a, token: env:TG_TOKEN, webhook: {listen: ':8080', secret: env:TG_HOOK, public_url: 'https://h.example/telegram'}}\n" +
				"    - {name: b, token: env:TG_TOKEN, webhook: {listen: ':8080', secret: env:TG_HOOK, public_url: 'https://h.example/telegram'}}\n",
			[]string{"accounts[1].webhook.public_url: has the path of channels.telegram.accounts[0].webhook"},
		},
		"Slack without a name": {
			"http: {listen: ':8080'}\nchannels: {slack: {bot_token: env:TG_TOKEN, events: {listen: ':8080', signing_secret: env:TG_HOOK}}}",
			[]string{"http.public_url: is missing: Slack calls"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(write(t, tc.text), options())
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in\n%v", want, err)
				}
			}
		})
	}
}

// TestHTTPShares: webhooks with the listen of http are at its server, others are not.
func TestHTTPShares(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(write(t, "http: {listen: ':8080', public_url: 'https://h.example'}\n"+
		"channels: {telegram: {webhook: {listen: ':8080', secret: env:TG_HOOK, public_url: 'https://h.example/telegram'}}}"), options())
	if err != nil {
		t.Fatal(err)
	}
	if !cfg.HTTP.Shares(cfg.Channels.Telegram.Webhook.Listen) || cfg.HTTP.Shares(":8081") || cfg.HTTP.Shares("") {
		t.Error("another address is shared, or this one is not")
	}
}
