package documents_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"parley/pkg/documents"
)

// TestWordsOfPDFs compares the words of real PDFs with those of pdftotext. PARLEY_PDFS names a folder with
// at least 50 of them; those of Debian's documentation packages were used.
//
// The measure: both texts are normalised (NFKC, so that a ligature is its letters), and each word counts as
// often as it occurs. The figure is how many of pdftotext's words the reader's text has as well. Words as a
// search has them, runs of letters and digits, must reach 99 % in 50 documents at least, 95 % in each other one, and 99 %
// in the whole; words between spaces, with their punctuation, must reach 99 % in the whole. In some documents
// pdftotext itself loses letters, as ligatures of old fonts, or writes an angle bracket as "h".
func TestWordsOfPDFs(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("PARLEY_PDFS") //nolint:forbidigo // names test material outside of the tree
	if folder == "" {
		t.Skip("PARLEY_PDFS names no folder of PDFs")
	}
	r := readerFor(t)
	files, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%s has %d PDFs, fewer than 50: %v", folder, len(files), err)
	}
	const least, floor, enough = 0.99, 0.95, 50
	reached := 0
	var plain, spaced share
	for _, name := range files {
		out, err := exec.CommandContext(t.Context(), "pdftotext", name, "-").Output()
		if err != nil {
			t.Fatalf("pdftotext %s: %v", name, err)
		}
		ours := textOf(t, r, name)
		own := compare(runs(string(out)), runs(ours))
		plain.add(own)
		spaced.add(compare(strings.Fields(norm.NFKC.String(string(out))), strings.Fields(norm.NFKC.String(ours))))
		t.Logf("%.4f of %d words: %s", own.of(), own.all, filepath.Base(name))
		if own.of() >= least {
			reached++
		}
		if own.of() < floor {
			t.Errorf("%s has %.4f of the words", filepath.Base(name), own.of())
		}
	}
	if reached < enough {
		t.Errorf("%d documents reach %v, fewer than %d", reached, least, enough)
	}
	t.Logf("%d PDFs: %.4f of %d words, %.4f of %d words with their punctuation", len(files), plain.of(), plain.all, spaced.of(), spaced.all)
	if plain.of() < least || spaced.of() < least {
		t.Error("the reader does not give 99 % of the words")
	}
}

// textOf reads a PDF.
func textOf(t *testing.T, r *documents.Reader, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := r.Read(t.Context(), documents.File{Name: name, Content: f})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var b strings.Builder
	for _, s := range d.Sections {
		b.WriteString(s.Text + "\n")
	}
	return b.String()
}

// runs are the words of a text: letters and digits.
func runs(s string) []string {
	return strings.FieldsFunc(norm.NFKC.String(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// share is how many of all words are there.
type share struct{ there, all int }

func (s *share) add(o share) { s.there, s.all = s.there+o.there, s.all+o.all }

func (s *share) of() float64 { return float64(s.there) / float64(max(s.all, 1)) }

func compare(want, got []string) (s share) {
	left := map[string]int{}
	for _, w := range got {
		left[w]++
	}
	for _, w := range want {
		s.all++
		if left[w] > 0 {
			left[w]--
			s.there++
		}
	}
	return s
}
