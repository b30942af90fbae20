package exchange

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// pools lend the memory of requests and of their answers to the next ones. No memory goes
// back before its last reader has let go of it: the bytes of one request must not show up
// in another.
type pools struct{ texts, written, readers sync.Pool }

// mostKept bounds the memory that one request leaves to the next, in bytes.
const mostKept = 64 << 10

// memory is that of a body's text. It goes back once its users, the body and those of its
// readers that are open, have left it.
type memory struct {
	text []byte
	home *sync.Pool
	uses atomic.Int32
}

// Body begins a body with memory for about size bytes, which [Body.End] gives back.
func (c *Client) Body(size int) *Body {
	m := lend(&c.pools.texts, size)
	m.use()
	return &Body{Text: m.text[:0], lent: m, written: &c.pools.written}
}

// lend gives memory for size bytes, to one user.
func lend(from *sync.Pool, size int) *memory {
	m, known := from.Get().(*memory)
	if !known {
		m = &memory{home: from}
	}
	if cap(m.text) < size {
		m.text = make([]byte, 0, size)
	}
	return m
}

// written is a small body while it is sent: one text, because net/http sends the head of a
// request together with a body that it knows to be in memory, and by itself before any other.
// The text is made when the request is sent, and its memory goes back as soon as it is written:
// most of a request's time is that of the answer.
type written struct {
	body *Body
	size int

	mu    sync.Mutex
	lent  *memory // that of the first reader, until it goes back
	begun int     // how many readers there were
}

// reader reads the body; each reader begins anew. Only the memory of the first one goes back:
// once there is another, the trace does not tell which of them was written.
func (w *written) reader() (io.ReadCloser, error) {
	w.body.mu.Lock()
	defer w.body.mu.Unlock()
	if w.body.ended {
		return nil, http.ErrBodyReadAfterClose
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var text []byte
	if w.begun++; w.begun == 1 && w.body.written != nil {
		w.lent = lend(w.body.written, w.size)
		text = w.lent.text[:0]
	}
	return io.NopCloser(bytes.NewReader(w.body.appendTo(text))), nil
}

// trace takes the memory back once a connection has written all of it. With an error the
// connection may still read it, and the memory goes to no other request.
func (w *written) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{WroteRequest: func(done httptrace.WroteRequestInfo) {
		if done.Err == nil {
			w.giveBack()
		}
	}}
}

func (w *written) giveBack() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lent != nil && w.begun == 1 {
		w.lent.home.Put(w.lent)
	}
	w.lent = nil
}

// End says that the request was answered, or failed: it is not sent again. It may be
// called twice, and for a body whose memory is its own.
func (b *Body) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	b.ended = true
	if b.lent != nil {
		b.lent.text = b.Text[:0] // it may have grown
		b.Text = nil
		b.lent.leave()
	}
}

func (m *memory) use() {
	if m != nil {
		m.uses.Add(1)
	}
}

func (m *memory) leave() {
	if m != nil && m.uses.Add(-1) == 0 && cap(m.text) <= mostKept {
		m.home.Put(m)
	}
}

// reader lends a buffered reader, which takeBack ends.
func (p *pools) reader(r io.Reader) *bufio.Reader {
	b, known := p.readers.Get().(*bufio.Reader)
	if !known {
		return bufio.NewReaderSize(r, chunkSize)
	}
	b.Reset(r)
	return b
}

// takeBack takes a reader that is not used any more.
func (p *pools) takeBack(b *bufio.Reader) {
	b.Reset(nil)
	p.readers.Put(b)
}
