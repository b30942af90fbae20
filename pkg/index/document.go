package index

import (
	"errors"
	"fmt"

	"parley/pkg/index/blocks"
	"parley/pkg/index/passage"
	"parley/pkg/index/words"
)

// The bounds of what an index takes.
const (
	// MaxName is the length of a scope and of the ID of a document, in bytes.
	MaxName = 1 << 10
	// MaxData is the length of the data of a document, in bytes.
	MaxData = 2 << 10
	// MaxPassage is the length of a passage with its heading, in bytes.
	MaxPassage = 64 << 10
	// MaxDocument is the length of a document with all its passages, in bytes.
	MaxDocument = 64 << 20

	maxPassages  = 1 << 31
	maxSegmentID = 1 << 48
)

// ErrBounds says that a document is larger than an index takes, or has no name.
var ErrBounds = errors.New("out of the bounds of an index")

// Document is a text that a search finds in passages: a page, a file, a message.
type Document struct {
	// ID names the document in its scope. A document that is put replaces the one of the same ID.
	ID string
	// Title is searched with the first passage.
	Title string
	// Language is that of the document, if it is known.
	Language words.Language
	// Data is kept as it is, and comes back with what is found.
	Data []byte
	// Bare keeps the words of the text and not the text: the caller has it elsewhere.
	Bare bool
	// Passages are the text.
	Passages []passage.Passage
}

func (d *Document) check() error {
	size := 0
	for i := range d.Passages {
		p := &d.Passages[i]
		size += len(p.Text) + len(p.Heading)
		if len(p.Text)+len(p.Heading) > MaxPassage || p.First < 0 || p.Last < p.First {
			return fmt.Errorf("passage %d: %w", i+1, ErrBounds)
		}
	}
	if d.ID == "" || len(d.ID) > MaxName || len(d.Data) > MaxData || len(d.Title) > MaxPassage || size > MaxDocument || !d.Language.Valid() {
		return ErrBounds
	}
	return nil
}

// size estimates the memory of the document.
func (d *Document) size() int {
	n := len(d.ID) + len(d.Title) + len(d.Data)
	for i := range d.Passages {
		n += len(d.Passages[i].Text) + len(d.Passages[i].Heading) + passageSize
	}
	return n
}

const passageSize = 64

// record is a document as the table of a section has it.
type record struct {
	data   []byte
	text   blocks.Ref // the first piece, the others are behind it
	pieces []piece
}

// piece is a block of text.
type piece struct{ passages, size int64 }

func (r *record) append(b []byte) []byte {
	b = blocks.AppendNumber(blocks.AppendBytes(b, r.data), r.text.Off)
	for _, p := range r.pieces {
		b = blocks.AppendNumber(blocks.AppendNumber(b, p.passages), p.size)
	}
	return b
}

// read reads a record of a section; it points into b.
func (r *record) read(b []byte, size int64) error {
	f := blocks.NewFields(b)
	r.data, r.text, r.pieces = f.Bytes(), blocks.Ref{Off: f.Number(size)}, r.pieces[:0]
	for !f.Empty() {
		r.pieces = append(r.pieces, piece{f.Number(maxPassages), f.Number(size)})
	}
	return f.Err()
}
