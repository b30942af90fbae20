package config

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"

	"parley/pkg/strictyaml"
)

// server checks an address to which requests go; secret says that one goes with them.
func (c checker) server(path, address string, secret bool) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		c.at(path, "must be an address such as https://example.org/v1")
	case u.User != nil:
		c.at(path, "must not hold a name or a password: a key goes into its own field")
	case u.RawQuery != "" || u.Fragment != "":
		c.at(path, "must end before ? and #")
	case u.Port() != "" && !isPort(u.Port()):
		c.at(path, "has the port %s: write one from 1 to 65535, or none", strictyaml.Quote(u.Port()))
	case u.Scheme == "http" && secret && !loopback(u.Hostname()):
		c.at(path, "a secret would travel unencrypted: write https, or leave the secret out (plain http with a secret is for this machine only)")
	}
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

func (c checker) listen(path, address string) {
	if host, port, err := net.SplitHostPort(address); err != nil || !isPort(port) || !isHost(host) {
		c.at(path, "must be HOST:PORT, such as 127.0.0.1:8443")
	}
}

// isHost says whether s can stand in front of a port to listen at.
func isHost(s string) bool {
	_, err := netip.ParseAddr(s)
	return s == "" || err == nil || hostName(s)
}

// listeners finds two that would listen at one address: the second could not start.
func (c channelChecker) listeners() {
	type listener struct{ path, host, port string }
	var all []listener
	shared := &c.cfg.HTTP
	add := func(path, address string) {
		host, port, err := net.SplitHostPort(address)
		if err != nil || len(all) > 0 && shared.Shares(address) {
			return
		}
		if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
			host = ""
		}
		for _, l := range all {
			if l.port == port && (l.host == host || l.host == "" || host == "") {
				c.at(path, "%s has this address already: each needs its own", l.path)
				return
			}
		}
		all = append(all, listener{path, host, port})
	}
	add(httpPath+".listen", shared.Listen)
	t := &c.cfg.Channels.Telegram
	add(telegramPath+".webhook.listen", t.Webhook.Listen)
	for i, a := range t.Accounts {
		add(accountPath(i)+".webhook.listen", a.Webhook.Listen)
	}
	add(slackEventsPath+".listen", c.cfg.Channels.Slack.Events.Listen)
}

func (c checker) proxy(path, address string) {
	if address == "" {
		return
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme):
		c.at(path, "must be an address such as http://127.0.0.1:3128 or socks5://127.0.0.1:1080")
	case u.Port() != "" && !isPort(u.Port()):
		c.at(path, "has the port %s: write one from 1 to 65535, or none", strictyaml.Quote(u.Port()))
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		c.at(path, "must end behind the port: a proxy has no path")
	}
}
