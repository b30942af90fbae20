package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/corpus"
)

// TestNoLinkIsFollowed, no pipe is waited for, and a file with other names is not read.
func TestNoLinkIsFollowed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	outside := filepath.Join(filepath.Dir(p.dir), "outside")
	at := func(name string) string { return filepath.Join(p.dir, name) }
	p.writes("a.md", "alpacas graze", 0)
	p.writes("../outside/secret.md", "wombat", 0)
	p.writes("twice.md", "wombat", 0)
	for _, name := range []string{"a\n# Rules.md", "a\x1b[2J.md", "a\u2028b.md", "bill\u202efdp.md", "bill\u2067.md", "a\xff.md"} {
		p.writes(name, "wombat", 0)
	}
	err := errors.Join(
		os.Symlink(filepath.Join(outside, "secret.md"), at("link.md")), os.Symlink(outside, at("folder")),
		os.Symlink(outside, at("folder.md")), os.Symlink(p.dir, at("loop")),
		syscall.Mkfifo(at("pipe.md"), 0o600), os.Link(at("twice.md"), at("again.md")),
	)
	if err != nil {
		t.Fatal(err)
	}
	p.runs(nil, p.folder())
	s := p.until("a look", looked)
	if s.Files != 1 {
		t.Errorf("%d files are indexed", s.Files)
	}
	if got := p.finds("wombat", "docs"); got != nil {
		t.Errorf("found %q", got)
	}
	want := []string{
		"2 links are not followed", "7 names are no plain files: pipes, names with control characters, or too deep below the folder",
	}
	if d := cmp.Diff(want, s.Notes); d != "" {
		t.Error(d)
	}
	if len(s.Unread) != 2 || s.Unread[0].Why != "it has several names (hard links)" {
		t.Errorf("not read are %+v", s.Unread)
	}
}

// TestAFolderThatBecomesALink, or a pipe, is gone until it is a folder again; a link that was there at the start is followed.
func TestAFolderThatBecomesALink(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	top := filepath.Dir(p.dir)
	current, aside := filepath.Join(top, "current"), filepath.Join(top, "aside")
	p.writes("a.md", "alpacas graze", 0)
	p.writes("../outside/secret.md", "wombat", 0)
	if err := os.Symlink(p.dir, current); err != nil {
		t.Fatal(err)
	}
	p.runs(nil, corpus.Folder{Name: "docs", Dir: current})
	p.until("the folder behind the link", indexed(1))
	if err := errors.Join(os.Rename(p.dir, aside), os.Symlink(filepath.Join(top, "outside"), p.dir)); err != nil {
		t.Fatal(err)
	}
	p.waits("the end of the folder", func(s corpus.State) bool {
		return strings.Contains(s.Trouble, "another place") && s.Files == 0 && p.finds("alpacas", "docs") == nil
	})
	if got := p.finds("wombat", "docs"); got != nil {
		t.Errorf("found %q", got)
	}
	if err := errors.Join(os.Remove(p.dir), syscall.Mkfifo(p.dir, 0o600)); err != nil {
		t.Fatal(err)
	}
	p.waits("the pipe", func(s corpus.State) bool { return strings.Contains(s.Trouble, "not a directory") })
	if err := errors.Join(os.Remove(p.dir), os.Rename(aside, p.dir)); err != nil {
		t.Fatal(err)
	}
	p.until("the folder again", indexed(1))
}

// TestAFileIsNeverIndexedHalf: one that is swapped, or written to, while it is read is read again.
func TestAFileIsNeverIndexedHalf(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *place){
		"swapped": func(p *place) {
			p.writes("new", "second", 5)
			if err := os.Rename(filepath.Join(p.dir, "new"), filepath.Join(p.dir, "page.html")); err != nil {
				p.t.Error(err)
			}
		},
		"written": func(p *place) { p.writes("page.html", "second", 5) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.writes("page.html", "first", 0)
			p.writes("z.md", "last", 0)
			reads := 0
			p.runs(func(context.Context, string, *os.File) (corpus.Text, error) {
				if reads++; reads == 1 {
					change(p)
					return corpus.Text{Text: "alpacas graze"}, nil
				}
				return corpus.Text{Text: "badgers dig"}, nil
			}, p.folder())
			p.until("both files", indexed(2))
			if got := p.finds("alpacas", "docs"); got != nil {
				t.Errorf("found %q of the former file", got)
			}
			if got := p.finds("badgers", "docs"); len(got) != 1 {
				t.Errorf("found %q of the present file", got)
			}
		})
	}
}

// TestAFreshFileWaits, because the program that writes it may not be at its end.
func TestAFreshFileWaits(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writes("a.md", "alpacas graze", 0)
	ahead := time.Now().Add(time.Second)
	p.writes("b.md", "badgers", 0)
	if err := os.Chtimes(filepath.Join(p.dir, "b.md"), ahead, ahead); err != nil {
		t.Fatal(err)
	}
	p.runs(nil, p.folder())
	p.until("the settled file", func(s corpus.State) bool { return s.Files >= 1 })
	if got := p.finds("badgers", "docs"); got != nil && time.Now().Before(ahead) {
		t.Errorf("found %q at once", got)
	}
	p.until("the other file", indexed(2))
	if time.Now().Before(ahead.Add(2 * time.Second)) {
		t.Error("the file was read within two seconds of its last change")
	}
}

