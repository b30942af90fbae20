package httpd

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// answer knows whether an answer has begun. Other abilities of the writer below it are found
// by [http.ResponseController]; Hijack is here because libraries for WebSockets ask for it.
type answer struct {
	http.ResponseWriter

	begun bool
	// leaves counts those whose connection is no more the server's, who must end by themselves.
	leaves *sync.WaitGroup
	left   bool
	// lasts is the context of a stream.
	lasts context.Context //nolint:containedctx // the writes to a connection that was taken end with it
	// goesOn says that the stream of the answer may go on without its handler, as rest.
	goesOn bool
	rest   *rest
}

// Unwrap lets [http.ResponseController] find the writer below.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(p)
}

// Hijack implements [http.Hijacker]. The writes of a stream end soon after it.
func (a *answer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := a.take()
	if err == nil && a.lasts != nil {
		conn = &taken{Conn: conn, lasts: a.lasts}
	}
	return conn, buffers, err
}

// take is Hijack for a writer that ends by itself.
func (a *answer) take() (net.Conn, *bufio.ReadWriter, error) {
	a.begun, a.left = true, true
	a.leaves.Add(1)
	return http.NewResponseController(a.ResponseWriter).Hijack()
}

// taken is a connection that is no more the server's. Its writes have the deadlines that its owner
// sets, and those of [hurried] once lasts has ended.
type taken struct {
	net.Conn

	lasts context.Context //nolint:containedctx // the connection's life
}

// SetWriteDeadline implements [net.Conn].
func (t *taken) SetWriteDeadline(at time.Time) error {
	err := t.Conn.SetWriteDeadline(at)
	if end := time.Now().Add(endWait); err == nil && t.lasts.Err() != nil && (at.IsZero() || at.After(end)) {
		err = t.Conn.SetWriteDeadline(end)
	}
	return err //nolint:wrapcheck // callers look for the errors of connections
}

// SetDeadline implements [net.Conn].
func (t *taken) SetDeadline(at time.Time) error {
	return errors.Join(t.SetReadDeadline(at), t.SetWriteDeadline(at))
}

// end is called once the handler has returned.
func (a *answer) end() {
	if a.left {
		a.leaves.Done()
	}
}
