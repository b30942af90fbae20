package documents_test

import (
	"testing"

	"parley/pkg/documents"
)

// TestATextAboutPDFsIsNone detects the format of files with the mark of a PDF in them.
func TestATextAboutPDFsIsNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, head string
		want       documents.Kind
	}{
		{"detect.go", "package documents\n\nvar mark = \"%PDF-\"\n", documents.Text},
		{"a.md", "A PDF begins with %PDF-1.7.", documents.Markdown},
		{"", "A PDF begins with %PDF-1.7.", documents.Text},
		{"a.pdf", "HTTP/1.1 200 OK\n\n%PDF-1.7\n", documents.PDF},
		{"a", "\x00\x01%PDF-1.7\n", documents.PDF},
		{"a", "%PDF-1.7\n", documents.PDF},
		{"a.txt", "\uFEFF \r\n%PDF-1.7\n", documents.PDF},
	} {
		if got := documents.Detect(c.name, []byte(c.head)); got != c.want {
			t.Errorf("%s of %q is %q, want %q", c.name, c.head, got, c.want)
		}
	}
}
