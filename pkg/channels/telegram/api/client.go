package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels/wire"
)

// The limits of waiting and reading.
const (
	callTimeout   = 30 * time.Second
	uploadTimeout = 5 * time.Minute // the engine has a shorter one for a smaller file
	maxAnswer     = 4 << 20
	maxPoll       = 32 << 20
	maxConns      = 128
)

// defaultURL is Telegram's own server.
const defaultURL = "https://api.telegram.org"

// Options say which bot it is and how Telegram is reached. Zero values have defaults,
// except for Token.
type Options struct {
	// Token reveals the bot's token. It is asked for at each use, and no error or log
	// keeps it.
	Token func() string
	// URL is the server's base; default https://api.telegram.org.
	URL string
	// Proxy is the URL of an http, https or socks5 proxy; without one the gateway
	// connects directly, whatever the environment says.
	Proxy string
	// Dial opens connections; default [wire.NewDial].
	Dial wire.Dial
}

// Client speaks the Bot API. The library writes requests and reads answers; the Client
// decides how long a call may take, which answers count as Telegram's, and their
// meaning. It is safe for many goroutines.
type Client struct {
	base    *url.URL
	token   func() string
	account string
	// library is copied for each request, to be given the context of that request. It
	// does not see the token.
	library tgbotapi.BotAPI
	newHTTP func(conns int) *http.Client
	calls   *http.Client
	// polls has a transport of its own, so that sends that hang keep no poll waiting.
	polls atomic.Pointer[http.Client]
}

// New reads the account off the token, and checks the address and the proxy. It sends
// no request, and an error does not show the token.
func New(o Options) (*Client, error) {
	account, err := accountOf(o.Token())
	if err != nil {
		return nil, err
	}
	base, err := wire.ParseBase(cmp.Or(o.URL, defaultURL))
	if err != nil {
		return nil, fmt.Errorf("telegram: %w", err)
	}
	proxy, err := wire.ParseProxy(o.Proxy)
	if err != nil {
		return nil, fmt.Errorf("telegram: %w", err)
	}
	dial := o.Dial
	if dial == nil {
		dial = wire.NewDial()
	}
	c := &Client{base: base, token: o.Token, account: account}
	c.library.SetAPIEndpoint("http://bot.invalid/%s%s") // replaced by address
	c.newHTTP = func(conns int) *http.Client { return wire.NewHTTP(proxy, dial, conns) }
	c.calls = c.newHTTP(maxConns)
	c.polls.Store(c.newHTTP(2))
	return c, nil
}

// Account is the bot's numeric id.
func (c *Client) Account() string { return c.account }

// Reconnect makes the next poll go over a connection of its own: the last one hung.
func (c *Client) Reconnect() {
	c.polls.Swap(c.newHTTP(2)).CloseIdleConnections()
}

// Close closes idle connections. No call may be under way.
func (c *Client) Close() {
	c.polls.Load().CloseIdleConnections()
	c.calls.CloseIdleConnections()
}

// Call posts one method and reads its result into out, which may be nil. The error
// is an [*Error] or a [*wire.Error] and holds no token. A trace of ctx (package
// httptrace) is kept.
func (c *Client) Call(ctx context.Context, method string, params tgbotapi.Params, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.post(ctx, c.calls, method, params, maxAnswer, out)
}

// Upload is Call with files.
func (c *Client) Upload(ctx context.Context, method string, params tgbotapi.Params, files []tgbotapi.RequestFile, out any) error {
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	answer, err := c.bot(c.over(ctx, c.calls, method, maxAnswer)).UploadFiles(method, params, files)
	return c.result(method, answer, err, out)
}

// Poll is Call for getUpdates: it may take as long as ctx lasts.
func (c *Client) Poll(ctx context.Context, params tgbotapi.Params, out any) error {
	const method = "getUpdates"
	return c.post(ctx, c.polls.Load(), method, params, maxPoll, out)
}

