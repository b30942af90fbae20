package pdf_test

import (
	"bytes"
	"compress/lzw"
	"encoding/ascii85"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/internal/test/papers"
	"parley/pkg/documents/pdf"
)

// read gives the pages of a file.
func read(b []byte) (pages []string, err error) {
	_, err = pdf.Read(b, func() bool { return false }, func(p pdf.Page) bool {
		pages = append(pages, p.Text)
		return len(pages) < 100
	})
	return pages, err
}

// one makes a file of one page with a content, a font as F1, and further resources.
func one(content, font, resources string) []byte {
	var f papers.File
	c := f.Stream("", []byte(content))
	return onePage(&f, c, font, resources)
}

func onePage(f *papers.File, content int, font, resources string) []byte {
	page := fmt.Sprintf("<< /Type /Page /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 %s >> %s >> >>",
		content, font, resources)
	return f.Bytes(f.Add("<< /Type /Catalog /Pages << /Count 1 /Kids [" + page + "] >> >>"))
}

const (
	helvetica = "<< /Subtype /Type1 /BaseFont /Helvetica >>"
	windows   = "<< /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
	begin     = "BT /F1 10 Tf 72 700 Td "
)

func TestText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, font, resources, want string }{
		"strings":       {begin + `(a\(b\)\101\\) Tj ET`, "", "", `a(b)A\`},
		"hex":           {begin + `<48 656C6c6F> Tj ET`, "", "", "Hello"},
		"kerning":       {begin + `[(Wo) 30 (rd) -400 (next)] TJ ET`, "", "", "Word next"},
		"lines":         {begin + `12 TL (one) Tj (two) ' T* (three) Tj ET`, "", "", "one\ntwo\nthree"},
		"hyphen":        {begin + `12 TL (hyphen-) Tj (ated) ' (pre-) ' (War) ' ET`, "", "", "hyphenated\npre-\nWar"},
		"rise":          {begin + `(x) Tj /F1 7 Tf 4 Ts (2) Tj ET`, "", "", "x2"},
		"moved apart":   {begin + `(one) Tj 60 0 Td (two) Tj ET`, "", "", "one two"},
		"turned":        {"BT /F1 10 Tf 0 1 -1 0 300 300 Tm (up) Tj ET", "", "", "up"},
		"twice":         {begin + `(bold) Tj ET BT /F1 10 Tf 72.2 700 Td (bold) Tj ET`, "", "", "bold"},
		"outside":       {begin + `(in) Tj ET BT /F1 10 Tf 9000 0 Td (out) Tj ET`, "", "", "in"},
		"word spacing":  {begin + `20 Tw (a b) Tj ET`, "", "", "a b"},
		"picture":       {"BI /W 1 /H 1 /BPC 8 ID \x00(no)Tj EI " + begin + "(yes) Tj ET", "", "", "yes"},
		"actual text":   {begin + `/Span << /ActualText (fi) >> BDC (\001\002) Tj EMC (t) Tj ET`, "", "", "fit"},
		"accent before": {begin + `(M) Tj 8.33 0 Td (\250) Tj 0 0 Td (o) Tj ET`, windows, "", "Mö"},
		"differences": {
			begin + `(\001\002\003\004\005\006) Tj ET`,
			"<< /Subtype /Type1 /BaseFont /X /Encoding << /Differences [1 /fi /Aacute /uni20AC 4 /f_i /a.sc /a65] >> >>", "", "ﬁÁ€fiaA",
		},
		"missing font": {"BT /F2 10 Tf 72 700 Td (no font) Tj ET", "", "", "no font"},
		"symbol":       {begin + `(abc) Tj ET`, "<< /Subtype /Type1 /BaseFont /Symbol >>", "", "αβχ"},
		"nonsense":     {"q Q Q ) ] >> 1 2 3 cm Tj TJ ' \" Td Tm " + begin + "(words) Tj ET", "", "", "words"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			font := c.font
			if font == "" {
				font = helvetica
			}
			pages, err := read(one(c.content, font, c.resources))
			if err != nil || len(pages) != 1 || pages[0] != c.want {
				t.Errorf("the text is %q, %v; want %q", pages, err, c.want)
			}
		})
	}
}

