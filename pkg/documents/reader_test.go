package documents_test

import (
	"context"
	"errors"
	"strings"
	"testing"

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
