package exchange

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"

	"parley/pkg/providers"
)

// Body is a request that is being written: text, with bytes that many requests share,
// and pictures, at their places. Pictures are read while the request is sent: the body
// has their place and their size, so that asking with pictures takes no memory for them.
// The zero value is an empty one.
type Body struct {
	// Text is the request so far, without its other parts.
	Text  []byte
	parts []part
	few   [4]part // room for the usual ones

	written *sync.Pool // lends the memory of what is sent; see memory.go

	mu    sync.Mutex
	lent  *memory // that of Text, if it goes back
	ended bool
}

// part stands at a place of the text: shared bytes, or a picture in base64.
type part struct {
	at     int
	shared []byte
	size   int64
	open   func() (io.ReadCloser, int64, error)
}

// Share puts bytes at the end of the request so far, which are not copied before it is sent.
func (b *Body) Share(shared []byte) {
	b.add(part{at: len(b.Text), shared: shared})
}

// Picture puts the file of a picture, which has size bytes, in base64 at the end of the
// request so far.
func (b *Body) Picture(img *providers.Image, size int64) {
	b.add(part{at: len(b.Text), size: size, open: img.Open})
}

func (b *Body) add(p part) {
	if b.parts == nil {
		b.parts = b.few[:0]
	}
	b.parts = append(b.parts, p)
}

// Attach makes b the body of a request, which may be sent several times.
func (b *Body) Attach(req *http.Request) {
	if req.ContentLength = b.length(); req.ContentLength == 0 { // which net/http would take for unknown
		req.Body = http.NoBody
		return
	}
	again := b.reader
	if b.isSmall(req.ContentLength) {
		w := &written{body: b, size: int(req.ContentLength)}
		*req = *req.WithContext(httptrace.WithClientTrace(req.Context(), w.trace()))
		again = w.reader
	}
	req.GetBody = again
	req.Body, _ = again() // it has not ended
}

// isSmall says whether a body of size bytes is sent as one text.
func (b *Body) isSmall(size int64) bool {
	return size <= mostKept && !slices.ContainsFunc(b.parts, func(p part) bool { return p.open != nil })
}

// appendTo appends a body without pictures to a text.
func (b *Body) appendTo(text []byte) []byte {
	from := 0
	for i := range b.parts {
		text = append(append(text, b.Text[from:b.parts[i].at]...), b.parts[i].shared...)
		from = b.parts[i].at
	}
	return append(text, b.Text[from:]...)
}

func (b *Body) length() int64 {
	n := int64(len(b.Text))
	for i := range b.parts {
		n += int64(len(b.parts[i].shared) + base64.StdEncoding.EncodedLen(int(b.parts[i].size)))
	}
	return n
}

// reader reads it all; each reader begins anew.
func (b *Body) reader() (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return nil, http.ErrBodyReadAfterClose
	}
	b.lent.use()
	return &bodyReader{all: b.Text, parts: b.parts, lent: b.lent}, nil
}

// bodyReader reads a body. HTTP/2 may close it in the middle of a read.
type bodyReader struct {
	mu     sync.Mutex
	all    []byte
	parts  []part
	lent   *memory // until it is closed
	next   int     // of the texts and the parts between them
	text   []byte  // the unread rest of the present one
	file   *encoder
	closed bool
}

// Read implements [io.Reader].
func (r *bodyReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	n := 0
	for n < len(p) {
		switch {
		case len(r.text) > 0:
			k := copy(p[n:], r.text)
			r.text = r.text[k:]
			n += k
		case r.file != nil:
			k, err := r.file.Read(p[n:])
			n += k
			if errors.Is(err, io.EOF) {
				r.file = nil
			} else if err != nil {
				return n, err
			}
		case !r.advance():
			if n == 0 {
				return 0, io.EOF
			}
			return n, nil
		}
	}
	return n, nil
}

// advance goes to the next text or part.
func (r *bodyReader) advance() bool {
	const each = 2 // a text, and the part behind it
	i, at := r.next/each, r.next%each
	if i >= len(r.parts)+1-at {
		return false
	}
	r.next++
	if at > 0 {
		p := &r.parts[i]
		if r.text = p.shared; p.open != nil {
			r.file = &encoder{open: p.open, left: p.size}
		}
		return true
	}
	from, to := 0, len(r.all)
	if i > 0 {
		from = r.parts[i-1].at
	}
	if i < len(r.parts) {
		to = r.parts[i].at
	}
	r.text = r.all[from:to]
	return true
}

// Close implements [io.Closer].
func (r *bodyReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		r.file.close()
	}
	if !r.closed {
		r.closed, r.all, r.text, r.parts = true, nil, nil, nil
		r.lent.leave()
	}
	return nil
}

// encoder reads a picture as base64. Its file is open while it is read.
type encoder struct {
	open    func() (io.ReadCloser, int64, error)
	file    io.ReadCloser
	left    int64
	raw     []byte
	encoded []byte
	rest    []byte // of encoded: the unread part
}

// Read implements [io.Reader]. A file that has become shorter is an error.
func (e *encoder) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if err := e.fill(); err != nil {
			e.close()
			return 0, err
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// fill encodes the next piece.
func (e *encoder) fill() error {
	const piece = 3 << 12 // of whole groups of three
	if e.left == 0 {
		return io.EOF
	}
	if e.file == nil {
		var err error
		if e.file, _, err = e.open(); err != nil {
			return fmt.Errorf("open a picture: %w", err)
		}
		e.raw = make([]byte, piece)
	}
	n := min(piece, e.left)
	if _, err := io.ReadFull(e.file, e.raw[:n]); err != nil {
		if errors.Is(err, io.EOF) { // which is the end of the body alone
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read a picture: %w", err)
	}
	e.left -= n
	e.encoded = base64.StdEncoding.AppendEncode(e.encoded[:0], e.raw[:n])
	e.rest = e.encoded
	return nil
}

func (e *encoder) close() {
	if e.file != nil {
		_ = e.file.Close() // it was only read
		e.file = nil
	}
}
