package config_test

import (
	"net/netip"
	"slices"
	"testing"

	"parley/pkg/config"
)

func TestWebSearchChosen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"":                                       {"duckduckgo", "https://html.duckduckgo.com"},
		"{searxng_url: 'http://127.0.0.1:8888'}": {"searxng", "http://127.0.0.1:8888"},
		"{brave_key: env:OPENAI_API_KEY}":        {"brave", "https://api.search.brave.com"},
		"{brave_key: env:OPENAI_API_KEY, searxng_url: 'http://127.0.0.1:8888'}": {"searxng", "http://127.0.0.1:8888"},
		"{brave_key: env:OPENAI_API_KEY, backend: duckduckgo}":                  {"duckduckgo", "https://html.duckduckgo.com"},
	} {
		got, err := config.Load(write(t, "tools: {web: {search: "+text+"}}"), options())
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if backend, address := got.Tools.Web.Search.Chosen(); backend != want[0] || address != want[1] {
			t.Errorf("%s: %s at %s", text, backend, address)
		}
		if key := got.Tools.Web.Search.BraveKey; key.IsSet() != slices.Contains(got.Secrets(), key.Reveal()) {
			t.Errorf("%s: the key is not among the secrets", text)
		}
	}
}

func TestWebPrivate(t *testing.T) {
	t.Parallel()
	got, err := config.Load(write(t,
		"tools: {web: {allow_private: [192.168.1.5, 10.1.0.0/16, 'fd00::/8', Wiki.Internal, nas], ports: [8080]}}"), options())
	if err != nil {
		t.Fatal(err)
	}
	networks, hosts := got.Tools.Web.Private()
	want := []netip.Prefix{netip.MustParsePrefix("192.168.1.5/32"), netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8")}
	if !slices.Equal(networks, want) || !slices.Equal(hosts, []string{"wiki.internal", "nas"}) ||
		!slices.Equal(got.Tools.Web.Ports, []int{8080}) {
		t.Errorf("%v, %v, %v", networks, hosts, got.Tools.Web.Ports)
	}
}
