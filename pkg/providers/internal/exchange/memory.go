package exchange

import (
	"bufio"
	"io"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// pools lend the memory of requests and of their answers to the next ones. No memory goes
// back before its last reader has let go of it: the bytes of one request must not show up
// in another.
type pools struct {
	texts, readers sync.Pool
	usual          atomic.Int64 // the size of the last body
}

// mostKept bounds the memory that one request leaves to the next, in bytes.
const mostKept = 64 << 10

// memory is that of a body's text. It goes back once its users, the body and those of its
// readers that are open, have left it.
type memory struct {
	text []byte
	home *pools
	uses atomic.Int32
}

// Body begins a body with memory for about size bytes, which [Body.End] gives back.
func (c *Client) Body(size int) *Body {
	m := c.pools.lend(size)
	return &Body{Text: m.text[:0], lent: m}
}

// lend gives memory for about size bytes, to one user. New memory has room for what the last
// body came to, and somewhat more: most have the same shared bytes.
func (p *pools) lend(size int) *memory {
	m, known := p.texts.Get().(*memory)
	if !known {
		m = &memory{home: p}
	}
	if cap(m.text) < size {
		m.text = make([]byte, 0, max(size, int(p.usual.Load())*9/8))
	}
	m.use()
	return m
}

// trace follows a request whose readers have no end of their own, because net/http would send
// its head by itself otherwise. A connection uses the memory until it has written the request.
// Where it wrote all of it, the reader of that time is not used again either; with an error
// it may be, and the memory goes to no other request.
func (m *memory) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { m.use() },
		WroteRequest: func(done httptrace.WroteRequestInfo) {
			if done.Err == nil {
				m.leave()
			}
			m.leave()
		},
	}
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
		b.lent.home.usual.Store(int64(min(len(b.Text), mostKept)))
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
		m.home.texts.Put(m)
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
