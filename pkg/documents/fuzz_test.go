package documents_test

import (
	"testing"
	"unicode/utf8"

	"parley/internal/test/papers"
	"parley/pkg/documents"
)

// FuzzDOCX parses the main part of a DOCX of any content, in this process: there is no panic, and the text is bounded.
func FuzzDOCX(f *testing.F) {
	f.Add(paragraph("words"))
	f.Add(`<w:tbl><w:tr><w:tc>` + paragraph("1") + `</w:tc></w:tr></w:tbl>`)
	f.Add(`<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>a`)
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 64<<10 {
			return
		}
		checkParsed(t, documents.DOCX, docx(body, "word/styles.xml", body))
		checkParsed(t, documents.DOCX, []byte(body))
	})
}

// FuzzHTML parses any page in the same way.
func FuzzHTML(f *testing.F) {
	f.Add("<h1>a<p>b<pre>c")
	f.Add("<script><svg hidden></h1>")
	f.Fuzz(func(t *testing.T, page string) {
		if len(page) > 64<<10 {
			return
		}
		checkParsed(t, documents.HTML, []byte(page))
	})
}

// checkParsed parses a document in this process.
func checkParsed(t *testing.T, kind documents.Kind, data []byte) {
	t.Helper()
	d, err := documents.Parse(kind, data)
	if err != nil {
		return
	}
	if text := d.String(); len(text) > 8*documents.MaxText || !utf8.ValidString(text) {
		t.Errorf("a text of %d bytes, valid: %v", len(text), utf8.ValidString(text))
	}
}

// FuzzPDF parses any bytes as a PDF in the same way.
func FuzzPDF(f *testing.F) {
	f.Add(papers.PDF("one", "two"))
	f.Add(encrypted())
	f.Add([]byte("%PDF-1.5\n1 0 obj<</Type/ObjStm/N 1/First 4/Length 20>>stream\n2 0 <</Type/Catalog/Pages 1 0 R>>endstream endobj"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		checkParsed(t, documents.PDF, data)
	})
}
