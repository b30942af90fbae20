package documents_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/documents"
	"parley/pkg/sandbox"
)

// helper is a sandbox whose programs answer by a function.
type helper func(sandbox.Command) (sandbox.Result, error)

func (helper) Available() error { return nil }

func (h helper) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) { return h(c) }

// TestAHelperIsNotBelieved lets the process that parsed a stranger's bytes answer something that no reader of ours does.
func TestAHelperIsNotBelieved(t *testing.T) {
	t.Parallel()
	read := func(answer string) (*documents.Document, error) {
		r := documents.NewWith(helper(func(sandbox.Command) (sandbox.Result, error) {
			return sandbox.Result{Stdout: []byte(answer)}, nil
		}))
		return r.Read(t.Context(), documents.File{Name: "a.html", Content: strings.NewReader("<html>")})
	}
	for name, answer := range map[string]string{
		"nothing":        `{}`,
		"null":           `null`,
		"no document":    `{"document":null}`,
		"a long text":    `{"document":{"sections":[{"text":"` + strings.Repeat("a", 4*documents.MaxText) + `"}]}}`,
		"long headings":  `{"document":{"sections":[{"level":1,"heading":"` + strings.Repeat("a", 4*documents.MaxText) + `"}]}}`,
		"a long note":    `{"document":{"note":"` + strings.Repeat("a", 4<<10) + `"}}`,
		"a long reason":  `{"failed":"` + strings.Repeat("a", 4<<10) + `"}`,
		"many sections":  `{"document":{"sections":[{}` + strings.Repeat(",{}", documents.MaxText/8) + `]}}`,
		"a wrong number": `{"document":{"sections":[{"level":1e99}]}}`,
	} {
		d, err := read(answer)
		e, ok := errors.AsType[*documents.Error](err)
		if !ok || e.Unavailable || !strings.HasPrefix(e.Reason, "The html is damaged, or takes more than") {
			t.Errorf("%s: the answer is %v, %.200v", name, d, err)
		}
	}
	d, err := read(`{"document":{"kind":"pdf","pages":-3,"sections":[
		{"heading":"a","level":-1,"text":"x"},{"heading":"b","level":70000,"page":-1},{"level":3},{"heading":"c","text":"y"}]}}`)
	want := &documents.Document{Kind: documents.HTML, Sections: []documents.Section{
		{Heading: "a", Level: 1, Text: "x"}, {Heading: "b", Level: 6}, {}, {Heading: "c", Level: 1, Text: "y"},
	}}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	if text := d.String(); !strings.HasPrefix(text, "# a\n\nx\n") {
		t.Errorf("the text is %q", text)
	}
}

