package slack

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"parley/pkg/channels/wire"
)

// What is waited for and read at most.
const (
	callTimeout   = 30 * time.Second
	uploadTimeout = 2 * time.Hour // the engine has a shorter one for a smaller file
	maxAnswer     = 4 << 20
	maxConns      = 128
)

// defaultAPI is the base of Slack's Web API.
const defaultAPI = "https://slack.com/api/"

// client speaks Slack's Web API. The library writes requests and reads answers;
// what goes over the wire, for how long and what it means is decided here. It is
// safe for many goroutines.
type client struct {
	base *url.URL
	bot  func() string
	app  func() string
	http *http.Client
}

// newClient checks the address and the proxy. It asks nobody, and reveals no token
// before the first call.
func newClient(o Options) (*client, error) {
	address := o.APIURL
	if address == "" {
		address = defaultAPI
	}
	base, err := wire.ParseBase(address)
	if err != nil {
		return nil, fmt.Errorf("slack: %w", err)
	}
	proxy, err := wire.ParseProxy(o.Proxy)
	if err != nil {
		return nil, fmt.Errorf("slack: %w", err)
	}
	c := &client{base: base, bot: revealed(o.BotToken), app: revealed(o.AppToken)}
	c.http = wire.NewHTTP(proxy, wire.NewDial(), maxConns)
	return c, nil
}

// revealed is a token that may not be configured.
func revealed(token func() string) func() string {
	if token == nil {
		return func() string { return "" }
	}
	return token
}

// close lets idle connections go. Nothing is under way any more.
func (c *client) close() { c.http.CloseIdleConnections() }

// call lets f make one call of a method. The tokens that api holds are those of
// this moment. The error is an [*apiError] or a [*wire.Error], whatever the library
// makes of it, and holds no token. A trace of ctx (package httptrace) is kept.
func (c *client) call(ctx context.Context, method string, f func(ctx context.Context, api *slack.Client) error) error {
	w, err := c.run(ctx, method, f)
	if err != nil && w.err == nil {
		return &wire.Error{Method: method, Sent: w.sent, Status: w.status, Err: errUnexpected}
	}
	return w.err
}

// read is call for a method that has taken effect once Slack says ok: what the
// library cannot read of the answer is no error then. The answer is read into out
// as far as it has that form.
func (c *client) read(ctx context.Context, method string, out any, f func(ctx context.Context, api *slack.Client) error) error {
	w, err := c.run(ctx, method, f)
	if err != nil && w.err == nil && w.body == nil {
		return &wire.Error{Method: method, Sent: w.sent, Err: errUnexpected}
	}
	if w.err == nil {
		_ = json.Unmarshal(w.body, out) // what has another form stays empty
	}
	return w.err
}

func (c *client) run(ctx context.Context, method string, f func(ctx context.Context, api *slack.Client) error) (*way, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	w := &way{client: c, method: method}
	api := slack.New(c.bot(), slack.OptionAppLevelToken(c.app()), slack.OptionAPIURL(c.base.String()+"/"), slack.OptionHTTPClient(w))
	return w, f(ctx, api)
}

var (
	errNotAFile   = errors.New("not a file")
	errNotTheAPI  = errors.New("the answer is not Slack's")
	errUnexpected = errors.New("the result has another form")
	errForeign    = errors.New("the address of a file is not Slack's")
)

