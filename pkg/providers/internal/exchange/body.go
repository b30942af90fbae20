package exchange

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"sync"

	"parley/pkg/providers"
)

// Body is a request that is being written: text, with bytes that many requests share,
// and pictures, at their places. Pictures are read while the request is sent: the body
// has their place and their size, so that asking with pictures takes no memory for them.
type Body struct {
	// Text is the request so far, without its other parts.
	Text  []byte
	parts []part
}

// part stands at a place of the text: shared bytes, or a picture in base64.
type part struct {
	at     int
	shared []byte
	size   int64
	open   func() (io.ReadCloser, int64, error)
}

// Share puts bytes at the end of the request so far, which are not copied.
func (b *Body) Share(bytes []byte) {
	b.parts = append(b.parts, part{at: len(b.Text), shared: bytes})
}

// Picture puts the file of a picture, which has size bytes, in base64 at the end of the
// request so far.
func (b *Body) Picture(img *providers.Image, size int64) {
	b.parts = append(b.parts, part{at: len(b.Text), size: size, open: img.Open})
}

// Attach makes b the body of a request, which may be sent several times.
func (b *Body) Attach(req *http.Request) {
	req.Body = b.reader()
	req.GetBody = func() (io.ReadCloser, error) { return b.reader(), nil }
	if req.ContentLength = b.length(); req.ContentLength == 0 { // which net/http would take for unknown
		req.Body = http.NoBody
	}
}

func (b *Body) length() int64 {
	n := int64(len(b.Text))
	for i := range b.parts {
		n += int64(len(b.parts[i].shared) + base64.StdEncoding.EncodedLen(int(b.parts[i].size)))
	}
	return n
}

// reader reads it all; each reader begins anew.
func (b *Body) reader() io.ReadCloser {
	r := &bodyReader{}
	var all []io.Reader // ends with the pieces so far, where there is a picture
	texts := &pieces{rest: make([][]byte, 0, 2*len(b.parts)+1)}
	from := 0
	for i := range b.parts {
		p := &b.parts[i]
		texts.rest = append(texts.rest, b.Text[from:p.at])
		from = p.at
		if p.open == nil {
			texts.rest = append(texts.rest, p.shared)
			continue
		}
		e := &encoder{open: p.open, left: p.size}
		r.files = append(r.files, e)
		all = append(all, texts, e)
		texts = &pieces{}
	}
	texts.rest = append(texts.rest, b.Text[from:])
	if len(all) == 0 {
		return texts
	}
	r.all = io.MultiReader(append(all, texts)...)
	return r
}

// pieces reads texts one behind the other. Unlike io.MultiReader it is written
// without a buffer between.
type pieces struct{ rest [][]byte }

// Read implements [io.Reader].
func (p *pieces) Read(b []byte) (int, error) {
	n := 0
	for i := range p.rest {
		k := copy(b[n:], p.rest[i])
		p.rest[i] = p.rest[i][k:]
		n += k
	}
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// WriteTo implements [io.WriterTo].
func (p *pieces) WriteTo(w io.Writer) (sum int64, err error) {
	for i := range p.rest {
		n, err := w.Write(p.rest[i])
		p.rest[i], sum = p.rest[i][n:], sum+int64(n)
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// Close implements [io.Closer].
func (*pieces) Close() error { return nil }

// bodyReader is a reader with open files in it. HTTP/2 may close it in the middle
// of a read.
type bodyReader struct {
	mu     sync.Mutex
	all    io.Reader
	files  []*encoder
	closed bool
}

// Read implements [io.Reader].
func (r *bodyReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	return r.all.Read(p)
}

// Close implements [io.Closer].
func (r *bodyReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, f := range r.files {
		f.close()
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
