package web

import (
	"net"
	"net/netip"
	"time"

	"parley/pkg/tools"
)

// Options limit the reach of the tools and the cost of a call. A zero value stands
// for its default.
type Options struct {
	Search SearchOptions
	// Timeout bounds one call's requests, redirects and body included; default 15 s.
	Timeout time.Duration
	// MaxBytes is the most that is read of one body, both as it travels and
	// unpacked; default 2 MiB.
	MaxBytes int
	// Ports are the ports that web_fetch may dial; default 80 and 443.
	Ports []uint16
	// AllowPrefixes are networks that web_fetch may reach though they are not public.
	AllowPrefixes []netip.Prefix
	// AllowHosts are names, in lower case, that may lead to private or loopback addresses.
	AllowHosts []string
	// Redact takes secrets out of a page before a part of it is shown, which may have a part of one; nil leaves them.
	Redact func(string) string
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
}

// SearchOptions choose the server of web_search.
type SearchOptions struct {
	// Backend is SearXNG, Brave or DuckDuckGo; empty: DuckDuckGo.
	Backend string
	// URL is the address of the backend; empty: its public one. SearXNG has no public
	// one.
	URL string
	// Key gives the secret of a backend that wants one; nil for the others.
	Key func() string
	// PerMinute is how many searches may begin in a minute; default 20.
	PerMinute int
}

// The backends of web_search.
const (
	SearXNG    = "searxng"
	Brave      = "brave"
	DuckDuckGo = "duckduckgo"
)

// The defaults of the options.
const (
	defaultTimeout   = 15 * time.Second
	defaultMaxBytes  = 2 << 20
	defaultPerMinute = 20
)

// userAgent is how both tools introduce themselves.
const userAgent = "Mozilla/5.0 (compatible; Parley)"

// New makes web_search and web_fetch. A search with options that cannot work is refused
// as disabled, with the reason.
func New(o Options) []tools.Tool {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if len(o.Ports) == 0 {
		o.Ports = []uint16{80, 443}
	}
	if o.Search.PerMinute == 0 {
		o.Search.PerMinute = defaultPerMinute
	}
	return []tools.Tool{newSearcher(o).tool(), newFetcher(o).tool()}
}
