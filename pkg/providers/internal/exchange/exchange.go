package exchange

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
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
	// How long usage and [DONE] may take after the last frame of the answer, and the
	// words of a refusal after its status.
	lastWords = 5 * time.Second
)

var (
	errIdle  = errors.New("the server was silent for too long")
	errTotal = errors.New("the answer took too long")
)

// Exchange is one request and its answer. It watches the time. One goroutine uses it.
type Exchange struct {
	cancel context.CancelCauseFunc
	client *Client
	// impatient means that a stream was asked for, so that silence before the
	// headers counts as well.
	impatient bool

	idle  time.Duration
	timer *time.Timer
	// heard says that the server has answered, or failed: it takes no more of the request.
	heard atomic.Bool
	// complete says that the answer is there: signs of life give its end no more time.
	complete bool

	closer io.Closer
	reader *bufio.Reader // of the answer; lent
	body   []byte        // of an answer that is no stream
	frames *Frames       // of one that is
}

// Once has ask send one request with x, and read its answer, under the context that x
// watches. If a time limit ended the exchange, the error is that limit's.
func (c *Client) Once(ctx context.Context, stream bool, ask func(ctx context.Context, x *Exchange) error) error {
	x := &Exchange{client: c, idle: c.opts.IdleTimeout, impatient: stream}
	ctx, x.cancel = context.WithCancelCause(ctx)
	x.timer = time.AfterFunc(x.idle, func() { x.cancel(errIdle) })
	x.timer.Stop()
	defer x.stop()
	err := ask(ctx, x)
	if err != nil {
		if cause := timedOut(ctx); cause != nil {
			return cause
		}
	}
	return err
}

// stop ends the exchange, its timer and its hold on the connection.
func (x *Exchange) stop() {
	x.timer.Stop()
	if x.closer != nil {
		_ = x.closer.Close() // a failure to close has no effect
	}
	if x.reader != nil {
		x.client.pools.takeBack(x.reader)
		x.reader, x.frames = nil, nil
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
func (x *Exchange) alive() {
	if !x.complete {
		x.timer.Reset(x.idle)
	}
}

// Send sends a request and waits for the status. A status other than 2xx is an error.
// Afterwards the answer is either whole, for [Exchange.Decode], or has [Exchange.Frames].
func (x *Exchange) Send(req *http.Request) error {
	if x.impatient {
		x.alive()
		x.watch(req)
	}
	resp, err := x.client.send(req) //nolint:bodyclose // stop closes
	x.heard.Store(true)
	if err != nil {
		return transportError(err)
	}
	x.closer = resp.Body
	x.alive()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return x.refusal(resp)
	}
	x.reader = x.client.pools.reader(&cappedBody{r: resp.Body, left: x.client.opts.MaxBody})
	if x.streams(resp.Header.Get("Content-Type")) {
		x.frames = &Frames{r: x.reader, x: x}
		return nil
	}
	if x.body, err = io.ReadAll(&liveReader{r: x.reader, x: x}); err != nil {
		return readError(err)
	}
	return nil
}

// refusal reads the words of a refusal, as many as come soon: the status counts.
func (x *Exchange) refusal(resp *http.Response) error {
	x.timer.Stop()
	late := time.AfterFunc(min(x.idle, lastWords), func() { _ = resp.Body.Close() })
	defer late.Stop()
	// The unreadable part of a refusal is not needed to classify it.
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	return refusal(resp.StatusCode, resp.Header, body)
}

// streams says whether an answer is an event stream: by its type, or, where a stream was
// asked for and the type is neither that nor JSON, by its beginning.
func (x *Exchange) streams(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	if kind == "text/event-stream" || !x.impatient || strings.HasSuffix(kind, "json") {
		return kind == "text/event-stream"
	}
	head, _ := x.reader.Peek(len("event:")) // a shorter answer is no stream
	field, _, found := bytes.Cut(head, []byte(":"))
	return found && (len(field) == 0 || string(field) == "data" || string(field) == "event" || string(field) == "id")
}

// Frames are those of an answer that came as a stream, nil for one that came whole. A
// server may send either, whatever it was asked for.
func (x *Exchange) Frames() *Frames { return x.frames }

// Decode reads an answer that came whole into v. Errors name the answer by the first
// argument.
func (x *Exchange) Decode(what string, v any) error {
	if crowded(x.body) {
		return TooBig()
	}
	if err := json.Unmarshal(x.body, v); err != nil {
		if e, ok := parseError(x.body); ok {
			return &providers.Error{Kind: kindOf(0, e), Code: e.code(), Message: string(e.Message)}
		}
		if bytes.HasPrefix(bytes.TrimSpace(x.body), []byte("<")) {
			return &providers.Error{Kind: providers.KindOverloaded, Message: "the server answered with a web page; is base_url right?"}
		}
		return Cut(what+" is not JSON of the expected form", err)
	}
	return frameError(x.body)
}

// Stream reads the frames that next gives until the stream ends. The function add takes each,
// and says whether the answer is finished with it; it says so again for later frames. The
// stream has ended properly when next gives [io.EOF], which stands for [DONE], and in
// any way after a finished answer.
func (x *Exchange) Stream(next func() ([]byte, error), add func(frame []byte) (finished bool, err error)) error {
	finished := false
	for {
		frame, err := next()
		switch {
		case errors.Is(err, io.EOF), err != nil && finished:
			return nil
		case err != nil:
			return err
		}
		before := finished
		if finished, err = add(frame); err != nil {
			return err
		}
		if finished && !before {
			x.hasten()
		}
	}
}

// hasten ends the patience with a server that has said all that is needed: its last words
// have so much time in all.
func (x *Exchange) hasten() {
	x.idle = min(x.idle, lastWords)
	x.alive()
	x.complete = true
}

// watch has the server count as alive while it takes the request, which may be long and its
// line slow.
func (x *Exchange) watch(req *http.Request) {
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = &takenBody{ReadCloser: req.Body, x: x, idle: x.idle}
	}
}

// takenBody notes each piece that is taken of a request. The goroutine of the connection
// reads it.
type takenBody struct {
	io.ReadCloser

	x    *Exchange
	idle time.Duration
}

func (b *takenBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 && !b.x.heard.Load() {
		b.x.timer.Reset(b.idle)
	}
	return n, err
}

// liveReader notes each read as a sign of life.
type liveReader struct {
	r io.Reader
	x *Exchange
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
