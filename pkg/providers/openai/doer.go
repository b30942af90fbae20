package openai

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"parley/pkg/providers"
)

const (
	// How much is read of a refusal.
	maxErrorBody = 64 << 10
	// How much is read, and how long, after an answer's end, so that its
	// connection can be used again.
	maxDrain  = 64 << 10
	drainTime = 50 * time.Millisecond
	// How long usage and [DONE] may take after the finish reason.
	lastWords = 5 * time.Second
)

var (
	errIdle  = errors.New("the server was silent for too long")
	errTotal = errors.New("the answer took too long")
)

// exchange is go-openai's HTTP client for one request. It keeps data that the library
// drops: the status and headers of refusals, the body of a whole answer, and the end
// of a stream. It also watches the time.
type exchange struct {
	cancel context.CancelCauseFunc
	client *http.Client
	// messages begin the request, which go-openai writes without any.
	messages *body
	limit    int64
	// impatient means that a stream was asked for, so that silence before the
	// headers counts as well.
	impatient bool

	idle  time.Duration
	timer *time.Timer

	closer io.Closer
	body   []byte     // of an answer that is no stream
	sse    *sseFilter // of one that is
}

// newExchange gives the exchange with the context that it watches.
func (p *Provider) newExchange(ctx context.Context, messages *body) (context.Context, *exchange) {
	x := &exchange{client: p.client, messages: messages, limit: p.opts.MaxBody, idle: p.opts.IdleTimeout}
	ctx, x.cancel = context.WithCancelCause(ctx)
	x.timer = time.AfterFunc(x.idle, func() { x.cancel(errIdle) })
	x.timer.Stop()
	return ctx, x
}

// stop ends the exchange, its timer and its hold on the connection.
func (x *exchange) stop() {
	x.timer.Stop()
	if x.closer != nil {
		_ = x.closer.Close() // a failure to close has no effect
	}
	x.cancel(nil)
}

// timedOut gives the error for a time limit that ended an exchange, or nil.
func timedOut(ctx context.Context) error {
	for _, limit := range []error{errIdle, errTotal} {
		if errors.Is(context.Cause(ctx), limit) {
			return &providers.Error{Kind: providers.KindTimeout, Message: limit.Error(), Err: limit}
		}
	}
	return nil
}

// alive notes that the server has said something.
func (x *exchange) alive() { x.timer.Reset(x.idle) }

// Do sends go-openai's request and gives it readable data: an empty object for an
// answer that came whole (whole decodes it), else the filtered stream.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	if err := putMessages(req, x.messages); err != nil {
		return nil, err
	}
	if x.impatient {
		x.alive()
	}
	resp, err := x.client.Do(req) //nolint:gosec // the operator names the server
	if err != nil {
		return nil, transportError(err)
	}
	x.alive()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		// The unreadable part of a refusal is not needed to classify it.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		return nil, refusal(resp.StatusCode, resp.Header, body)
	}
	body := &cappedBody{r: resp.Body, left: x.limit}
	x.closer = resp.Body
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		x.sse = newSSEFilter(body, x)
		resp.Body = io.NopCloser(x.sse)
		if !x.impatient { // a stream that was not asked for: the library must not see it
			resp.Body = emptyObject()
		}
		return resp, nil
	}
	if x.body, err = io.ReadAll(&liveReader{r: body, x: x}); err != nil {
		return nil, readError(err)
	}
	resp.Body = emptyObject()
	return resp, nil
}

func emptyObject() io.ReadCloser { return io.NopCloser(strings.NewReader("{}")) }

// liveReader notes each read as a sign of life.
type liveReader struct {
	r io.Reader
	x *exchange
}

func (l *liveReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n > 0 {
		l.x.alive()
	}
	return n, err
}

// cappedBody fails once more than its limit was read.
type cappedBody struct {
	r    io.Reader
	left int64
}

func (c *cappedBody) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooBig
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	return n, err
}

// hasten shortens the patience with a server that has said all that is needed.
func (x *exchange) hasten() {
	x.idle = min(x.idle, lastWords)
	x.alive()
}
