package documents

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

// headSize is how much of a document [Detect] looks at.
const headSize = 4 << 10

// Detect tells the format of a document by its first bytes, and by its name where several
// formats are text; "" for anything else.
func Detect(name string, head []byte) Kind {
	ext := strings.ToLower(path.Ext(name))
	switch {
	case isPDF(ext, head):
		return PDF
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		if ext == ".docx" || ext == ".docm" || ext == ".dotx" {
			return DOCX
		}
		return ""
	case !isText(head):
		return ""
	}
	switch ext {
	case ".html", ".htm", ".xhtml":
		return HTML
	case ".md", ".markdown":
		return Markdown
	case ".csv", ".tsv":
		return CSV
	case ".json", ".jsonl":
		return JSON
	}
	if begins(head, "<!doctype") || begins(head, "<html") {
		return HTML
	}
	return Text
}

// isPDF says whether a document is a PDF. A text of another name may speak of the mark of one.
func isPDF(ext string, head []byte) bool {
	const (
		mark            = "%PDF-"
		signatureWithin = 1024 // other programs accept bytes before it
	)
	return begins(head, mark) ||
		(ext == ".pdf" || !isText(head)) && bytes.Contains(head[:min(len(head), signatureWithin)], []byte(mark))
}

// begins says whether a text begins with a mark, in upper or lower case.
func begins(head []byte, mark string) bool {
	head = bytes.TrimLeft(head, "\uFEFF \t\r\n")
	return len(head) >= len(mark) && strings.EqualFold(string(head[:len(mark)]), mark)
}

// isText says whether bytes can be the beginning of a text.
func isText(head []byte) bool {
	if hasUTF16(head) {
		return true
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	if len(head) >= headSize {
		head = head[:headSize-utf8.UTFMax+1] // a character may be cut off
		for len(head) > 0 && !utf8.RuneStart(head[len(head)-1]) {
			head = head[:len(head)-1]
		}
		head = head[:max(len(head)-1, 0)]
	}
	if utf8.Valid(head) {
		return true
	}
	control := bytes.IndexFunc(head, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\r\n\f\x1b", r) })
	return control < 0 // a text in an older encoding
}

func hasUTF16(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff"))
}
