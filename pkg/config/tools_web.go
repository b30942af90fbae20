package config

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"parley/pkg/strictyaml"
)

// WebTools bound the agent's searches and reading on the web.
type WebTools struct {
	Search       WebSearch `yaml:"search"`
	Timeout      Duration  `yaml:"timeout" min:"1s" max:"2m" jsonschema_description:"Longest that one search or one page may take to come. Default 15s."`
	MaxKB        int       `yaml:"max_kb" jsonschema:"minimum=16,maximum=8192" jsonschema_description:"Kilobytes that are read of one page, both as it travels and unpacked. Default 2048."`
	Ports        []int     `yaml:"ports" jsonschema_description:"The ports that web_fetch may reach. Default 80 and 443."`
	AllowPrivate []string  `yaml:"allow_private" jsonschema_description:"Addresses (192.168.1.5), networks (10.1.0.0/16) and names (wiki.internal) that web_fetch may reach although they are not on the public internet."`
}

// WebSearch names the server that answers web_search.
type WebSearch struct {
	Backend       string `yaml:"backend" jsonschema:"enum=auto,enum=searxng,enum=brave,enum=duckduckgo" jsonschema_description:"auto, the default: SearXNG where its address is set, else Brave where its key is, else DuckDuckGo, which needs no key and often refuses to answer."`
	SearXNGURL    string `yaml:"searxng_url" jsonschema_description:"Address of a SearXNG server; json must be among its search.formats."`
	BraveKey      Secret `yaml:"brave_key"`
	BraveURL      string `yaml:"brave_url" jsonschema_description:"Default https://api.search.brave.com."`
	DuckDuckGoURL string `yaml:"duckduckgo_url" jsonschema_description:"Default https://html.duckduckgo.com."`
	PerMinute     int    `yaml:"per_minute" jsonschema:"minimum=1,maximum=600" jsonschema_description:"Searches a minute, over all chats, which take turns. Default 20."`
}

func defaultWebTools() WebTools {
	return WebTools{
		Search: WebSearch{
			Backend: "auto", BraveURL: "https://api.search.brave.com", DuckDuckGoURL: "https://html.duckduckgo.com", PerMinute: 20,
		},
		Timeout: Duration(15 * time.Second), MaxKB: 2048, Ports: []int{80, 443},
	}
}

// Chosen is the backend that answers, with auto resolved, and its address.
func (s WebSearch) Chosen() (backend, address string) {
	backend = s.Backend
	if backend == "auto" || backend == "" {
		switch {
		case s.SearXNGURL != "":
			backend = "searxng"
		case s.BraveKey.set:
			backend = "brave"
		default:
			backend = "duckduckgo"
		}
	}
	return backend, map[string]string{"searxng": s.SearXNGURL, "brave": s.BraveURL, "duckduckgo": s.DuckDuckGoURL}[backend]
}

// Private are the networks and the host names of AllowPrivate.
func (t WebTools) Private() (networks []netip.Prefix, hosts []string) {
	for _, s := range t.AllowPrivate {
		if p, err := network(s); err == nil {
			networks = append(networks, p)
		} else if hostName(s) {
			hosts = append(hosts, strings.ToLower(s))
		}
	}
	return networks, hosts
}

// network reads an address or a network.
func network(s string) (netip.Prefix, error) {
	if ip, err := netip.ParseAddr(s); err == nil && ip.Zone() == "" && !ip.Is4In6() {
		return ip.Prefix(ip.BitLen())
	}
	p, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return netip.Prefix{}, err
	case p.Addr().Is4In6():
		return netip.Prefix{}, fmt.Errorf("%s is an IPv4 network in IPv6 clothes", s)
	}
	return p, nil
}

// hostName says whether s is a name of a host, not a pattern or a number.
func hostName(s string) bool {
	const most = 253
	return len(s) <= most && regexp.MustCompile(`^([A-Za-z0-9_-]{1,63}\.)*[A-Za-z_-][A-Za-z0-9_-]{0,62}$`).MatchString(s)
}

func (c webChecker) web() {
	const path = "tools.web"
	w := c.cfg.Tools.Web
	for i, port := range w.Ports {
		if port < 1 || port > 65535 {
			c.at(fmt.Sprintf("%s.ports[%d]", path, i), "must be a number from 1 to 65535")
		}
	}
	if len(w.Ports) == 0 {
		c.at(path+".ports", "is empty: write [80, 443], or leave it out")
	}
	// The widest networks that may be allowed: no operator means all of the internet.
	const widest4, widest6 = 8, 7
	for i, s := range w.AllowPrivate {
		at := fmt.Sprintf("%s.allow_private[%d]", path, i)
		p, err := network(s)
		switch {
		case err != nil && !hostName(s):
			c.at(at,
				"%s is no address, network or name: write such as 192.168.1.5, 10.1.0.0/16 or wiki.internal; there are no wildcards",
				strictyaml.Quote(s))
		case err == nil && (p.Addr().Is4() && p.Bits() < widest4 || p.Addr().Is6() && p.Bits() < widest6):
			c.at(at, "%s is too wide: name the network that is meant", strictyaml.Quote(s))
		}
	}
	c.webSearch(path+".search", w.Search)
}

func (c webChecker) webSearch(path string, s WebSearch) {
	backend, _ := s.Chosen()
	switch {
	case backend == "searxng" && s.SearXNGURL == "":
		c.at(path+".searxng_url", "is missing: write the address of the server")
	case backend == "brave" && !s.BraveKey.set:
		c.at(path+".brave_key", "is missing: write env:BRAVE_API_KEY, file:PATH or credential:NAME")
	}
	if s.SearXNGURL != "" {
		c.server(path+".searxng_url", s.SearXNGURL, false)
	}
	c.server(path+".brave_url", s.BraveURL, s.BraveKey.set)
	c.server(path+".duckduckgo_url", s.DuckDuckGoURL, false)
}