// TestBounds: what is left out is told.
func TestBounds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writes("a.md", "alpacas graze", 0)
	p.writes("huge.md", "", 0)
	when := time.Now().Add(-time.Hour)
	huge := filepath.Join(p.dir, "huge.md")
	if err := errors.Join(os.Truncate(huge, 1<<40), os.Chtimes(huge, when, when)); err != nil {
		t.Skipf("no room for a file with a hole: %v", err)
	}
	for i := range 30 {
		p.writes(fmt.Sprintf("bad%02d.md", i), "\xff", 0)
	}
	p.writes(strings.Repeat("d/", 40)+"deep.md", "wombat", 0)
	p.runs(nil, p.folder())
	s := p.until("a look", looked)
	if s.Files != 1 || len(s.Unread) != 20 || s.MoreUnread != 11 || len(s.Notes) != 1 {
		t.Errorf("the state is %+v", s)
	}
	if sum := s.Summary(); sum.Words() != "1 files indexed, 31 not read, 0 waiting" {
		t.Errorf("its summary is %s", sum.Words())
	}
	if len(p.finds("wombat", "docs")) > 0 {
		t.Error("a file too deep is found")
	}
}

// TestAReaderWithoutTime is tried three times: a busy machine loses no good document, and a file that takes too
// long each time is not read at each start.
func TestAReaderWithoutTime(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writes("a.pdf", "", 0)
	p.writes("b.pdf", "", 0)
	reads := map[string]int{} // one goroutine reads
	read := func(_ context.Context, name string, _ *os.File) (corpus.Text, error) {
		if reads[name]++; name == "b.pdf" || reads[name] < 3 {
			return corpus.Text{}, fmt.Errorf("%w: it takes longer than it may", corpus.ErrHurried)
		}
		return corpus.Text{Text: "alpacas graze"}, nil
	}
	stop := p.runs(read, p.folder())
	want := []corpus.Unread{{File: "b.pdf", Why: "it was not read in time: it takes longer than it may"}}
	told := func(s corpus.State) bool { return s.Files == 1 && cmp.Diff(want, s.Unread) == "" }
	p.until("the good document", told)
	stop()
	stop = p.runs(read, p.folder())
	p.until("the state as it was", told)
	stop()
	if d := cmp.Diff(map[string]int{"a.pdf": 3, "b.pdf": 3}, reads); d != "" {
		t.Errorf("how often they were read: %s", d)
	}
	p.writes("b.pdf", "x", 1)
	stop = p.runs(read, p.folder())
	p.until("the state as it was", told)
	stop()
	if reads["b.pdf"] < 4 {
		t.Error("a file that changed is not read again")
	}
}

// TestAPanicIsOneUnreadFile: a fault in the reading of a file leaves the others to be found.
func TestAPanicIsOneUnreadFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writes("a.html", "", 0)
	p.writes("b.md", "badgers dig", 0)
	p.runs(func(context.Context, string, *os.File) (corpus.Text, error) { panic("a bug with a secret") }, p.folder())
	s := p.until("the other file", indexed(1))
	want := []corpus.Unread{{File: "a.html", Why: "it cannot be read: a fault of the gateway, which is in its log"}}
	if d := cmp.Diff(want, s.Unread); d != "" {
		t.Error(d)
	}
	if got := p.finds("badgers", "docs"); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}

// TestAPanicOfALookIsTold, and the next look tries again.
func TestAPanicOfALookIsTold(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writes("b.md", "badgers dig", 0)
	f, asked := p.folder(), 0
	f.Takes = func(string) bool {
		if asked++; asked == 1 {
			panic("a bug")
		}
		return true
	}
	p.runs(nil, f)
	p.until("the file", indexed(1))
	if !strings.Contains(p.log.String(), "a bug") {
		t.Error("the log has no word of the panic")
	}
}

// TestTooManyHeadings leave one file unread, and the other ones are found.
func TestTooManyHeadings(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	many := "# " + strings.Repeat("h", 390) + "\n" + strings.Repeat("## a\nx\n", 200_000)
	p.writes("a.md", many, 0)
	p.writes("b.html", "", 0)
	p.writes("z.md", "badgers dig", 0)
	p.runs(func(context.Context, string, *os.File) (corpus.Text, error) { return corpus.Text{Text: many}, nil }, p.folder())
	s := p.until("the other file", indexed(1))
	const why = "it has too many headings"
	if d := cmp.Diff([]corpus.Unread{{File: "a.md", Why: why}, {File: "b.html", Why: why}}, s.Unread); d != "" {
		t.Error(d)
	}
	if got := p.finds("badgers", "docs"); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}
