package papers

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// File is a PDF that is built object by object; the numbers count from 1.
type File struct {
	b       bytes.Buffer
	offsets []int
}

// Add adds an object by its text, and gives its number.
func (f *File) Add(object string) int {
	if f.b.Len() == 0 {
		f.b.WriteString("%PDF-1.5\n")
	}
	f.offsets = append(f.offsets, f.b.Len())
	fmt.Fprintf(&f.b, "%d 0 obj\n%s\nendobj\n", len(f.offsets), object)
	return len(f.offsets)
}

// Stream adds a stream with the entries of its dictionary beside its length.
func (f *File) Stream(entries string, data []byte) int {
	return f.Add(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data))
}

// Bytes ends the file: its catalog is the object root.
func (f *File) Bytes(root int) []byte {
	at := f.b.Len()
	fmt.Fprintf(&f.b, "xref\n0 %d\n0000000000 65535 f \n", len(f.offsets)+1)
	for _, o := range f.offsets {
		fmt.Fprintf(&f.b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&f.b, "trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets)+1, root, at)
	return f.b.Bytes()
}

// Deflated compresses data as FlateDecode reads it.
func Deflated(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(data) // a buffer takes all
	_ = z.Close()
	return b.Bytes()
}

// PDF makes a PDF with a page for each text; each line of a text is one on the page.
func PDF(pages ...string) []byte {
	var f File
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	const perPage = 2
	tree := font + perPage*len(pages) + 1
	var kids strings.Builder
	for _, text := range pages {
		var c strings.Builder
		c.WriteString("BT /F1 12 Tf 14 TL 72 720 Td\n")
		for line := range strings.SplitSeq(text, "\n") {
			fmt.Fprintf(&c, "(%s) Tj T*\n", strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line))
		}
		c.WriteString("ET")
		content := f.Stream("", []byte(c.String()))
		page := f.Add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "+
			"/Resources << /Font << /F1 %d 0 R >> >> >>", tree, content, font))
		fmt.Fprintf(&kids, "%d 0 R ", page)
	}
	f.Add(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(pages)))
	return f.Bytes(f.Add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", tree)))
}

// DOCX makes a DOCX with a paragraph for each text.
func DOCX(paragraphs ...string) []byte {
	var body strings.Builder
	for _, p := range paragraphs {
		text := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(p)
		fmt.Fprintf(&body, `<w:p><w:r><w:t xml:space="preserve">%s</w:t></w:r></w:p>`, text)
	}
	const types = `<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override ` +
		`PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
	const relations = `<?xml version="1.0" encoding="UTF-8"?><Relationships ` +
		`xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Target="word/document.xml" ` +
		`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>`
	return Archive("[Content_Types].xml", types, "_rels/.rels", relations, "word/document.xml", Document(body.String()))
}

// Document is the main part of a DOCX with a body.
func Document(body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` +
		body + `</w:body></w:document>`
}

// Archive makes a zip archive of names and contents, in turn.
func Archive(parts ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(parts); i += 2 {
		if f, err := z.Create(parts[i]); err == nil { // a buffer takes all
			_, _ = f.Write([]byte(parts[i+1]))
		}
	}
	_ = z.Close()
	return b.Bytes()
}
