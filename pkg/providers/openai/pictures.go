package openai

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"parley/pkg/providers"
)

// Pictures are read while a request is written: it has their place and their size
// instead of their bytes, so that asking with pictures takes no memory for them.

// The limits of a request's pictures. The newest have precedence.
const (
	maxPictures     = 50
	maxPictureBytes = 20 << 20
)

// The texts in place of a picture that is not sent.
const (
	noPicture   = "[a picture that this model cannot see]"
	lostPicture = "[a picture that is not there any more]"
	pastPicture = "[a picture that is no longer shown]"
)

// body is the beginning of a request: text, and the pictures that belong into it.
type body struct {
	text     []byte
	pictures []picture
	// tools are bytes that many requests share, which stand in the text at toolsAt.
	tools   []byte
	toolsAt int
}

// picture is a file that goes out in base64 at a place of the text.
type picture struct {
	at   int
	size int64
	open func() (io.ReadCloser, int64, error)
}

func (b *body) length() int64 {
	n := int64(len(b.text) + len(b.tools))
	for _, p := range b.pictures {
		n += int64(base64.StdEncoding.EncodedLen(int(p.size)))
	}
	return n
}

// reader reads it all; each reader begins anew.
func (b *body) reader() io.ReadCloser {
	if len(b.pictures) == 0 {
		return &pieces{rest: [...][]byte{b.text[:b.toolsAt], b.tools, b.text[b.toolsAt:]}}
	}
	behind := &pieces{rest: [...][]byte{nil, b.tools, b.text[b.toolsAt:]}}
	r := &bodyReader{}
	all := make([]io.Reader, 0, 2*len(b.pictures)+1)
	from := 0
	for _, p := range b.pictures {
		e := &encoder{picture: p, left: p.size}
		r.files = append(r.files, e)
		all = append(all, bytes.NewReader(b.text[from:p.at]), e)
		from = p.at
	}
	r.all = io.MultiReader(append(all, bytes.NewReader(b.text[from:b.toolsAt]), behind)...)
	return r
}

// pieces reads texts one behind the other. Unlike io.MultiReader it is written
// without a buffer between.
type pieces struct{ rest [3][]byte }

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
	picture

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

// appendPictured writes a person's message with pictures, of which those go along
// that sent has a size of.
func (p *Provider) appendPictured(b *body, m *providers.Message, sent map[*providers.Image]int64) {
	text := m.Content
	for i := range m.Images {
		if note := p.missing(&m.Images[i], sent); note != "" {
			text += "\n" + note
		}
	}
	if text != "" && m.Content == "" {
		text = text[1:]
	}
	b.text = append(b.text, `{"role":"user","content":`...)
	if len(text) > 0 && !p.opts.Images {
		b.text = append(appendString(b.text, text), '}')
		return
	}
	open := byte('[')
	if text != "" {
		b.text = append(b.text, `[{"type":"text","text":`...)
		b.text = append(appendString(b.text, text), '}')
		open = ','
	}
	for i := range m.Images {
		img := &m.Images[i]
		if p.missing(img, sent) != "" {
			continue
		}
		b.text = append(b.text, open)
		b.text = append(b.text, `{"type":"image_url","image_url":{"url":`...)
		if size, file := sent[img]; file {
			b.text = appendString(b.text, "data:"+img.MIME+";base64,")
			b.text = b.text[:len(b.text)-1] // the quote comes behind the picture
			b.pictures = append(b.pictures, picture{at: len(b.text), size: size, open: img.Open})
			b.text = append(b.text, '"')
		} else {
			b.text = appendString(b.text, img.URL)
		}
		b.text = append(b.text, `}}`...)
		open = ','
	}
	b.text = append(b.text, `]}`...)
}

// missing is the text in place of a picture that is not sent, "" for one that is.
func (p *Provider) missing(img *providers.Image, sent map[*providers.Image]int64) string {
	size, file := sent[img]
	switch {
	case !p.opts.Images:
		return noPicture
	case file && size < 0:
		return pastPicture
	case !file && img.URL == "":
		return lostPicture
	default:
		return ""
	}
}

// sizes reads the sizes of all pictures' files, the newest first: included ones have
// their size, those without room a size below 0. A picture that is absent from it has
// no readable file.
func (p *Provider) sizes(messages []providers.Message) map[*providers.Image]int64 {
	if !p.opts.Images {
		return nil
	}
	var found map[*providers.Image]int64
	var total int64
	count := 0
	for i := range slices.Backward(messages) {
		images := messages[i].Images
		if messages[i].Role != providers.RoleUser {
			continue
		}
		for j := range slices.Backward(images) {
			size, ok := fileSize(&images[j])
			if !ok {
				continue
			}
			if found == nil {
				found = map[*providers.Image]int64{}
			}
			if count++; count > maxPictures || total+size > maxPictureBytes {
				size = -1
			} else {
				total += size
			}
			found[&images[j]] = size
		}
	}
	return found
}

// fileSize is the size of a picture's file; false for an unreadable one.
func fileSize(img *providers.Image) (int64, bool) {
	if img.Open == nil {
		return 0, false
	}
	f, size, err := img.Open()
	if err != nil {
		return 0, false
	}
	_ = f.Close() // no bytes were read
	return size, size > 0
}