// way is the library's way to the network, for one call.
type way struct {
	*client

	method string
	sent   bool
	status int
	// body is the answer where it says ok, and err is what became of the call
	// otherwise; it stands for whatever the library says.
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

// envelope is what every answer of the Web API has.
type envelope struct {
	OK       *bool  `json:"ok"`
	Error    string `json:"error"`
	Needed   string `json:"needed"`
	Metadata struct {
		Messages []string `json:"messages"`
	} `json:"response_metadata"`
}

// judge says what an answer means; nil where it is Slack's and says ok.
func (w *way) judge(resp *http.Response, body []byte, err error) error {
	if resp == nil || err != nil && resp.StatusCode == http.StatusOK {
		return &wire.Error{Method: w.method, Sent: w.sent, Err: w.scrub(err)}
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
func (w *way) refusal(resp *http.Response, answer *envelope) *apiError {
	e := &apiError{Method: w.method, Name: word(w.hide(answer.Error)), Needed: word(w.hide(answer.Needed))}
	for _, m := range answer.Metadata.Messages {
		e.Messages = append(e.Messages, w.hide(m))
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(min(seconds, 24*60*60)) * time.Second
	}
	return e
}

// word is a name of an error or of scopes as Slack writes them. What is none may
// hold anything, and is in no log.
func word(s string) string {
	outside := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.:,", r)
	}
	if len(s) > 100 || strings.ContainsFunc(s, outside) {
		return "unreadable"
	}
	return s
}

// download opens a file by its url_private. The token goes to Slack's own hosts,
// and to that of the API, alone; a redirect, which leads to a sign-in page, is
// none that is followed. It takes as long as ctx lets it; the caller bounds what
// is read, and its errors with hide. A file that ends before size bytes is an error;
// 0 is an unknown size.
func (c *client) download(ctx context.Context, address string, size int64) (io.ReadCloser, error) {
	const method = "download"
	u, err := c.fileURL(address)
	if err != nil {
		return nil, &wire.Error{Method: method, Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, http.NoBody)
	if err != nil {
		return nil, &wire.Error{Method: method, Err: errForeign}
	}
	req.Header.Set("Authorization", "Bearer "+c.bot())
	resp, err := c.http.Do(req) //nolint:bodyclose // it is dropped below, or closed by who reads it
	if err != nil {
		return nil, &wire.Error{Method: method, Sent: true, Err: c.scrub(err)}
	}
	if resp.StatusCode != http.StatusOK {
		defer wire.Drop(resp.Body)
		return nil, &wire.Error{Method: method, Sent: true, Status: resp.StatusCode, Err: errNotAFile}
	}
	body := &peekedBody{Reader: bufio.NewReader(resp.Body), Closer: resp.Body}
	if isSignIn(resp, body.Reader, size) {
		defer wire.Drop(body)
		return nil, &wire.Error{Method: method, Sent: true, Status: resp.StatusCode, Err: errNotAFile}
	}
	return wire.Whole(body, size), nil
}

// peekedBody is a body of which the beginning was looked at.
type peekedBody struct {
	*bufio.Reader
	io.Closer
}

// isSignIn says that the page to sign in at came in place of a file: a page for a
// file that is none, or one of another length than the file has.
func isSignIn(resp *http.Response, body *bufio.Reader, size int64) bool {
	declared := isPage(resp.Header.Get("Content-Type"))
	if declared && !isPage(mime.TypeByExtension(path.Ext(resp.Request.URL.Path))) {
		return true
	}
	if size <= 0 || resp.ContentLength < 0 || resp.ContentLength == size {
		return false
	}
	const sniffed = 512
	head, _ := body.Peek(sniffed) // where reading fails, it fails again
	return declared || isPage(http.DetectContentType(head))
}

func isPage(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType) // "" where it cannot be read
	return media == "text/html" || media == "application/xhtml+xml"
}

// upload posts size bytes to the address that files.getUploadURLExternal gave. The
// address is the permission: no token goes with it. What is uploaded is nowhere to
// be seen before files.completeUploadExternal.
func (c *client) upload(ctx context.Context, address string, body io.Reader, size int64) error {
	const method = "upload"
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	u, err := c.fileURL(address)
	if err != nil {
		return &wire.Error{Method: method, Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u, io.LimitReader(body, size))
	if err != nil {
		return &wire.Error{Method: method, Err: errForeign}
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", "application/octet-stream")
	w := &way{client: c, method: method}
	resp, answer, sent, err := wire.Do(c.http, req, maxAnswer) //nolint:bodyclose // Do has closed it
	switch {
	case err != nil:
		return &wire.Error{Method: method, Sent: sent, Err: c.scrub(err)}
	case resp.StatusCode == http.StatusTooManyRequests:
		return w.judge(resp, answer, nil)
	case resp.StatusCode != http.StatusOK:
		return &wire.Error{Method: method, Sent: true, Status: resp.StatusCode, Err: errNotAFile}
	}
	return nil
}

// fileURL lets the address of a file pass that is on a host of Slack's, over TLS,
// or on the API's own.
func (c *client) fileURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return "", errForeign
	}
	host := strings.ToLower(u.Hostname())
	ours := u.Scheme == c.base.Scheme && strings.EqualFold(u.Host, c.base.Host)
	for _, domain := range []string{"slack.com", "slack-gov.com", "slack-files.com"} {
		ours = ours || u.Scheme == "https" && (host == domain || strings.HasSuffix(host, "."+domain))
	}
	if !ours {
		return "", errForeign
	}
	return u.String(), nil
}

// scrub takes the URL, and with it what is secret, out of an error of the HTTP client.
func (c *client) scrub(err error) error { return wire.Scrub(err, c.hide) }

// hide takes the tokens out of a text of the server.
func (c *client) hide(s string) string { return wire.Hide(wire.Hide(s, c.bot()), c.app()) }
