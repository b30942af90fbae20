package index

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"

	"parley/pkg/index/blocks"
	"parley/pkg/index/passage"
)

const (
	// The size at which a piece of text is full, before it is compressed.
	pieceSize = 16 << 10
	// The size of a piece at most, before it is compressed.
	maxPiece  = pieceSize + MaxPassage + 64
	tagPlain  = 0
	tagPacked = 1
)

// packer writes the text of documents.
type packer struct {
	plain, packed bytes.Buffer
	deflate       *flate.Writer
}

func newPacker() *packer {
	p := &packer{}
	p.deflate, _ = flate.NewWriter(&p.packed, flate.BestSpeed) // the level is a known one
	return p
}

// write puts the passages of a document into pieces.
func (p *packer) write(w *blocks.Writer, d *Document, r *record) error {
	r.data, r.text.Off, r.pieces = d.Data, w.Offset(), r.pieces[:0]
	p.plain.Reset()
	held := int64(0)
	var b []byte
	for i := range d.Passages {
		of := &d.Passages[i]
		text := of.Text
		if d.Bare {
			text = ""
		}
		b = blocks.AppendBytes(b[:0], []byte(of.Heading))
		b = blocks.AppendNumber(blocks.AppendNumber(b, int64(of.First)), int64(of.Last-of.First))
		b = blocks.AppendBytes(b, []byte(text))
		p.plain.Write(b)
		held++
		if p.plain.Len() >= pieceSize || i == len(d.Passages)-1 {
			size, err := p.flush(w)
			if err != nil {
				return err
			}
			r.pieces = append(r.pieces, piece{held, size})
			held = 0
		}
	}
	return nil
}

func (p *packer) flush(w *blocks.Writer) (int64, error) {
	p.packed.Reset()
	p.packed.WriteByte(tagPacked)
	p.deflate.Reset(&p.packed)
	_, _ = p.deflate.Write(p.plain.Bytes()) // into memory
	_ = p.deflate.Close()
	if p.packed.Len() > p.plain.Len() {
		p.packed.Reset()
		p.packed.WriteByte(tagPlain)
		p.packed.Write(p.plain.Bytes())
	}
	p.plain.Reset()
	ref, err := w.Block(blocks.KindText, p.packed.Bytes())
	return ref.Len, err
}

// unpacker reads the text of documents.
type unpacker struct {
	buf     []byte
	inflate io.ReadCloser
	plain   bytes.Buffer
}

// passage reads one passage of a document.
func (u *unpacker) passage(s *section, r *record, number int64) (p passage.Passage, err error) {
	ref := r.text
	for _, piece := range r.pieces {
		ref.Len = piece.size
		if number < piece.passages {
			return u.piece(s, ref, number)
		}
		number -= piece.passages
		ref.Off += piece.size + blockOverhead
	}
	return p, fmt.Errorf("%w: a passage is missing", blocks.ErrDamaged)
}

// blockOverhead is what a block has beside its payload.
const blockOverhead = 4

// piece reads a passage of a piece.
func (u *unpacker) piece(s *section, ref blocks.Ref, number int64) (p passage.Passage, err error) {
	if u.buf, err = s.r.Block(blocks.KindText, ref, u.buf); err != nil {
		return p, err
	}
	plain, err := u.unpack(u.buf)
	if err != nil {
		return p, err
	}
	fields := blocks.NewFields(plain)
	for ; ; number-- {
		heading := fields.Bytes()
		first, more := fields.Number(maxPassages), fields.Number(maxPassages)
		text := fields.Bytes()
		if err := fields.Err(); err != nil {
			return p, err
		}
		if number == 0 {
			return passage.Passage{Heading: string(heading), First: int(first), Last: int(first + more), Text: string(text)}, nil
		}
	}
}

func (u *unpacker) unpack(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, fmt.Errorf("%w: an empty text", blocks.ErrDamaged)
	}
	if b[0] != tagPacked {
		return b[1:], nil
	}
	source := bytes.NewReader(b[1:])
	if u.inflate == nil {
		u.inflate = flate.NewReader(source)
	} else if again, ok := u.inflate.(flate.Resetter); !ok || again.Reset(source, nil) != nil {
		u.inflate = flate.NewReader(source)
	}
	u.plain.Reset()
	n, err := io.Copy(&u.plain, io.LimitReader(u.inflate, maxPiece+1))
	if err != nil || n > maxPiece {
		return nil, errors.Join(err, fmt.Errorf("%w: a packed text", blocks.ErrDamaged))
	}
	return u.plain.Bytes(), nil
}
