package documents

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// The bounds of a document and of its reading.
const (
	// MaxSize is the largest document, in bytes.
	MaxSize = 32 << 20
	// MaxText is the largest text, in bytes, and MaxPages the most pages.
	MaxText  = 4 << 20
	MaxPages = 5000
	// MaxTime and MaxMemory bound the process that parses.
	MaxTime   = 10 * time.Second
	MaxMemory = 256 << 20
)

// Kind is a format of documents.
type Kind string

// The formats.
const (
	PDF      Kind = "pdf"
	DOCX     Kind = "docx"
	HTML     Kind = "html"
	Markdown Kind = "markdown"
	CSV      Kind = "csv"
	JSON     Kind = "json"
	Text     Kind = "text"
)

// Document is what a document says.
type Document struct {
	Kind     Kind      `json:"kind"`
	Sections []Section `json:"sections"`
	// Pages is how many pages the document has; 0 for a format without pages.
	Pages int `json:"pages,omitempty"`
	// Note says, in a sentence, which part of the document is missing from the text; empty
	// for a whole text.
	Note string `json:"note,omitempty"`
}

// Section is a part of a document, in the order of reading.
type Section struct {
	// Page is the page, counted from 1; 0 for a format without pages.
	Page int `json:"page,omitempty"`
	// Heading is the heading above the text, and Level its level from 1 to 6; "" and 0 for
	// text without one.
	Heading string `json:"heading,omitempty"`
	Level   int    `json:"level,omitempty"`
	Text    string `json:"text"`
}

// String gives the whole text: a line [page N] begins each page, and a heading is a line
// with as many # as its level. A line of the text that would pass for the begin of a page
// has a space before it.
func (d *Document) String() string {
	var b strings.Builder
	for _, s := range d.Sections {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if s.Page > 0 {
			fmt.Fprintf(&b, "[page %d]\n", s.Page)
		}
		if s.Heading != "" {
			fmt.Fprintf(&b, "%s %s\n\n", strings.Repeat("#", s.Level), s.Heading)
		}
		if s.Text != "" {
			b.WriteString(strings.ReplaceAll("\n"+s.Text, "\n[page ", "\n [page ")[1:])
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Error says, in one plain sentence, why a document has no text for its reader.
type Error struct {
	Reason string
	// Unavailable: not the document is the reason, but the machine: it has no sandbox, or
	// no place became free.
	Unavailable bool
	// Hurried: the machine may be the reason, as it was busy; another attempt may have the text.
	Hurried bool
	cause   error
}

// Error implements error.
func (e *Error) Error() string { return e.Reason }

// Unwrap gives the cause, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// sectionCost is what a section counts beside its text, in bytes.
const sectionCost = 16

// builder makes a document and holds it to the bounds.
type builder struct {
	doc  Document
	size int
	text strings.Builder
}

// room says whether the text may still grow.
func (b *builder) room() bool { return b.doc.Note == "" }

// begin begins a section.
func (b *builder) begin(s Section) {
	b.flush()
	if !b.room() {
		return
	}
	size := b.size + len(s.Heading) + sectionCost
	if size > MaxText {
		b.end()
		return
	}
	b.size = size
	b.doc.Sections = append(b.doc.Sections, s)
}

// end ends the text before its document ends.
func (b *builder) end() {
	b.doc.Note = fmt.Sprintf("The text ends here, after %d MB; the document goes on.", MaxText>>20)
}

// add adds text to the section.
func (b *builder) add(s string) {
	if !b.room() {
		return
	}
	if over := b.size + len(s) - MaxText; over > 0 {
		cut := max(len(s)-over, 0)
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut]
		b.end()
	}
	b.size += len(s)
	b.text.WriteString(s)
}

// flush puts the collected text into the section.
func (b *builder) flush() {
	s := tidy(b.text.String())
	b.text.Reset()
	if s == "" {
		return
	}
	if len(b.doc.Sections) == 0 {
		b.doc.Sections = append(b.doc.Sections, Section{})
	}
	b.doc.Sections[len(b.doc.Sections)-1].Text = s
}

// done gives the document.
func (b *builder) done(k Kind) *Document {
	b.flush()
	b.doc.Kind = k
	return &b.doc
}

// tidy removes spaces at the ends of lines and all but one of several empty lines.
func tidy(s string) string {
	var b strings.Builder
	empty := 0
	for line := range strings.SplitSeq(strings.ToValidUTF8(s, "\uFFFD"), "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" {
			empty++
			continue
		}
		switch {
		case b.Len() == 0:
		case empty > 0:
			b.WriteString("\n\n")
		default:
			b.WriteByte('\n')
		}
		empty = 0
		b.WriteString(line)
	}
	return b.String()
}
