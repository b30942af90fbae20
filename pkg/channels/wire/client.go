package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/channels"
)

// Error is a request without an answer of the platform.
type Error struct {
	Method string
	// Sent means that bytes of the request may have reached the server.
	Sent bool
	// Status is that of an HTTP answer that is not the platform's own, such as the page
	// of a proxy; 0 without one.
	Status int
	Err    error
}

// Error gives one line for logs.
func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s: HTTP %d: %v", e.Method, e.Status, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Method, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Pending says that somebody may still work on the request: the time was over,
// here or at a proxy. Where the connection broke, whatever was done is done.
func (e *Error) Pending() bool {
	return e.Sent && errors.Is(e.Err, context.DeadlineExceeded) || e.Status == http.StatusGatewayTimeout
}

// ErrTooLarge says that an answer is larger than the limit.
var ErrTooLarge = errors.New("the answer is too large")

// Dial opens a connection as [net.Dialer.DialContext] does.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// NewDial returns the usual one: 10 s to connect.
func NewDial() Dial {
	return (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext
}

// Proxy chooses the proxy of a request; nil means a direct connection, whatever the
// environment says.
type Proxy func(*http.Request) (*url.URL, error)

// NewHTTP returns a client with at most conns connections to a server. It follows no
// redirect, so that no token goes where it does not belong, and speaks HTTP/1.1 alone:
// a connection that hangs holds one request, not all.
func NewHTTP(proxy Proxy, dial Dial, conns int) *http.Client {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:               proxy,
			DialContext:         dial,
			Protocols:           &protocols,
			TLSHandshakeTimeout: 10 * time.Second,
			MaxConnsPerHost:     conns,
			MaxIdleConnsPerHost: conns,
			IdleConnTimeout:     60 * time.Second,
			DisableCompression:  true,
			// A hundred connections may be idle in a burst: most requests and answers are short,
			// and longer ones pass by these buffers.
			WriteBufferSize: 2 << 10,
			ReadBufferSize:  2 << 10,
		},
	}
}

// Do sends a request and reads all of its answer, at most limit bytes of it. The
// answer of any status is returned, its body already read and closed; sent says
// whether bytes of the request may have reached the server, also without an error.
// An error is as the client gave it, URL and all: the caller takes secrets out of it.
// Where the answer began and could not be read, there is both an answer and an error.
func Do(client *http.Client, req *http.Request, limit int64) (resp *http.Response, body []byte, sent bool, err error) {
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	resp, err = client.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace))) //nolint:gosec // the address is the operator's
	if err != nil {
		return nil, nil, connected.Load(), err
	}
	body, err = readLimited(resp.Body, limit)
	return resp, body, true, err
}

// Watched marks the moment between writing a request and reading its answer.
func Watched(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				failpoint.Hit("P10")
			}
		},
	})
}

// readLimited reads all of r and closes it.
func readLimited(r io.ReadCloser, limit int64) ([]byte, error) {
	defer Drop(r)
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if int64(len(b)) > limit {
		return nil, ErrTooLarge
	}
	return b, nil
}

// Drop closes unused connections; nil is skipped.
func Drop(c io.Closer) {
	if c != nil {
		_ = c.Close()
	}
}

// ParseBase reads the address of a server, without its last slash.
func ParseBase(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, errors.New("api_url is not a plain http or https URL")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

// ParseProxy reads the address of a proxy, which may hold a password; "" means a
// direct connection.
func ParseProxy(raw string) (Proxy, error) {
	if raw == "" {
		return nil, nil //nolint:nilnil // a nil function means no proxy to http.Transport
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil, errors.New("proxy is not a URL")
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
		return http.ProxyURL(u), nil
	default:
		return nil, errors.New("proxy is not an http, https or socks5 URL")
	}
}

// Bounded is a body that fails with [channels.ErrTooLarge] where a limit is passed.
type Bounded struct {
	io.ReadCloser

	left int64
	hide func(error) error
}

// NewBounded lets limit bytes of body pass; hide takes secrets out of its errors.
func NewBounded(body io.ReadCloser, limit int64, hide func(error) error) *Bounded {
	return &Bounded{ReadCloser: body, left: limit, hide: hide}
}

// Read implements [io.Reader].
func (b *Bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, channels.ErrTooLarge
	}
	if err != nil && err != io.EOF { //nolint:errorlint // readers give io.EOF itself
		err = b.hide(err)
	}
	return n, err
}

// Whole is a body that fails with [io.ErrUnexpectedEOF] where it ends before size
// bytes, so that no part of a file is taken for the file. A size of 0 or less is not
// known, and anything is whole.
func Whole(body io.ReadCloser, size int64) io.ReadCloser {
	return &wholeBody{ReadCloser: body, size: size}
}

type wholeBody struct {
	io.ReadCloser

	size, read int64
}

// Read implements [io.Reader].
func (b *wholeBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if err == io.EOF && b.read < b.size { //nolint:errorlint // readers give io.EOF itself
		err = fmt.Errorf("it ended after %d of %d bytes: %w", b.read, b.size, io.ErrUnexpectedEOF)
	}
	return n, err
}

// Hide takes a secret out of a text, however it is spelled in a URL.
func Hide(s, secret string) string {
	for _, spelling := range []string{secret, url.PathEscape(secret), url.QueryEscape(secret)} {
		if spelling != "" {
			s = strings.ReplaceAll(s, spelling, "[token]")
		}
	}
	return s
}

var errTokenHidden = errors.New("the cause is left out: it holds the token")

// Scrub removes the URL, and with it the finds of hide, from an error of an HTTP
// client.
func Scrub(err error, hide func(string) string) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	switch {
	case hide(err.Error()) == err.Error():
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return context.Canceled
	default:
		return errTokenHidden
	}
}
