package documents_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/papers"
	"parley/pkg/documents"
)

// readerFor gives a reader with a real sandbox, or skips the test.
func readerFor(t *testing.T) *documents.Reader {
	t.Helper()
	r := documents.New()
	if err := r.Available(); err != nil {
		t.Skip(err)
	}
	return r
}

// docx makes a document of Office Open XML with a body, and further parts.
func docx(body string, others ...string) []byte {
	return papers.Archive(append([]string{"word/document.xml", papers.Document(body)}, others...)...)
}

func paragraph(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }

const styles = `<w:styles xmlns:w="w"><w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>`

func TestRead(t *testing.T) {
	t.Parallel()
	r := readerFor(t)
	section := func(s ...documents.Section) []documents.Section { return s }
	for name, c := range map[string]struct {
		file    string
		content string
		kind    documents.Kind
		want    []documents.Section
	}{
		"text":    {"a.txt", "one\r\n\r\n\r\ntwo  \n", documents.Text, section(documents.Section{Text: "one\n\ntwo"})},
		"utf-16":  {"a.txt", "\xff\xfeh\x00\xe9\x00", documents.Text, section(documents.Section{Text: "hé"})},
		"cp1252":  {"a.txt", "caf\xe9 \x80", documents.Text, section(documents.Section{Text: "café €"})},
		"csv":     {"a.csv", "a,b\n1,2\n", documents.CSV, section(documents.Section{Text: "a,b\n1,2"})},
		"json":    {"a.json", `{"a": [1]}`, documents.JSON, section(documents.Section{Text: `{"a": [1]}`})},
		"unnamed": {"", "<!DOCTYPE html><p>x", documents.HTML, section(documents.Section{Text: "x"})},
		"markdown": {"a.md", "above\n# One #\ntext\n```\n# no heading\n```\n## Two\n", documents.Markdown, section(
			documents.Section{Text: "above"}, documents.Section{Heading: "One", Level: 1, Text: "text\n```\n# no heading\n```"},
			documents.Section{Heading: "Two", Level: 2})},
		"html": {"a.html", `<html><head><title>T</title><script>var x = "no"</script><style>p{}</style></head><body>
			<h1>One <em>more</em></h1><p>A  line<br>and <b>an</b>other</p><div style="display: none"><p>no</div><ul><li>x<li>y</ul>
			<h2>Two</h2><table><tr><td>a<td>b<tr><td>c</table><pre>  keep
    this</pre></body></html>`, documents.HTML, section(
			documents.Section{Text: "T"}, documents.Section{Heading: "One more", Level: 1, Text: "A line\nand another\n\n- x\n- y"},
			documents.Section{Heading: "Two", Level: 2, Text: "a b\nc\n\n  keep\n    this"})},
		"pdf": {"a.pdf", string(papers.PDF("First page\nwith two lines", "Second (page)")), documents.PDF, section(
			documents.Section{Page: 1, Text: "First page\nwith two lines"}, documents.Section{Page: 2, Text: "Second (page)"})},
		"docx": {"a.docx", string(docx(`<w:p><w:pPr><w:pStyle w:val="berschrift2"/></w:pPr>`+
			`<w:r><w:t>The </w:t></w:r><w:r><w:t>heading</w:t></w:r></w:p>`+paragraph("First &amp; last")+
			`<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>`+
			`<w:p><w:pPr><w:pStyle w:val="berschrift2"/><w:pPrChange><w:pPr><w:pStyle w:val="before"/></w:pPr></w:pPrChange></w:pPr>`+
			`<w:r><w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>Shown now</w:t></w:r></w:p>`+
			`<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>added</w:t></w:r></w:ins></w:p>`+
			`<w:tbl><w:tr><w:tc>`+paragraph("1")+`</w:tc><w:tc>`+paragraph("2")+`</w:tc></w:tr></w:tbl>`,
			"word/styles.xml", styles, "word/footnotes.xml", `<w:footnotes xmlns:w="w"><w:footnote>`+paragraph("a note")+
				`</w:footnote></w:footnotes>`)), documents.DOCX, section(
			documents.Section{Heading: "The heading", Level: 2, Text: "First & last\n\na\tb"},
			documents.Section{Heading: "Shown now", Level: 2, Text: "added\n\n1 | 2\n\na note"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := r.Read(t.Context(), documents.File{Name: c.file, Content: strings.NewReader(c.content)})
			if err != nil {
				t.Fatal(err)
			}
			if d.Kind != c.kind {
				t.Errorf("the kind is %q, want %q", d.Kind, c.kind)
			}
			if diff := cmp.Diff(c.want, d.Sections); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestHTMLInUTF8 reads pages whose beginning does not tell their encoding.
func TestHTMLInUTF8(t *testing.T) {
	t.Parallel()
	long := "<p>" + strings.Repeat("plain words ", 100) + "</p>"
	for name, c := range map[string]struct{ page, want string }{
		"letters behind the beginning": {long + "<h1>Größe</h1>", "Größe"},
		"a declaration behind it":      {"<style>" + long + "</style><meta charset=utf-8><h1>Größe</h1>", "Größe"},
		"Windows-1252":                 {long + "<h1>Gr\xf6\xdfe</h1>", "Größe"},
		"another declaration":          {"<meta charset=koi8-r><h1>\xf0</h1>", "П"},
		"one of seven bits":            {"<meta charset=iso-2022-jp><h1>\x1b$B$\"\x1b(B</h1>", "あ"},
	} {
		d, err := documents.Parse(documents.HTML, []byte(c.page))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Sections[len(d.Sections)-1].Heading; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestHiddenElements reads pages with elements that a browser does not show, also where their ends are left out or mixed up.
func TestHiddenElements(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"a<p hidden>no</p>b":                                                            "a\n\nb\n",
		"<p style='display: none'>no <b>no</b> no<p>a":                                  "a\n",
		"<p hidden>no<h1>a</h1>b":                                                       "# a\n\nb\n",
		"<div><p hidden>no<b>no</div>a":                                                 "a\n",
		"<p hidden>no<br>no<select><option>no</select>no<div>a</div>":                   "a\n",
		"<ul><li hidden>no<ul><li>no</ul>no</li><li>a</ul>b":                            "- a\n\nb\n",
		"<ul><li>a<li hidden>no<b>no<li>b<li hidden>no</ul>c":                           "- a\n- b\n\nc\n",
		"<dl><dt>a<dd hidden>no<dl><dt>no<dd>no</dl>no<dt>b</dl>":                       "a\nb\n",
		"<table><tr hidden><td>no<th>no<tr><td>a<td hidden>no<td>b</table>":             "a b\n",
		"<table><tr hidden><td>no<table><tr><td>no</table>no<tr><td>a</table>":          "a\n",
		"<table><tbody hidden><tr><td>no<tr><td>no<tbody><tr><td>a</table>b":            "a\n\nb\n",
		"<table><tr><td><p hidden>no</td><td>a</table>":                                 "a\n",
		"<select><option hidden>no<option>a<option hidden>no</select>b":                 "a\nb\n",
		"<div hidden><p>no<ul><li>no</ul></p>no<li>no</div>a":                           "a\n",
		"<div hidden><b>no<div>no</div>no</div>a<b>b</b>":                               "ab\n",
		"<h1>a<span hidden>no</span> b</h1><svg><g><path/>no</svg>c":                    "# a b\n\nc\n",
		"<pre>a<pre hidden>no</pre> b  c</pre>":                                         "a\n\n b  c\n",
		"<p>a<input hidden>bc":                                                          "abc\n",
		strings.Repeat("<div hidden>no", 1000) + strings.Repeat("no</div>", 1000) + "a": "a\n",
	} {
		d, err := documents.Parse(documents.HTML, []byte(page))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.String(); got != want {
			t.Errorf("%.80s: %q, want %q", page, got, want)
		}
	}
}

// TestDamaged reads documents that cannot be read: each ends in one plain sentence, and the
// process of the gateway is as before.
func TestDamaged(t *testing.T) {
	t.Parallel()
	r := readerFor(t)
	whole := docx(paragraph("words"))
	deep := docx(strings.Repeat("<w:p>", 100_000))
	for name, c := range map[string]struct {
		file string
		data []byte
		want string
	}{
		"binary":        {"a.bin", []byte("\x00\x01\x02"), "no format that can be read"},
		"no docx":       {"a.docx", []byte("PK\x03\x04 no archive"), "The file is damaged: it is no DOCX that can be read."},
		"cut docx":      {"a.docx", whole[:len(whole)/2], "The file is damaged: it is no DOCX that can be read."},
		"other zip":     {"a.docx", papers.Archive("word/other.xml", ""), "The file is no DOCX: it has no document in it."},
		"cut pdf":       {"a.pdf", []byte("%PDF-1.4\n1 0 obj << /Type /Catalog"), "The file is damaged: it is no PDF that can be read."},
		"encrypted":     {"a.pdf", encrypted(), "The PDF is encrypted; send it without a password."},
		"broken xml":    {"a.docx", docx("<w:p><w:r>"), "The file is damaged: it is no DOCX that can be read."},
		"deep nesting":  {"a.docx", deep, "The file is damaged: it is no DOCX that can be read."},
		"archive in it": {"a.docx", papers.Archive("word/document.xml", string(whole)), "The file is damaged: it is no DOCX that can be read."},
		"many parts":    {"a.docx", papers.Archive(make([]string, 2*10_001)...), "The DOCX has more than the 10000 parts that are read."},
		"entities":      {"a.docx", papers.Archive("word/document.xml", laughs()), "The file is damaged: it is no DOCX that can be read."},
		"too large":     {"a.txt", bytes.Repeat([]byte("a"), documents.MaxSize+1), "The document is larger than the 32 MB that are read."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := r.Read(t.Context(), documents.File{Name: c.file, Content: bytes.NewReader(c.data)})
			e, ok := errors.AsType[*documents.Error](err)
			if !ok || !strings.Contains(e.Reason, c.want) {
				t.Errorf("the answer is %v, want %q", err, c.want)
			}
		})
	}
}

// encrypted is a PDF that says it is encrypted.
func encrypted() []byte {
	return bytes.Replace(papers.PDF("secret"), []byte("/Size"), []byte("/Encrypt << /Filter /Standard /V 2 >> /Size"), 1)
}

// TestBombs reads documents that are small and would be huge: the answer comes within the bounds.
func TestBombs(t *testing.T) {
	t.Parallel()
	r := readerFor(t)
	t.Run("zip bomb", func(t *testing.T) {
		t.Parallel()
		bomb := docx("<w:p><w:r><w:t>" + strings.Repeat(" ", 40<<20) + "</w:t></w:r></w:p>")
		if len(bomb) > 1<<20 {
			t.Fatalf("the bomb has %d bytes", len(bomb))
		}
		_, err := r.Read(t.Context(), documents.File{Name: "bomb.docx", Content: bytes.NewReader(bomb)})
		if e, ok := errors.AsType[*documents.Error](err); !ok || !strings.Contains(e.Reason, "too large") {
			t.Errorf("the answer is %v", err)
		}
	})
	t.Run("10,000 pages", func(t *testing.T) {
		t.Parallel()
		pages := make([]string, 10_000)
		for i := range pages {
			pages[i] = fmt.Sprintf("This is page %d.", i+1)
		}
		d, err := r.Read(t.Context(), documents.File{Name: "long.pdf", Content: bytes.NewReader(papers.PDF(pages...))})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(d.Sections); n == 0 || n > documents.MaxPages || d.Pages != len(pages) {
			t.Fatalf("%d of %d pages", n, d.Pages)
		}
		if want := fmt.Sprintf("The text ends here, after page %d; the document has 10000 pages.", len(d.Sections)); d.Note != want {
			t.Errorf("the note is %q, want %q", d.Note, want)
		}
	})
	t.Run("stream bomb", func(t *testing.T) {
		t.Parallel()
		inner := papers.Deflated(bytes.Repeat([]byte("(a) Tj "), 4<<20))
		var f papers.File
		content := f.Stream("/Filter [/FlateDecode /FlateDecode]", papers.Deflated(inner))
		kids := strings.Repeat(fmt.Sprintf("<< /Type /Page /Contents [%s] >> ", strings.Repeat(fmt.Sprintf("%d 0 R ", content), 100)), 100)
		bomb := f.Bytes(f.Add("<< /Type /Catalog /Pages << /Kids [" + kids + "] /Count 100 >> >>"))
		if len(bomb) > 1<<20 {
			t.Fatalf("the bomb has %d bytes", len(bomb))
		}
		d, err := r.Read(t.Context(), documents.File{Name: "bomb.pdf", Content: bytes.NewReader(bomb)})
		if e, ok := errors.AsType[*documents.Error](err); err != nil && !ok || ok && e.Unavailable {
			t.Fatalf("the answer is %v", err)
		}
		if d != nil && d.Note == "" {
			t.Error("there is no note")
		}
	})
	t.Run("long text", func(t *testing.T) {
		t.Parallel()
		long := docx(strings.Repeat(paragraph("A sentence of some words that comes again and again."), 90_000))
		d, err := documents.Parse(documents.DOCX, long) // here: no limit of time is meant
		if err != nil {
			t.Fatal(err)
		}
		if n := len(d.String()); n > documents.MaxText+1000 || n < documents.MaxText/2 {
			t.Errorf("the text has %d bytes", n)
		}
		if !strings.Contains(d.Note, "ends here, after 4 MB") {
			t.Errorf("the note is %q", d.Note)
		}
	})
}

func TestWithoutSandbox(t *testing.T) {
	t.Parallel()
	r := documents.NewWith(none{})
	read := func(name, content string) error {
		_, err := r.Read(t.Context(), documents.File{Name: name, Content: strings.NewReader(content)})
		return err
	}
	if err := read("a.md", "# text"); err != nil {
		t.Errorf("Markdown needs no sandbox: %v", err)
	}
	e, ok := errors.AsType[*documents.Error](read("a.html", "<html>"))
	const want = "PDF, DOCX and HTML are not read here, because they are parsed in a sandbox only: no sandbox here: none."
	if !ok || !e.Unavailable || e.Reason != want {
		t.Errorf("the answer is %v", e)
	}
}
