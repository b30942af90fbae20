package httpd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// The bounds of what is read of a body behind its answer.
const (
	maxUnread  = 64 << 20
	unreadWait = 5 * time.Second
)

// body is that of a request.
type body struct {
	io.ReadCloser

	over bool // nothing more can be read of it
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.over = b.over || err != nil
	return n, err //nolint:wrapcheck // a reader gives io.EOF as it is
}

// bodyOf makes the body of a request one that knows what is unread; nil where there is none.
func bodyOf(r *http.Request) *body {
	if r.ContentLength == 0 {
		return nil
	}
	b := &body{ReadCloser: r.Body}
	r.Body = b
	return b
}

// sendAll lets an answer reach a client that has not sent its whole body yet: many send all before
// they read, and a connection that is closed meanwhile loses the answer. A client that waits
// for the word to go on is not told to.
func (a *answer) sendAll(r *http.Request, b *body) {
	if b == nil || b.over || a.left {
		return
	}
	to := http.NewResponseController(a.ResponseWriter)
	if errors.Join(to.SetReadDeadline(time.Now().Add(unreadWait)), to.Flush()) != nil {
		return // the client is gone
	}
	if r.Header.Get("Expect") != "" {
		return // the server closes the body, and reads a little of it for that
	}
	defer context.AfterFunc(r.Context(), func() { _ = to.SetReadDeadline(time.Now()) })()
	_, _ = io.CopyN(io.Discard, b, maxUnread) // the answer is the same
}
