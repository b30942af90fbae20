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
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"parley/pkg/channels/wire"
)

// The limits of waiting and reading.
const (
	callTimeout   = 30 * time.Second
	uploadTimeout = 2 * time.Hour // the engine has a shorter one for a smaller file
	maxAnswer     = 4 << 20
	maxConns      = 128
)

// defaultURL is the base of Slack's Web API.
const defaultURL = "https://slack.com/api/"

// Options say how Slack is reached. Zero values have defaults, except for BotToken.
type Options struct {
	// BotToken reveals the bot token, AppToken the app-level token, which only
	// [Client.OpenSocket] needs. A token is asked for at each use, and no error or
	// log keeps it.
	BotToken, AppToken func() string
	// URL is the base of the Web API; default https://slack.com/api/.
	URL string
	// Proxy is the URL of an http, https or socks5 proxy; without one the gateway
	// connects directly, whatever the environment says.
	Proxy string
	// Dial opens connections; default [wire.NewDial].
	Dial wire.Dial
}

// Client speaks Slack's Web API. The slack-go library writes requests and reads
// answers; the Client decides how long a call may take, which answers count as Slack's,
// and their meaning. It is safe for many goroutines.
type Client struct {
	base   *url.URL
	bot    func() string
	app    func() string
	http   *http.Client
	dialer dialer
}

// New checks the address and the proxy. It sends no request, and reveals no token
// before the first call.
func New(o Options) (*Client, error) {
	base, err := wire.ParseBase(cmp.Or(o.URL, defaultURL))
	if err != nil {
		return nil, fmt.Errorf("slack: %w", err)
	}
	proxy, err := wire.ParseProxy(o.Proxy)
	if err != nil {
		return nil, fmt.Errorf("slack: %w", err)
	}
	dial := o.Dial
	if dial == nil {
		dial = wire.NewDial()
	}
	d, err := newDialer(proxy, dial, base.Scheme == "http")
	if err != nil {
		return nil, err
	}
	return &Client{
		base: base, bot: revealed(o.BotToken), app: revealed(o.AppToken),
		http: wire.NewHTTP(proxy, dial, maxConns), dialer: d,
	}, nil
}

// revealed makes a token that is not configured an empty one.
func revealed(token func() string) func() string {
	if token == nil {
		return func() string { return "" }
	}
	return token
}

// Close closes idle connections. No call may be under way.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Call lets f make one call of a method. The tokens that api holds are those of
// this moment. The error is an [*Error] or a [*wire.Error], whatever the library
// makes of it, and holds no token. A trace of ctx (package httptrace) is kept.
func (c *Client) Call(ctx context.Context, method string, f func(ctx context.Context, api *slack.Client) error) error {
	w, err := c.run(ctx, method, f)
	if err != nil && w.err == nil {
		return &wire.Error{Method: method, Sent: w.sent, Status: w.status, Err: errUnexpected}
	}
	return w.err
}

// Read is Call for a method that has taken effect once Slack says ok: an answer that
// the library cannot read is no error then. The answer is decoded into out as far as
// it has that form.
func (c *Client) Read(ctx context.Context, method string, out any, f func(ctx context.Context, api *slack.Client) error) error {
	w, err := c.run(ctx, method, f)
	if err != nil && w.err == nil && w.body == nil {
		return &wire.Error{Method: method, Sent: w.sent, Err: errUnexpected}
	}
	if w.err == nil {
		_ = json.Unmarshal(w.body, out) // fields of another form stay empty
	}
	return w.err
}

func (c *Client) run(ctx context.Context, method string, f func(ctx context.Context, api *slack.Client) error) (*way, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	w := &way{Client: c, method: method}
	api := slack.New(c.bot(), slack.OptionAppLevelToken(c.app()), slack.OptionAPIURL(c.base.String()+"/"), slack.OptionHTTPClient(w))
	return w, f(ctx, api)
}

var (
	errNotTheAPI  = errors.New("the answer is not Slack's")
	errUnexpected = errors.New("the result has another form")
)

// way is the library's way to the network, for one call.
type way struct {
	*Client

	method string
	sent   bool
	status int
	// body is the answer where it says ok, and err is the fault of the call otherwise;
	// both count before the library's own.
	body []byte
	err  error
}

// Do implements the library's HTTP client. Only an answer of Slack's that says ok
// comes back from it.
func (w *way) Do(req *http.Request) (*http.Response, error) {
	resp, body, sent, err := wire.Do(w.http, req, maxAnswer)
	w.sent = sent
	if resp != nil {
		w.status = resp.StatusCode
	}
	w.err = w.judge(resp, body, err)
	if w.err != nil {
		return nil, w.err
	}
	w.body = body
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// envelope has the fields of every answer of the Web API.
type envelope struct {
	OK       *bool  `json:"ok"`
	Error    string `json:"error"`
	Needed   string `json:"needed"`
	Metadata struct {
		Messages []string `json:"messages"`
	} `json:"response_metadata"`
}

// judge is the meaning of an answer; nil where it is Slack's and says ok.
func (w *way) judge(resp *http.Response, body []byte, err error) error {
	if resp == nil || err != nil && resp.StatusCode == http.StatusOK {
		return &wire.Error{Method: w.method, Sent: w.sent, Err: w.Scrub(err)}
	}
	var answer envelope
	ours := json.Unmarshal(body, &answer) == nil && answer.OK != nil && (*answer.OK || answer.Error != "")
	switch {
	case resp.StatusCode == http.StatusTooManyRequests && !ours:
		answer.Error = "ratelimited" // 429 is Slack's word whatever its body says
	case !ours || *answer.OK && resp.StatusCode != http.StatusOK:
		return &wire.Error{Method: w.method, Sent: true, Status: resp.StatusCode, Err: errNotTheAPI}
	case *answer.OK:
		return nil
	}
	return w.refusal(resp, &answer)
}

// refusal is an answer that says why not.
func (w *way) refusal(resp *http.Response, answer *envelope) *Error {
	e := &Error{Method: w.method, Name: word(w.hide(answer.Error)), Needed: word(w.hide(answer.Needed))}
	for _, m := range answer.Metadata.Messages {
		e.Messages = append(e.Messages, w.hide(m))
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(min(seconds, 24*60*60)) * time.Second
	}
	return e
}

// word is a name of an error or of scopes as Slack writes them. Any other text may hold
// anything, and is in no log.
func word(s string) string {
	outside := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.:,", r)
	}
	if len(s) > 100 || strings.ContainsFunc(s, outside) {
		return "unreadable"
	}
	return s
}

// Scrub takes the URL and the secrets in it out of an error of the HTTP client.
func (c *Client) Scrub(err error) error { return wire.Scrub(err, c.hide) }

// hide takes the tokens out of a text of the server.
func (c *Client) hide(s string) string { return wire.Hide(wire.Hide(s, c.bot()), c.app()) }