// TestABusyMachine: a helper that had no time, or was killed, says little about its document.
func TestABusyMachine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		res     sandbox.Result
		hurried bool
	}{
		"no time":   {sandbox.Result{TimedOut: true, ExitCode: 137}, true},
		"killed":    {sandbox.Result{ExitCode: 128 + 9}, true},
		"no memory": {sandbox.Result{ExitCode: 2}, false},
		"a limit":   {sandbox.Result{ExitCode: 137, Limit: "memory"}, false},
		"refused":   {sandbox.Result{Stdout: []byte(`{"failed":"The PDF is encrypted."}`)}, false},
	} {
		r := documents.NewWith(helper(func(sandbox.Command) (sandbox.Result, error) { return c.res, nil }))
		_, err := r.Read(t.Context(), documents.File{Name: "a.html", Content: strings.NewReader("<html>")})
		e, ok := errors.AsType[*documents.Error](err)
		if !ok || e.Hurried != c.hurried {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

// TestHeadingsAreBounded reads a page of headings alone: they count as the text does.
func TestHeadingsAreBounded(t *testing.T) {
	t.Parallel()
	d, err := documents.Parse(documents.HTML, []byte(strings.Repeat("<h1>a heading</h1>", documents.MaxText/8)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.String()); n > documents.MaxText || n < documents.MaxText/4 || !strings.Contains(d.Note, "ends here, after 4 MB") {
		t.Errorf("the text has %d bytes, the note is %q", n, d.Note)
	}
}

// TestTheLongestAnswerIsKeptWhole, and not much more of what a helper writes: JSON writes six bytes for a character
// that cannot be seen, and some 50 for a section of one letter.
func TestTheLongestAnswerIsKeptWhole(t *testing.T) {
	t.Parallel()
	kept := 0
	r := documents.NewWith(helper(func(c sandbox.Command) (sandbox.Result, error) {
		kept = c.MaxOutput
		return sandbox.Result{Stdout: []byte(`{"document":{}}`)}, nil
	}))
	if _, err := r.Read(t.Context(), documents.File{Name: "a.html", Content: strings.NewReader("<html>")}); err != nil {
		t.Fatal(err)
	}
	if kept > 7*documents.MaxText {
		t.Errorf("%d bytes of an answer are kept", kept)
	}
	for name, page := range map[string]string{
		"no letters": "<p>" + strings.Repeat("\x01", documents.MaxText-100), "headings": strings.Repeat("<h1>a</h1>", documents.MaxText/17),
	} {
		d, err := documents.Parse(documents.HTML, []byte(page))
		if err != nil || d.Note != "" {
			t.Fatalf("%s: %v, %v", name, d, err)
		}
		if raw, err := json.Marshal(map[string]any{"document": d}); err != nil || len(raw) > kept || len(raw) < 2*documents.MaxText {
			t.Errorf("%s: the answer has %d bytes, %v", name, len(raw), err)
		}
	}
}

// TestADocumentThatWaitsLiesInNoMemory counts the bytes that are read of a document before its helper process has a place.
func TestADocumentThatWaitsLiesInNoMemory(t *testing.T) {
	t.Parallel()
	page := strings.NewReader("<html>" + strings.Repeat("a", 1<<20))
	whole := page.Len()
	read := 0
	r := documents.NewWith(helper(func(c sandbox.Command) (sandbox.Result, error) {
		read = whole - page.Len()
		if n, err := io.Copy(io.Discard, c.Stdin); err != nil || n != int64(whole) {
			t.Errorf("the helper got %d of %d bytes, %v", n, whole, err)
		}
		return sandbox.Result{Stdout: []byte(`{"document":{}}`)}, nil
	}))
	if _, err := r.Read(t.Context(), documents.File{Name: "a.html", Content: page}); err != nil {
		t.Fatal(err)
	}
	if read > 8<<10 {
		t.Errorf("%d bytes were read before there was a place", read)
	}
}

// TestADocumentThatIsNotReadToItsEnd gives a document that is too large, or cannot be read on, to a real helper: what came
// of it is not taken for the document.
func TestADocumentThatIsNotReadToItsEnd(t *testing.T) {
	t.Parallel()
	r := readerFor(t)
	broken := errors.New("the disk is broken")
	page := "<html><p>" + strings.Repeat("a", 64<<10)
	for _, name := range []string{"a.html", "a.txt"} {
		_, err := r.Read(t.Context(), documents.File{
			Name: name, Content: io.MultiReader(strings.NewReader(page), iotest.ErrReader(broken)),
		})
		if _, refused := errors.AsType[*documents.Error](err); refused || !errors.Is(err, broken) {
			t.Errorf("%s: the answer is %v", name, err)
		}
		_, err = r.Read(t.Context(), documents.File{Name: name, Content: strings.NewReader(page + strings.Repeat("a", documents.MaxSize))})
		e, ok := errors.AsType[*documents.Error](err)
		if !ok || e.Unavailable || !strings.HasPrefix(e.Reason, "The document is larger than the 32 MB") {
			t.Errorf("%s: the answer is %v", name, err)
		}
	}
}
