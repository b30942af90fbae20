package corpora

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/corpus"
	"parley/pkg/documents"
	"parley/pkg/index/passage"
	"parley/pkg/sandbox"
)

// runner ends each command in one way.
type runner struct {
	res sandbox.Result
	err error
}

func (runner) Available() error { return nil }

func (r runner) Run(context.Context, sandbox.Command) (sandbox.Result, error) { return r.res, r.err }

// TestPassagesStayOnTheirPage: no line of a document passes for a page, a heading or the end of all of them.
func TestPassagesStayOnTheirPage(t *testing.T) {
	t.Parallel()
	d := &documents.Document{Sections: []documents.Section{
		{Page: 1, Text: "first\n# page 9\n   ## Signed by the board\nsecond\n```"},
		{Page: 2, Text: "# apt install it"},
		{Page: 2, Heading: "Leave", Level: 1, Text: "~~~\nthird"},
		{Page: 3, Text: "fourth"},
		{Page: 4},
		{Page: 5, Heading: "Signed", Level: 1},
	}}
	var got []string
	for p := range passage.Markdown(markdown(d)) {
		got = append(got, p.Heading+": "+strings.Join(strings.Fields(p.Text), " "))
	}
	want := []string{
		"page 1: first # page 9 ## Signed by the board second ```", "page 2: # apt install it", "page 2 > Leave: ~~~ third", "page 3: fourth",
		"page 5 > Signed: Signed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestWhoseFaultItIs: a fault of the machine may pass, and that of a document lasts as long as the file.
func TestWhoseFaultItIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, []byte("%PDF-1.7"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		runner runner
		passes error
	}{
		"a full disk":  {runner{err: errors.New("mkdir /a/secret/path: no space left on device")}, corpus.ErrUnavailable},
		"a hurry":      {runner{err: context.DeadlineExceeded}, corpus.ErrUnavailable},
		"no place":     {runner{err: fmt.Errorf("wait: %w", sandbox.ErrBusy)}, corpus.ErrUnavailable},
		"no time":      {runner{res: sandbox.Result{TimedOut: true}}, corpus.ErrHurried},
		"a broken PDF": {runner{res: sandbox.Result{Stdout: []byte(`{"failed":"The PDF is encrypted."}`)}}, nil},
	} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		_, err = read(documents.NewWith(c.runner), zerolog.New(&log))(t.Context(), "a.pdf", f)
		if err == nil || errors.Is(err, corpus.ErrUnavailable) != errors.Is(c.passes, corpus.ErrUnavailable) ||
			errors.Is(err, corpus.ErrHurried) != errors.Is(c.passes, corpus.ErrHurried) || strings.Contains(err.Error(), "/a/secret/path") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "a full disk" && !strings.Contains(log.String(), "no space left") {
			t.Errorf("the log is %s", &log)
		}
		_ = f.Close()
	}
}
