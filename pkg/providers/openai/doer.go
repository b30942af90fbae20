package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
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

// exchange is go-openai's HTTP client for one request. It keeps what the library
// drops: the status and headers of refusals, the body of a whole answer, and how
// a stream ended. It also watches the time.
type exchange struct {
	cancel  context.CancelCauseFunc
	client  *http.Client
	patches []patch
	limit   int64
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
func (p *Provider) newExchange(ctx context.Context, patches []patch) (context.Context, *exchange) {
	x := &exchange{client: p.client, patches: patches, limit: p.opts.MaxBody, idle: p.opts.IdleTimeout}
	ctx, x.cancel = context.WithCancelCause(ctx)
	x.timer = time.AfterFunc(x.idle, func() { x.cancel(errIdle) })
	x.timer.Stop()
	return ctx, x
}

// stop ends the exchange, its timer and its hold on the connection.
func (x *exchange) stop() {
	x.timer.Stop()
	if x.closer != nil {
		_ = x.closer.Close() // nothing follows from a failure to close
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

// Do sends go-openai's request and gives it what it can read: an empty object
// for an answer that came whole (whole decodes it), else the filtered stream.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	if err := patchBody(req, x.patches); err != nil {
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
		// What cannot be read of a refusal is not needed to tell what it is.
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

// patch is what go-openai's types cannot say: fields for one message, and for
// its tool calls.
type patch struct {
	message int
	fields  json.RawMessage
	calls   map[int]json.RawMessage
}

// patchBody puts the patches into a request that go-openai has written.
func patchBody(req *http.Request, patches []patch) error {
	if len(patches) == 0 || req.Body == nil {
		return nil
	}
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	var body map[string]json.RawMessage
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &body); err != nil {
		return fmt.Errorf("patch request: %w", err)
	}
	if err := json.Unmarshal(body["messages"], &messages); err != nil {
		return fmt.Errorf("patch messages: %w", err)
	}
	for _, p := range patches {
		if err := p.apply(messages[p.message]); err != nil {
			return err
		}
	}
	if body["messages"], err = json.Marshal(messages); err != nil {
		return fmt.Errorf("patch messages: %w", err)
	}
	if raw, err = json.Marshal(body); err != nil {
		return fmt.Errorf("patch request: %w", err)
	}
	req.Body = io.NopCloser(bytes.NewReader(raw))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	req.ContentLength = int64(len(raw))
	req.Header.Set("Content-Length", strconv.Itoa(len(raw)))
	return nil
}

func (p patch) apply(message map[string]json.RawMessage) error {
	if err := merge(message, p.fields); err != nil {
		return err
	}
	if len(p.calls) == 0 {
		return nil
	}
	var calls []map[string]json.RawMessage
	if err := json.Unmarshal(message["tool_calls"], &calls); err != nil {
		return fmt.Errorf("patch tool calls: %w", err)
	}
	for i, fields := range p.calls {
		if err := merge(calls[i], fields); err != nil {
			return err
		}
	}
	var err error
	if message["tool_calls"], err = json.Marshal(calls); err != nil {
		return fmt.Errorf("patch tool calls: %w", err)
	}
	return nil
}

// merge adds fields to an object; what is there already stays.
func merge(object map[string]json.RawMessage, fields json.RawMessage) error {
	if len(fields) == 0 {
		return nil
	}
	var add map[string]json.RawMessage
	if err := json.Unmarshal(fields, &add); err != nil {
		return fmt.Errorf("patch fields: %w", err)
	}
	for k, v := range add {
		if _, there := object[k]; !there {
			object[k] = v
		}
	}
	return nil
}

// hasten shortens the patience with a server that has said all that is needed.
func (x *exchange) hasten() {
	x.idle = min(x.idle, lastWords)
	x.alive()
}
