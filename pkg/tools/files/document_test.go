package files_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"parley/internal/test/papers"
	"parley/pkg/documents"
	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

// read is a result of read_file.
type read struct {
	Content, Encoding, Format, Note string
	Pages                           int
	Truncated                       bool
	NextOffset                      int64 `json:"next_offset"`
}

// documentBox is a box whose tools read documents, in a real sandbox.
func documentBox(t *testing.T, content map[string]string) *box {
	t.Helper()
	r := documents.New()
	if err := r.Available(); err != nil {
		t.Skip(err)
	}
	b := newBox(t, content)
	b.registry = tools.NewToolRegistry()
	for _, tool := range files.New(files.Options{Documents: r}) {
		b.registry.Register(tool)
	}
	return b
}

func TestReadDocuments(t *testing.T) {
	t.Parallel()
	b := documentBox(t, map[string]string{
		"house.pdf": string(papers.PDF("The house", "The door code is 4711.")), "house.docx": string(papers.DOCX("The house", "4711")),
		"plain.pdf": "no PDF", "other.docx": string(papers.Archive("a.txt", "b")), "page.html": "<p>source</p>",
	})
	t.Run("pdf", func(t *testing.T) {
		t.Parallel()
		res := b.call(t.Context(), "read_file", args("path", "house.pdf"))
		doc, err := os.ReadFile("../../../docs/documents.md")
		if err != nil || res.IsError || !strings.Contains(string(doc), res.ForLLM) {
			t.Errorf("docs/documents.md has another result than %s, %v", res.ForLLM, err)
		}
	})
	t.Run("in parts", func(t *testing.T) {
		t.Parallel()
		var whole, first, second read
		b.decode(t, "read_file", args("path", "house.docx"), &whole)
		b.decode(t, "read_file", args("path", "house.docx", "limit", 5), &first)
		b.decode(t, "read_file", args("path", "house.docx", "offset", first.NextOffset), &second)
		if whole.Content != "The house\n\n4711\n" || whole.Format != "docx" || first.Content != "The h" || !first.Truncated ||
			first.Content+second.Content != whole.Content || second.Truncated {
			t.Errorf("the parts are %+v and %+v of %+v", first, second, whole)
		}
	})
	t.Run("other content", func(t *testing.T) {
		t.Parallel()
		for name, want := range map[string]string{"plain.pdf": "no PDF", "page.html": "<p>source</p>"} {
			var got read
			if b.decode(t, "read_file", args("path", name), &got); got.Content != want || got.Format != "" || got.Encoding != "utf-8" {
				t.Errorf("%s is %+v", name, got)
			}
		}
	})
	t.Run("damaged", func(t *testing.T) {
		t.Parallel()
		res := b.call(t.Context(), "read_file", args("path", "other.docx"))
		var e struct{ Type, Message string }
		const want = "other.docx: The file is no DOCX: it has no document in it."
		if err := json.Unmarshal([]byte(res.ForLLM), &e); err != nil || e.Message != want {
			t.Errorf("the answer is %s, %v", res.ForLLM, err)
		}
	})
}
