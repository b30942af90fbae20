package documents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"parley/pkg/sandbox"
)

// maxAnswer bounds the answer of a helper: JSON may write six bytes for one of the text. The sandbox keeps so many whole.
const maxAnswer = 6*MaxText + 1<<20

// answer is what a helper writes to its output.
type answer struct {
	Document *Document `json:"document,omitempty"`
	Failed   string    `json:"failed,omitempty"`
}

// checked gives the document of an answer. The process that wrote it had parsed a stranger's bytes, so it is held to what
// the readers here can answer.
func (a *answer) checked(kind Kind) (*Document, error) {
	const (
		sentence  = 1000                  // the longest note or reason
		sections  = MaxText / sectionCost // see builder
		character = 3                     // the bytes of the one that replaces an invalid byte
	)
	d := a.Document
	switch {
	case len(a.Failed) > sentence:
		return nil, errors.New("the reason is too long")
	case a.Failed != "":
		return nil, &Error{Reason: a.Failed}
	case d == nil:
		return nil, errors.New("there is no document in the answer")
	case len(d.Sections) > sections || len(d.Note) > sentence:
		return nil, errors.New("the answer has too many sections, or too long a note")
	}
	d.Kind, d.Pages = kind, max(d.Pages, 0)
	size := 0
	for i := range d.Sections {
		const deepest = 6
		s := &d.Sections[i]
		s.Page, s.Level = max(s.Page, 0), min(max(s.Level, 1), deepest)
		if s.Heading == "" {
			s.Level = 0
		}
		size += len(s.Heading) + len(s.Text)
	}
	if size > character*MaxText {
		return nil, errors.New("the text is too long")
	}
	return d, nil
}

// Main takes over, and does not return, in a process that a [Reader] started to parse a
// document; in every other it returns at once.
func Main() {
	if len(os.Args) != 3 || os.Args[1] != role {
		return
	}
	if err := help(Kind(os.Args[2]), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // this process is not the caller's
	}
	os.Exit(0) //nolint:forbidigo // this process is not the caller's
}

// help parses the document that comes in, without the right to open any file.
func help(kind Kind, in io.Reader, out io.Writer) error {
	if err := sandbox.CloseFiles(); err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(in, MaxSize+1))
	if err != nil {
		return err
	}
	var a answer
	a.Document, err = parse(kind, data)
	if e, ok := errors.AsType[*Error](err); ok {
		a.Failed = e.Reason
	} else if err != nil {
		return err
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(a)
}

// parse reads a document of a format that is more than text.
func parse(kind Kind, data []byte) (*Document, error) {
	switch kind {
	case DOCX:
		return readDOCX(data)
	case HTML:
		return readHTML(data)
	case PDF:
		return readPDF(data)
	default:
		return nil, fmt.Errorf("no reader of %q", kind)
	}
}
