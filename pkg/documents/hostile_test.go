package documents_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"parley/internal/test/papers"
	"parley/pkg/documents"
)

// laughs is the main part of a DOCX whose words are entities of entities, and a file of this machine.
func laughs() string {
	return `<!DOCTYPE w [<!ENTITY a "ha ha ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>` +
		`<w:document xmlns:w="w"><w:body>` + paragraph("&b;&c;") + `</w:body></w:document>`
}

// TestHostileStructures reads documents that lead in circles, hide their text or pack much of it: each ends soon, with the text
// that there is and a note.
func TestHostileStructures(t *testing.T) {
	t.Parallel()
	r := readerFor(t)
	const main = "word/document.xml"
	one, two := papers.Document(paragraph("one")), papers.Document(paragraph("two"))
	circle := papers.PDF("words")
	at := bytes.LastIndex(circle, []byte("xref\n0"))
	circle = bytes.Replace(circle, []byte("/Size"), fmt.Appendf(nil, "/Prev %d /XRefStm %d /Size", at, at), 1)
	for name, c := range map[string]struct {
		file       string
		data       []byte
		text, note string
	}{
		"names that lead out": {"a.docx", papers.Archive("../../"+main, "x", main, one), "one\n", ""},
		"a name twice":        {"a.docx", papers.Archive(main, one, main, two), "one\n", ""},
		"no words":            {"a.docx", docx(""), "", "The DOCX has no text."},
		"tables in a circle":  {"a.pdf", circle, "[page 1]\nwords\n", ""},
		"a page of its own":   {"a.pdf", papers.PDF("[page 9]\nno [page 8]\n[page 7]"), "[page 1]\n [page 9]\nno [page 8]\n [page 7]\n", ""},
		"packed objects":      {"a.pdf", packed(), "", "The text ends here, after page 0; the document has 2 pages."},
		"deep HTML":           {"a.html", []byte("<html>" + strings.Repeat("<div><b><a href=x>", 10_000) + "words"), "words\n", ""},
		"deep JSON":           {"a.json", bytes.Repeat([]byte("["), 1<<20), strings.Repeat("[", 1<<20) + "\n", ""},
		"one line": {
			"a.csv", bytes.Repeat([]byte("a,"), 3<<20), strings.Repeat("a,", 2<<20) + "\n",
			"The text ends here, after 4 MB; the document goes on.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := r.Read(t.Context(), documents.File{Name: c.file, Content: bytes.NewReader(c.data)})
			if err != nil {
				t.Fatal(err)
			}
			if got := d.String(); got != c.text || d.Note != c.note {
				t.Errorf("the text is %.80q, the note %q; want %.80q, %q", got, d.Note, c.text, c.note)
			}
		})
	}
}

// TestALongTag is refused by the reason, and not as damaged. The test's own process parses it, because no limit of time is meant.
func TestALongTag(t *testing.T) {
	t.Parallel()
	_, err := documents.Parse(documents.HTML, []byte("<html><p title='"+strings.Repeat("a", 4<<20)))
	if err == nil || err.Error() != "The HTML has a tag or a text of more than the 4 MB that are read." {
		t.Errorf("the answer is %v", err)
	}
}

// packed is a PDF without a table, so that all of its object streams are looked into, each a bomb.
func packed() []byte {
	var f papers.File
	bomb := papers.Deflated(papers.Deflated(bytes.Repeat([]byte("0 "), 128<<10)))
	var kids strings.Builder
	for range 2 {
		fmt.Fprintf(&kids, "%d 0 R ", f.Stream("/Type /ObjStm /N 1000000 /First 10 /Filter [/FlateDecode /FlateDecode]", bomb))
	}
	b := f.Bytes(f.Add("<< /Type /Catalog /Pages << /Kids [" + kids.String() + "] /Count 2 >> >>"))
	return b[:bytes.LastIndex(b, []byte("xref\n0"))]
}
