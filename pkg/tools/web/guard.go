package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// maxRedirects is how many redirects one call follows.
const maxRedirects = 5

// guard decides which addresses may be reached. It is the only way by which this
// package dials an address that the operator did not write.
type guard struct {
	ports    []uint16
	hosts    map[string]bool
	public   *ssrf.Guardian
	named    *ssrf.Guardian // for the hosts that the operator allowed by name
	resolver *net.Resolver
}

func newGuard(o Options) *guard {
	g := &guard{ports: o.Ports, hosts: map[string]bool{}, resolver: o.Resolver}
	for _, h := range o.AllowHosts {
		g.hosts[h] = true
	}
	g.public = guardian(o.Ports, o.AllowPrefixes)
	g.named = guardian(o.Ports, append(privatePrefixes(), o.AllowPrefixes...))
	return g
}

// guardian refuses every network of IANA's special-purpose lists that is not allowed.
func guardian(ports []uint16, allow []netip.Prefix) *ssrf.Guardian {
	var v4, v6 []netip.Prefix
	for _, p := range allow {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	return ssrf.New(
		ssrf.WithPorts(ports...), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...),
		// Azure's metadata service has a public address.
		ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")),
	)
}

// privatePrefixes are the private addresses that a host may lead to if it is allowed
// by name. Link-local addresses, where metadata services are, must be allowed as
// such.
func privatePrefixes() []netip.Prefix {
	var all []netip.Prefix
	for _, p := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "fc00::/7", "::1/128"} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// errPrivate says that an address was found that may not be reached.
var errPrivate = errors.New("the address is not a public one")

// checkAddr decides on an address that is written as such.
func (g *guard) checkAddr(ip netip.Addr) error {
	if g.public.SafeAddr(ip) != nil {
		return refuse("it is not on the public internet")
	}
	return nil
}

// dial connects, and lets the system connect only to a checked address: to this very
// one, and not to an earlier answer for the name.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	may := g.public
	if g.hosts[host] {
		may = g.named
	}
	var refused atomic.Bool
	d := net.Dialer{
		Timeout: 10 * time.Second, KeepAlive: -1, Resolver: g.resolver,
		Control: func(network, address string, c syscall.RawConn) error {
			if err := may.Safe(network, address, c); err != nil {
				refused.Store(true)
				return err
			}
			return nil
		},
	}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil && refused.Load() {
		return nil, errors.Join(errPrivate, err)
	}
	return conn, err
}

// client is an HTTP client that reaches only the addresses that the guard allows.
func (g *guard) client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy: nil, DialContext: g.dial, DisableKeepAlives: true, DisableCompression: true,
			TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errRedirects
			}
			u, err := g.parse(req.URL.String())
			if err != nil {
				return err
			}
			req.URL = u
			req.Host = ""
			req.Header.Del("Referer")
			return nil
		},
	}
}

// errRedirects says that a page leads nowhere.
var errRedirects = errors.New("more redirects than are followed")
