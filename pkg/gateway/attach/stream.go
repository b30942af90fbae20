package attach

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/pkg/backoff"
	"parley/pkg/gateway/admin"
)

// maxEvent is the longest line of an event.
const maxEvent = 16 << 20

// event is one of the chat's.
type event struct {
	id, name string
	data     []byte
}

// reset is the name of the event behind which the chat is to be read anew.
const reset = "reset"

// stream follows a chat.
type stream struct {
	client *Client
	// over says that the gateway has ended for good.
	over func() bool
	// lost is told each time that the connection is gone, back when it is there again.
	lost, back func()
	take       func(*event) error
}

// follow hands on the events behind one until ctx ends, take returns an error, or the gateway is
// gone for good, or for longer than the client's patience.
func (f *stream) follow(ctx context.Context, after string) error {
	pauses, gone := backoff.New(firstPause, lastPause), time.Time{}
	found := func() {
		pauses.Reset()
		if !gone.IsZero() {
			gone = time.Time{}
			f.back()
		}
	}
	for {
		err := f.client.events(ctx, &after, found, f.take)
		own, taking := errors.AsType[*takeError](err)
		said, refused := errors.AsType[*refusal](err)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case taking:
			return own.error
		case refused && !said.passes():
			return said
		case f.over():
			return nil
		}
		if gone.IsZero() {
			gone = time.Now()
		}
		f.lost()
		if f.client.waited(gone) {
			return fmt.Errorf(textGone, admin.ErrNotRunning)
		}
		if !backoff.Sleep(ctx, pauses.Next()) {
			return context.Cause(ctx)
		}
	}
}

// takeError is the error of whoever takes events.
type takeError struct{ error }

// events reads one stream to its end. Found is told once it begins.
func (c *Client) events(ctx context.Context, after *string, found func(), take func(*event) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	address := c.path("/events") + "?after=" + url.QueryEscape(*after)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := c.send(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer)) // what there is of it
		return refusedBy(resp.StatusCode, answer)
	}
	found()
	// A stream without a beat for long is dead.
	quiet := time.AfterFunc(quietTime, cancel)
	defer quiet.Stop()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEvent)
	var e event
	for lines.Scan() {
		quiet.Reset(quietTime)
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "" && e.name != "":
			if e.id != "" {
				*after = e.id
			}
			if err := take(&e); err != nil {
				return &takeError{err}
			}
			e = event{}
		case name == "id":
			e.id = value
		case name == "event":
			e.name = value
		case name == "data":
			e.data = []byte(value)
		}
	}
	return errors.Join(lines.Err(), io.ErrUnexpectedEOF)
}

// quietTime is the longest time between two lines of a stream: it beats each 15 s.
const quietTime = time.Minute
