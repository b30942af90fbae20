package documents

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The bounds of a DOCX file, which is a zip archive of XML.
const (
	maxEntries = 10_000
	maxPart    = 32 << 20 // bytes of one part, decompressed
	maxDepth   = 500      // elements in each other
)

var errTooDeep = errors.New("too many elements in each other")

func damagedDOCX(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Reason: "The file is damaged: it is no DOCX that can be read.", cause: err}
}

// readDOCX reads the main part and the notes of a document of Office Open XML.
func readDOCX(data []byte) (*Document, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, damagedDOCX(err)
	}
	if len(z.File) > maxEntries {
		return nil, &Error{Reason: fmt.Sprintf("The DOCX has more than the %d parts that are read.", maxEntries)}
	}
	w := &word{levels: map[string]int{}}
	if err := w.part(z, "word/styles.xml", w.style); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == "word/document.xml" }) {
		return nil, &Error{Reason: "The file is no DOCX: it has no document in it."}
	}
	for _, name := range []string{"word/document.xml", "word/footnotes.xml", "word/endnotes.xml"} {
		if err := w.part(z, name, w.token); err != nil {
			return nil, err
		}
		w.endParagraph()
	}
	d := w.b.done(DOCX)
	if len(d.Sections) == 0 && d.Note == "" {
		d.Note = "The DOCX has no text."
	}
	return d, nil
}

// word reads a document from the tokens of its XML.
type word struct {
	b builder
	// levels are the levels of headings by the ids of styles; styleID is the style that is read.
	levels  map[string]int
	styleID string
	// depth counts the open elements, and skipped those of them whose text is not shown.
	depth, skipped int
	// The open paragraph.
	text   strings.Builder
	level  int
	hidden bool // the run
	saying bool // inside of a text element
	cells  int  // of the table's row so far
	inCell int
}

// part reads one part of the archive, if there is one.
func (w *word) part(z *zip.Reader, name string, each func(xml.Token)) error {
	at := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == name })
	if at < 0 {
		return nil
	}
	if z.File[at].UncompressedSize64 > maxPart { // the reader gives no more than that
		return &Error{Reason: fmt.Sprintf("The DOCX is too large: a part of it is more than %d MB when it is decompressed.", maxPart>>20)}
	}
	f, err := z.File[at].Open()
	if err != nil {
		return damagedDOCX(err)
	}
	defer f.Close()
	d := xml.NewDecoder(f)
	d.Strict = true
	d.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errors.New("not in UTF-8") }
	w.depth, w.skipped, w.saying = 0, 0, false
	for w.b.room() {
		t, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF) && w.depth == 0:
			return nil
		case err != nil:
			return damagedDOCX(err)
		}
		switch t.(type) {
		case xml.StartElement:
			w.depth++
		case xml.EndElement:
			w.depth--
		}
		if w.depth > maxDepth || w.depth < 0 {
			return damagedDOCX(errTooDeep)
		}
		each(t)
	}
	return nil
}

// attribute gives an attribute by its name without the prefix.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// headingLevel is the level of a style by its name, which is English in every language of Word.
func headingLevel(name string) int {
	name = strings.ToLower(name)
	if name == "title" {
		return 1
	}
	rest, ok := strings.CutPrefix(name, "heading ")
	if !ok || len(rest) != 1 || rest[0] < '1' || rest[0] > '9' {
		return 0
	}
	return min(int(rest[0]-'0'), 6)
}

// style collects the styles that are headings.
func (w *word) style(t xml.Token) {
	e, ok := t.(xml.StartElement)
	if !ok {
		return
	}
	const most = 10_000
	switch e.Name.Local {
	case "style":
		w.styleID = attribute(e, "styleId")
	case "name":
		if level := headingLevel(attribute(e, "val")); level > 0 && len(w.levels) < most {
			w.levels[w.styleID] = level
		}
	}
}

// token takes one token of a part with text.
func (w *word) token(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		if w.skipped > 0 || unread(t.Name.Local) {
			w.skipped++
			return
		}
		w.start(t)
	case xml.EndElement:
		if w.skipped > 0 {
			w.skipped--
			return
		}
		w.finish(t.Name.Local)
	case xml.CharData:
		if w.saying && w.skipped == 0 && !w.hidden && w.text.Len() <= MaxText {
			w.text.Write(t)
		}
	}
}

// unread are elements whose text is not shown: the second form of something, deleted text, the
// instructions of fields, and formats as they were before a tracked change.
func unread(name string) bool {
	switch name {
	case "Fallback", "del", "moveFrom", "delText", "instrText", "delInstrText", "rPrChange", "pPrChange":
		return true
	}
	return false
}

func (w *word) start(e xml.StartElement) {
	switch e.Name.Local {
	case "t":
		w.saying = true
	case "tab", "ptab":
		w.space("\t")
	case "br", "cr":
		w.space("\n")
	case "noBreakHyphen":
		w.space("-")
	case "tc":
		w.endParagraph()
		if w.cells > 0 {
			w.b.add("| ")
		}
		w.cells++
		w.inCell++
	case "tr":
		w.cells = 0
	default:
		w.property(e)
	}
}

// property takes an element that says how the text is.
func (w *word) property(e xml.StartElement) {
	switch e.Name.Local {
	case "p":
		w.endParagraph() // one may lie in another, in a text box
	case "pStyle":
		w.level = w.levels[attribute(e, "val")]
	case "outlineLvl":
		if v := attribute(e, "val"); len(v) == 1 && v[0] >= '0' && v[0] < '9' {
			w.level = min(int(v[0]-'0')+1, 6)
		}
	case "r":
		w.hidden = false
	case "vanish":
		v := attribute(e, "val")
		w.hidden = v != "0" && v != "false" && v != "off"
	}
}

func (w *word) space(s string) {
	if !w.hidden && w.text.Len() > 0 {
		w.text.WriteString(s)
	}
}

func (w *word) finish(name string) {
	switch name {
	case "p":
		w.endParagraph()
	case "r":
		w.hidden = false
	case "t":
		w.saying = false
	case "tc":
		w.endParagraph()
		w.inCell = max(w.inCell-1, 0)
	case "tr":
		w.b.add("\n")
		w.cells = 0
	case "tbl":
		w.b.add("\n")
	}
}

// endParagraph writes the paragraph: a heading begins a section, and in a table it is part of a line.
func (w *word) endParagraph() {
	s := strings.TrimRight(w.text.String(), " \t\n")
	level := w.level
	w.text.Reset()
	w.level = 0
	switch {
	case strings.TrimSpace(s) == "":
	case level > 0 && w.inCell == 0:
		w.b.begin(Section{Heading: strings.Join(strings.Fields(s), " "), Level: level})
	case w.inCell > 0:
		w.b.add(strings.ReplaceAll(s, "\n", " ") + " ")
	default:
		w.b.add(s + "\n\n")
	}
}