// post sends a method without files. The library would read the answer three times.
func (c *Client) post(ctx context.Context, to *http.Client, method string, params tgbotapi.Params, limit int64, out any) error {
	form := make(url.Values, len(params))
	for name, value := range params {
		form.Set(name, value)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://bot.invalid/", strings.NewReader(form.Encode()))
	if err != nil {
		return &wire.Error{Method: method, Err: err}
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	body, err := c.send(to, req, method, limit)
	if err != nil {
		return err
	}
	answer := struct {
		tgbotapi.APIResponse

		Result any `json:"result"` // in place of the library's copy
	}{Result: cmp.Or(out, any(new(json.RawMessage)))}
	switch err := json.Unmarshal(body, &answer); {
	case err != nil && answer.Ok:
		return &wire.Error{Method: method, Sent: true, Err: errUnexpected}
	case err != nil:
		return &wire.Error{Method: method, Sent: true, Status: http.StatusOK, Err: errNotTheAPI}
	case !answer.Ok:
		return c.failure(method, &answer.APIResponse)
	}
	return nil
}

// Download opens the file at a path that getFile told. The caller cleans errors of
// reading with [Client.Scrub].
func (c *Client) Download(ctx context.Context, path string) (io.ReadCloser, error) {
	const method = "download"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://bot.invalid/", http.NoBody)
	if err != nil {
		return nil, &wire.Error{Method: method, Err: err}
	}
	if req.URL, err = c.address("/file", path); err != nil {
		return nil, &wire.Error{Method: method, Err: err}
	}
	req.Host = req.URL.Host
	resp, err := c.calls.Do(req) //nolint:bodyclose // it is dropped below, or closed by the caller
	if err != nil {
		return nil, &wire.Error{Method: method, Sent: true, Err: c.Scrub(err)}
	}
	if resp.StatusCode != http.StatusOK {
		defer wire.Drop(resp.Body)
		return nil, &wire.Error{Method: method, Sent: true, Status: resp.StatusCode, Err: errNotAFile}
	}
	return resp.Body, nil
}

var (
	errNotAFile   = errors.New("not a file")
	errNotTheAPI  = errors.New("the answer is not the Bot API's")
	errUnexpected = errors.New("the result has another form")
	errOtherBot   = errors.New("the token has become another bot's")
)

// doFunc is the library's way to the network.
type doFunc func(*http.Request) (*http.Response, error)

// Do implements the library's HTTPClient.
func (f doFunc) Do(req *http.Request) (*http.Response, error) { return f(req) }

func (c *Client) bot(f doFunc) *tgbotapi.BotAPI {
	bot := c.library
	bot.Client = f
	return &bot
}

// over sends the library's request to its server, under ctx.
func (c *Client) over(ctx context.Context, to *http.Client, method string, limit int64) doFunc {
	return func(req *http.Request) (*http.Response, error) {
		body, err := c.send(to, req.WithContext(ctx), method, limit)
		if err != nil {
			return nil, err
		}
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body))}, nil
	}
}

// send sends a request to the bot's server, and returns only answers of the Bot API.
// Everything else is its error.
func (c *Client) send(to *http.Client, req *http.Request, method string, limit int64) ([]byte, error) {
	target, err := c.address("", method)
	if err != nil {
		wire.Drop(req.Body)
		return nil, &wire.Error{Method: method, Err: err}
	}
	req.URL, req.Host = target, target.Host
	resp, body, sent, err := wire.Do(to, req, limit) //nolint:bodyclose // Do has closed it
	if resp != nil && resp.StatusCode != http.StatusOK {
		return nil, c.refusal(method, resp.StatusCode, body)
	}
	if err != nil {
		return nil, &wire.Error{Method: method, Sent: sent, Err: c.Scrub(err)}
	}
	return body, nil
}

// address puts the token where it belongs, behind the prefix "" or "/file".
func (c *Client) address(prefix, rest string) (*url.URL, error) {
	token := c.token()
	if !strings.HasPrefix(token, c.account+":") {
		return nil, errOtherBot
	}
	u := *c.base
	u.Path += prefix + "/bot" + token + "/" + rest
	return &u, nil
}

// refusal reads an answer that is not 200. One without the Bot API's own form is
// somebody else's: a proxy's page, say.
func (c *Client) refusal(method string, status int, body []byte) error {
	var answer tgbotapi.APIResponse
	if err := json.Unmarshal(body, &answer); err != nil || answer.Ok || answer.ErrorCode == 0 {
		return &wire.Error{Method: method, Sent: true, Status: status, Err: errNotTheAPI}
	}
	return c.failure(method, &answer)
}

func (c *Client) failure(method string, answer *tgbotapi.APIResponse) *Error {
	e := &Error{Method: method, Code: answer.ErrorCode, Description: c.hide(answer.Description)}
	if p := answer.Parameters; p != nil {
		e.RetryAfter = time.Duration(max(p.RetryAfter, 0)) * time.Second
		e.MigrateTo = p.MigrateToChatID
	}
	return e
}

// result gives the library's errors ours.
func (c *Client) result(method string, answer *tgbotapi.APIResponse, err error, out any) error {
	if err == nil {
		if out == nil {
			return nil
		}
		if json.Unmarshal(answer.Result, out) != nil {
			return &wire.Error{Method: method, Sent: true, Err: errUnexpected}
		}
		return nil
	}
	if we, ok := errors.AsType[*wire.Error](err); ok {
		return we
	}
	if ae, ok := errors.AsType[*Error](err); ok {
		return ae
	}
	if _, ok := errors.AsType[*tgbotapi.Error](err); ok && answer != nil {
		return c.failure(method, answer)
	}
	return &wire.Error{Method: method, Sent: true, Status: http.StatusOK, Err: errNotTheAPI}
}

// Scrub takes the URL, and with it the token, out of an error of the HTTP client.
func (c *Client) Scrub(err error) error { return wire.Scrub(err, c.hide) }

// hide takes the token out of a text of the server.
func (c *Client) hide(s string) string { return wire.Hide(s, c.token()) }