// TestFonts reads text whose characters are in the font's own map or program.
func TestFonts(t *testing.T) {
	t.Parallel()
	const cmap = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange
2 beginbfrange <0001> <0003> <0061> <0004> <0005> [<00660069> <D835DC00>] endbfrange 1 beginbfchar <0006> <4E2D> endbfchar endcmap`
	t.Run("ToUnicode", func(t *testing.T) {
		t.Parallel()
		var f papers.File
		m := f.Stream("", []byte(cmap))
		c := f.Stream("", []byte(begin+"<000100020003000400050006> Tj ET"))
		font := fmt.Sprintf("<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode %d 0 R "+
			"/DescendantFonts [<< /DW 500 /W [1 [500 500] 3 9 600] >>] >>", m)
		if pages, err := read(onePage(&f, c, font, "")); err != nil || len(pages) != 1 || pages[0] != "abcfi\U0001D400中" {
			t.Errorf("the text is %q, %v", pages, err)
		}
	})
	t.Run("Type 1", func(t *testing.T) {
		t.Parallel()
		var f papers.File
		program := f.Stream("", []byte("%!PS-AdobeFont\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\n"+
			"dup 1 /Delta put\ndup 2 /fl put\nreadonly def\neexec"))
		c := f.Stream("", []byte(begin+`(\001\002) Tj ET`))
		font := fmt.Sprintf("<< /Subtype /Type1 /BaseFont /X /FirstChar 1 /Widths [500 500] /FontDescriptor << /FontFile %d 0 R >> >>", program)
		if pages, err := read(onePage(&f, c, font, "")); err != nil || len(pages) != 1 || pages[0] != "∆ﬂ" {
			t.Errorf("the text is %q, %v", pages, err)
		}
	})
}

// TestFilters reads one content through each filter.
func TestFilters(t *testing.T) {
	t.Parallel()
	plain := []byte(begin + "(filtered words) Tj ET")
	var squeezed bytes.Buffer
	w := lzw.NewWriter(&squeezed, lzw.MSB, 8) // in a short text, both ways to widen codes are one
	_, _ = w.Write(plain)
	_ = w.Close()
	letters := make([]byte, ascii85.MaxEncodedLen(len(plain)))
	letters = letters[:ascii85.Encode(letters, plain)]
	row := len(plain)
	up := append([]byte{2}, plain...)
	for name, c := range map[string]struct {
		entries string
		data    []byte
	}{
		"flate":      {"/Filter /FlateDecode", papers.Deflated(plain)},
		"cut flate":  {"/Filter /FlateDecode", papers.Deflated(append(plain, make([]byte, 100)...))[:len(papers.Deflated(plain))-6]},
		"lzw":        {"/Filter [/LZWDecode]", squeezed.Bytes()},
		"ascii85":    {"/Filter /A85", append(letters, "~>"...)},
		"hex":        {"/Filter /ASCIIHexDecode", []byte(hex.EncodeToString(plain) + ">")},
		"run length": {"/Filter /RunLengthDecode", append(append([]byte{byte(row - 1)}, plain...), 128)},
		"chain":      {"/Filter [/ASCIIHexDecode /FlateDecode]", []byte(hex.EncodeToString(papers.Deflated(plain)))},
		"predictor":  {fmt.Sprintf("/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns %d >>", row), papers.Deflated(up)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f papers.File
			content := f.Stream(c.entries, c.data)
			pages, err := read(onePage(&f, content, helvetica, ""))
			if err != nil || len(pages) != 1 || !strings.HasPrefix(pages[0], "filtered words") && name != "cut flate" {
				t.Errorf("the text is %q, %v", pages, err)
			}
		})
	}
}

// TestDamagedFiles reads files whose tables are wrong, missing or go in circles.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	whole := papers.PDF("the first page", "the second")
	table := bytes.Index(whole, []byte("xref\n"))
	for name, data := range map[string][]byte{
		"no table":        whole[:table],
		"wrong offsets":   bytes.ReplaceAll(whole, []byte(" 00000 n"), []byte("1 00000 n")),
		"bytes before":    append([]byte("junk\n"), whole...),
		"table in a loop": bytes.Replace(whole, []byte("/Root"), fmt.Appendf(nil, "/Prev %d /Root", table), 1),
		"no end":          bytes.Replace(whole, []byte("startxref"), []byte("startxxxx"), 1),
		"wrong lengths":   bytes.ReplaceAll(whole, []byte("/Length "), []byte("/Length 9")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages, err := read(data)
			if err != nil || len(pages) != 2 || pages[0] != "the first page" || pages[1] != "the second" {
				t.Errorf("the pages are %q, %v", pages, err)
			}
		})
	}
}

// TestLoops reads files in which things are within themselves, or very deep.
func TestLoops(t *testing.T) {
	t.Parallel()
	var tree, form papers.File
	tree.Add("<< /Type /Pages /Kids [1 0 R 1 0 R] /Count 2 >>")
	form.Stream("/Subtype /Form /Resources << /XObject << /X 1 0 R >> >>", []byte("/X Do /X Do "+begin+"(deep) Tj ET"))
	content := form.Stream("", []byte("/X Do"))
	for name, data := range map[string][]byte{
		"tree in itself":        tree.Bytes(tree.Add("<< /Type /Catalog /Pages 1 0 R >>")),
		"form in itself":        onePage(&form, content, helvetica, "/XObject << /X 1 0 R >>"),
		"reference to itself":   (&papers.File{}).Bytes(1),
		"arrays in each other":  one(strings.Repeat("[", 1<<20)+" "+begin+"(x) Tj", helvetica, ""),
		"strings in each other": one(strings.Repeat("(", 1<<20), helvetica, ""),
		"dictionaries":          append([]byte("%PDF-1.4\n1 0 obj\n"), strings.Repeat("<</A", 1<<20)...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages, err := read(data)
			if err != nil && len(pages) > 0 {
				t.Errorf("%d pages, %v", len(pages), err)
			}
			if name == "form in itself" && len(pages) != 1 {
				t.Errorf("%d pages, %v", len(pages), err)
			}
		})
	}
	if _, err := read([]byte("%PDF-1.4")); err == nil || errors.Is(err, pdf.ErrEncrypted) {
		t.Errorf("an empty file: %v", err)
	}
}
