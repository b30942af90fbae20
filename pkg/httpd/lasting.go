package httpd

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"parley/pkg/panics"
)

// Outlive opens a stream that is silent most of the time, and lets run have it once the handler
// has returned, which does so at once: a stream that waits keeps the connection, and not the
// buffers and the stack of its request. The context of run ends with the stream, for the
// reasons for which that of the request does, and run must not keep the request.
func Outlive(w http.ResponseWriter, r *http.Request, run func(ctx context.Context, s *Stream)) error {
	own, ok := w.(*answer)
	leaves := ok && own.goesOn && r.ProtoAtLeast(1, 1) // an older client knows no chunks
	if leaves {
		w.Header().Set("Connection", "close") // which we close at the end of the stream
	}
	s, err := OpenStream(r.Context(), w)
	if err != nil {
		return err
	}
	if !leaves {
		run(r.Context(), s)
		return nil
	}
	conn, _, err := own.take()
	if err != nil {
		return err
	}
	own.rest = &rest{to: bare{conn: conn}, run: run}
	return nil
}

// rest is a stream that goes on without its handler.
type rest struct {
	to  bare
	run func(ctx context.Context, s *Stream)
}

// goOn runs the rest of a stream until the credential of its caller, the client or the server
// ends it, and calls over then.
func (s *Server) goOn(valid context.Context, own *rest, caller *Caller, over func()) {
	defer s.left.Done()
	defer over()
	ctx, cancel := lasting(s.ctx, valid, caller)
	defer cancel()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	defer hurried(ctx, &own.to)()
	var reads sync.WaitGroup
	reads.Go(func() { own.to.gone(leave) })
	defer reads.Wait()
	defer own.to.close()
	s.crowd.waits()
	stream := &Stream{ctx: ctx, w: &own.to, to: &own.to}
	if p := panics.Catch(func() { own.run(ctx, stream) }); p != nil {
		s.opt.Log.Error().Interface("panic", p.Value).Bytes("stack", p.Stack).Msg("a stream has made the gateway panic")
		return
	}
	own.to.end()
}

// bare is the connection of such a stream. What is written leaves as a chunk at the next flush.
type bare struct {
	conn  net.Conn
	chunk []byte
}

// maxChunk is how much room is kept for the next chunk.
const maxChunk = 4 << 10

// Write implements [io.Writer].
func (b *bare) Write(p []byte) (int, error) {
	b.chunk = append(b.chunk, p...)
	return len(p), nil
}

// SetWriteDeadline bounds the writes.
func (b *bare) SetWriteDeadline(t time.Time) error { return b.conn.SetWriteDeadline(t) }

// Flush sends what was written.
func (b *bare) Flush() error {
	if len(b.chunk) == 0 { // an empty chunk is the end
		return nil
	}
	parts := net.Buffers{strconv.AppendInt(nil, int64(len(b.chunk)), 16), []byte("\r\n"), b.chunk, []byte("\r\n")}
	_, err := parts.WriteTo(b.conn)
	if b.chunk = b.chunk[:0]; cap(b.chunk) > maxChunk {
		b.chunk = nil
	}
	return err
}

// end tells the client that the stream is whole.
func (b *bare) end() {
	if errors.Join(b.SetWriteDeadline(time.Now().Add(endWait)), b.Flush()) == nil {
		_, _ = b.conn.Write([]byte("0\r\n\r\n")) // a client that is gone needs no end
	}
}

// gone calls leave when the client has closed the connection, or sends something, which it may
// not before the stream has ended.
func (b *bare) gone(leave func()) {
	var one [1]byte
	_, _ = b.conn.Read(one[:])
	leave()
}

func (b *bare) close() { _ = b.conn.Close() }
