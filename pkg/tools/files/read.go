package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"os"
	"unicode/utf8"

	"parley/pkg/tools"
)

const (
	maxRead       = 48 << 10          // bytes that one read_file returns, and the default of its limit
	maxReadOutput = 6*maxRead + 8<<10 // maxRead bytes in their longest JSON spelling
)

type readInput struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset,omitempty" minimum:"0"`
	Limit  int    `json:"limit,omitempty" maximum:"49152"`
}

// excerpt is the result of read_file. Encoding is utf-8, or base64 for content that is
// no text.
type excerpt struct {
	Success  bool   `json:"success"`
	Path     string `json:"path"`
	Content  string `json:"content"`
	Size     int64  `json:"size"`
	Encoding string `json:"encoding"`
	// Truncated says that the file goes on after Content, at NextOffset.
	Truncated  bool  `json:"truncated"`
	NextOffset int64 `json:"next_offset,omitempty"`
	// Format is set where Content is the text of a document: pdf or docx. Offsets then count
	// the bytes of that text. Note says which part of the document the text lacks.
	Format string `json:"format,omitempty"`
	Pages  int    `json:"pages,omitempty"`
	Note   string `json:"note,omitempty"`
}

func (a *access) readFile(ctx context.Context, in readInput) (any, error) {
	if in.Offset < 0 || in.Limit < 0 || in.Limit > maxRead {
		return nil, fail(tools.ErrInvalidArguments, in.Path, "offset is at least 0, limit from 1 to 49152")
	}
	if in.Limit == 0 {
		in.Limit = maxRead
	}
	s, p, err := a.enter(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	f, info, err := s.openFile(p)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if a.isDocument(p, f) {
		return a.readDocument(ctx, f, s.shown(p), info.Size(), in)
	}
	c, err := a.readChunk(f, in.Offset, in.Limit)
	if err != nil {
		return nil, s.fail(tools.ErrExecutionFailed, p, "the file cannot be read")
	}
	return c.show(s.shown(p), info.Size()), nil
}

// chunk is the part read from a file.
type chunk struct {
	offset int64
	data   []byte
	// more says that the file goes on.
	more bool
}

// readChunk reads a part of a file, with as much beside it as a secret may have.
func (a *access) readChunk(f *os.File, offset int64, limit int) (chunk, error) {
	start := max(0, offset-secretMargin)
	data, err := io.ReadAll(io.NewSectionReader(f, start, offset-start+int64(limit)+secretMargin))
	return a.chunkOf(data, start, offset, limit), err
}

// chunkOf is the part at an offset of a text of which data begins at start.
func (a *access) chunkOf(data []byte, start, offset int64, limit int) chunk {
	from := min(int(offset-start), len(data))
	to := min(from+limit, len(data))
	return chunk{offset: offset, data: a.covered(data, from, to), more: to < len(data)}
}

func (c chunk) show(p string, size int64) excerpt {
	text, half := c.text()
	isText := utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 && (len(text) > 0 || len(c.data) == 0)
	out := excerpt{Success: true, Path: p, Content: string(text), Size: size, Encoding: "utf-8", Truncated: c.more}
	next := c.offset + int64(len(c.data))
	if isText {
		// A character that was cut at the end is read again with the next part.
		next -= int64(half)
	} else {
		out.Content, out.Encoding = base64.StdEncoding.EncodeToString(c.data), "base64"
	}
	if c.more {
		out.NextOffset = next
	}
	return out
}

// text gives the data without the halves of characters that were cut off at its
// ends, and how many bytes it left out behind.
func (c chunk) text() (text []byte, half int) {
	text = c.data
	if c.more {
		half = halfRune(text)
		text = text[:len(text)-half]
	}
	for n := 0; c.offset > 0 && n < utf8.UTFMax-1 && len(text) > 0 && !utf8.RuneStart(text[0]); n++ {
		text = text[1:]
	}
	return text, half
}

// halfRune counts the bytes of a character at the end that is not complete.
func halfRune(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if b := data[len(data)-n:]; utf8.RuneStart(b[0]) {
			if utf8.FullRune(b) {
				return 0
			}
			return n
		}
	}
	return 0
}
