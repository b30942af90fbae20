package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"

	"parley/pkg/channels/wire"
)

// dialer opens WebSockets by the rules of calls: with the same proxy, without the
// environment's, and with bounded waits.
type dialer struct {
	proxy *url.URL
	dial  wire.Dial
	// plain says that the Web API itself is reached without TLS, on this machine say.
	plain bool
}

const handshakeTimeout = 10 * time.Second

// The errors hold no address, because the address of a socket has a ticket in it.
var (
	errNoSocketURL = errors.New("slack: apps.connections.open gave no address of a socket")
	errHandshake   = errors.New("slack: the socket is refused at its handshake")
	errDial        = errors.New("slack: the socket cannot be opened")
)

func newDialer(proxy wire.Proxy, dial wire.Dial, plain bool) (dialer, error) {
	d := dialer{dial: dial, plain: plain}
	if proxy == nil {
		return d, nil
	}
	var err error
	if d.proxy, err = proxy(nil); err != nil {
		return dialer{}, errors.New("slack: proxy is not a URL")
	}
	return d, nil
}

// OpenSocket asks for the address of a socket of Socket Mode and opens it.
func (c *Client) OpenSocket(ctx context.Context) (*websocket.Conn, error) {
	address, err := c.askSocket(ctx)
	if err != nil {
		return nil, err
	}
	return c.dialer.open(ctx, address)
}

// TrySocket asks for the address of a socket and opens none, so that Slack sends no event
// there. The error is [ErrRefused] where Slack refuses the app-level token.
func (c *Client) TrySocket(ctx context.Context) error {
	_, err := c.askSocket(ctx)
	return err
}

func (c *Client) askSocket(ctx context.Context) (address string, err error) {
	err = c.Call(ctx, "apps.connections.open", func(ctx context.Context, api *slack.Client) (err error) {
		_, address, err = api.StartSocketModeContext(ctx)
		return err
	})
	return address, Refused(err)
}

// open opens a socket at an address that is good for one. Plain ws is taken only
// where the Web API is plain too.
func (d dialer) open(ctx context.Context, address string) (*websocket.Conn, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "wss" && (u.Scheme != "ws" || !d.plain) {
		return nil, errNoSocketURL
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	library := websocket.Dialer{NetDialContext: d.dial, HandshakeTimeout: handshakeTimeout}
	d.through(&library)
	conn, resp, err := library.DialContext(ctx, u.String(), nil) //nolint:bodyclose // it is closed below
	if resp != nil {
		wire.Drop(resp.Body)
	}
	switch {
	case err == nil:
		return conn, nil
	case resp != nil:
		return nil, fmt.Errorf("%w: HTTP %d", errHandshake, resp.StatusCode)
	case u.RawQuery != "" && strings.Contains(err.Error(), u.RawQuery):
		return nil, errDial
	default:
		return nil, fmt.Errorf("%w: %w", errDial, err)
	}
}

// through sets the proxy. The library knows http and socks5; the latter resolves
// names at the proxy, as socks5h says, and an https proxy is an http one behind TLS.
func (d dialer) through(library *websocket.Dialer) {
	if d.proxy == nil {
		return
	}
	to := *d.proxy
	switch to.Scheme {
	case "socks5h":
		to.Scheme = "socks5"
	case "https":
		to.Scheme = "http"
		if to.Port() == "" {
			to.Host = net.JoinHostPort(to.Hostname(), "443")
		}
		library.NetDialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := d.dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			secured := tls.Client(conn, &tls.Config{ServerName: to.Hostname(), MinVersion: tls.VersionTLS12})
			if err := secured.HandshakeContext(ctx); err != nil {
				wire.Drop(conn)
				return nil, err
			}
			return secured, nil
		}
	}
	library.Proxy = func(*http.Request) (*url.URL, error) { return &to, nil }
}
