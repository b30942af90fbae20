package exchange

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/pkg/providers"
)

const (
	defaultConnect  = 10 * time.Second
	defaultIdle     = 60 * time.Second
	defaultTotal    = 300 * time.Second
	defaultMaxBody  = 8 << 20
	idleConnsOfHost = 512
)

// Options describe one server.
type Options struct {
	// BaseURL is the address before the paths of the protocol. It may hold credentials,
	// which no error shows.
	BaseURL string
	// Key is asked for each request's key; it may be nil, or give an empty key.
	Key func() string
	// Transport replaces the connection pool that New makes.
	Transport http.RoundTripper
	// ConnectTimeout bounds dialing and the TLS handshake, each; 0 means 10 s.
	ConnectTimeout time.Duration
	// IdleTimeout bounds the silence of a server that answers; 0 means 60 s. In
	// a stream only a whole line breaks the silence.
	IdleTimeout time.Duration
	// TotalTimeout bounds a whole question; 0 means 300 s.
	TotalTimeout time.Duration
	// MaxBody is the most that is read of one answer, in bytes; 0 means 8 MiB.
	MaxBody int64
}

// Client reaches one server. It is safe for use by many goroutines at once, and shares
// its connections among them.
type Client struct {
	opts   Options
	server string // the base URL without credentials, for errors
	pools  pools

	mu   sync.Mutex
	keys []string // the last ones that requests had, the newest at the end
}

// maxKeys is how many keys a client remembers, to keep them out of errors: the key may be
// replaced while a request with the one before is under way.
const maxKeys = 8

// New makes a client without connecting.
func New(o Options) *Client {
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = defaultConnect
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = defaultIdle
	}
	if o.TotalTimeout <= 0 {
		o.TotalTimeout = defaultTotal
	}
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.Transport == nil {
		o.Transport = NewTransport(o.ConnectTimeout)
	}
	return &Client{
		opts:   o,
		server: publicURL(o.BaseURL),
	}
}

// send makes one round trip, without the additions of [http.Client]: a conversation and its
// key go where the operator said, so it follows no redirect and keeps no cookie.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	if u := req.URL.User; u != nil && req.Header.Get("Authorization") == "" {
		password, _ := u.Password()
		req.Header = req.Header.Clone() // it may be shared
		req.SetBasicAuth(u.Username(), password)
	}
	return c.opts.Transport.RoundTrip(req)
}

// NewTransport keeps enough connections for hundreds of chats that ask at once.
func NewTransport(connect time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialing(dialer.DialContext),
		TLSHandshakeTimeout: connect,
		ForceAttemptHTTP2:   true,
		// All chats share one connection of HTTP/2. Where it goes silent without an
		// end, which TCP may notice after a quarter of an hour, a ping finds it out.
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: 2 * connect, PingTimeout: connect},
		MaxIdleConns:          idleConnsOfHost,
		MaxIdleConnsPerHost:   idleConnsOfHost,
		IdleConnTimeout:       90 * time.Second,
		WriteBufferSize:       2 << 10, // the head and the beginning of the body, which leaves from where it is
		ReadBufferSize:        2 << 10, // the head of an answer; frames are read into a larger one
		ExpectContinueTimeout: time.Second,
	}
}

// publicURL is raw without credentials and query.
func publicURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "(malformed base URL)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return strings.TrimRight(u.String(), "/")
}

// Server names the server without credentials, as errors and marks do.
func (c *Client) Server() string { return c.server }

// URL is the address of a path of the protocol, with the credentials of the base URL.
func (c *Client) URL(path string) string { return strings.TrimRight(c.opts.BaseURL, "/") + path }

// MaxBody is the most that is read of one answer, in bytes.
func (c *Client) MaxBody() int64 { return c.opts.MaxBody }

// Key gives the key for one request; it may be empty.
func (c *Client) Key() string {
	if c.opts.Key == nil {
		return ""
	}
	key := strings.TrimSpace(c.opts.Key())
	if key != "" {
		c.remember(key)
	}
	return key
}

func (c *Client) remember(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.keys, key) {
		return
	}
	if len(c.keys) == maxKeys {
		c.keys = append(c.keys[:0], c.keys[1:]...)
	}
	c.keys = append(c.keys, key)
}

// Renewal tells whether a refused question may be asked once more, because its key has been
// replaced since.
type Renewal struct {
	client *Client
	key    string
	used   bool
}

// Renewal begins with the key that is there now.
func (c *Client) Renewal() Renewal { return Renewal{client: c, key: c.Key()} }

// Again says so for the error of a question, once.
func (r *Renewal) Again(err error) bool {
	refused, ok := errors.AsType[*providers.Error](err)
	if r.used || !ok || refused.Status != http.StatusUnauthorized || r.client.Key() == r.key {
		return false
	}
	r.used = true
	return true
}

// Close closes the connections that no request uses.
func (c *Client) Close() {
	if t, ok := c.opts.Transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Bound gives the context of a whole question, which may take several requests.
func (c *Client) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.opts.TotalTimeout, errTotal)
}
