package config

import (
	"fmt"
	"net/netip"

	"parley/pkg/strictyaml"
)

// proxies checks the addresses and networks of a list of trusted proxies.
func (c checker) proxies(path string, list []string) {
	for i, text := range list {
		if _, err := parseProxy(text); err != nil {
			c.at(fmt.Sprintf("%s[%d]", path, i), "%v", err)
		}
	}
}

// Proxies reads a list of trusted proxies that [Load] has checked.
func Proxies(list []string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range list {
		if p, err := parseProxy(text); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// parseProxy reads an address or a network. One that holds all addresses is refused:
// every stranger could write a header.
func parseProxy(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return p, fmt.Errorf("%s is no address or network: write one such as 127.0.0.1 or 10.0.0.0/8", strictyaml.Quote(text))
	case p.Bits() == 0:
		return p, fmt.Errorf("%s holds every address, so that strangers could name any client: write the proxy's own", strictyaml.Quote(text))
	case p.Masked() != p:
		return p, fmt.Errorf("%s has bits behind its network: write %s", strictyaml.Quote(text), p.Masked())
	case p.Addr().Is4In6():
		return p, fmt.Errorf("%s is a network of IPv4 in IPv6: write it as IPv4", strictyaml.Quote(text))
	}
	return p, nil
}
