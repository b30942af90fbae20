package corpus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/pkg/corpus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds a test; one that passes ends long before.
const patience = time.Minute

// place is a folder of documents, and the file of an index.
type place struct {
	t       *testing.T
	ctx     context.Context
	dir, ix string
	period  time.Duration // between two looks
	log     journal
	library *corpus.Library
}

// journal is a log that a test reads while it is written.
type journal struct {
	mu    sync.Mutex
	lines []byte
}

// Write adds a line.
func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line...)
	return len(line), nil
}

// String is all of it.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return string(j.lines)
}

func newPlace(t *testing.T) *place {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	top := t.TempDir()
	p := &place{t: t, period: time.Millisecond, ctx: ctx, dir: filepath.Join(top, "docs"), ix: filepath.Join(top, "state", "index", "corpora")}
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// writes writes a file that was last changed an hour ago, and less by n minutes.
func (p *place) writes(name, content string, n int) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	when := time.Now().Add(-time.Hour + time.Duration(n)*time.Minute)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600), os.Chtimes(path, when, when))
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) folder() corpus.Folder { return corpus.Folder{Name: "docs", Dir: p.dir} }

// runs runs a library over folders until the test, or the function that it gives, ends it.
func (p *place) runs(read corpus.ReadFunc, folders ...corpus.Folder) (stop func()) {
	p.t.Helper()
	p.library = corpus.New(corpus.Options{
		Path: p.ix, Folders: folders, Read: read, Period: p.period, Log: zerolog.New(&p.log),
	})
	ctx, cancel := context.WithCancel(p.ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.library.Run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	p.t.Cleanup(stop)
	return stop
}

// until waits for the state of the corpus.
func (p *place) until(what string, ok func(corpus.State) bool) corpus.State {
	p.t.Helper()
	return p.waits(what, func(s corpus.State) bool { return !s.Looked.IsZero() && s.Waiting == 0 && ok(s) })
}

// waits is until, also before the first look has ended.
func (p *place) waits(what string, ok func(corpus.State) bool) corpus.State {
	p.t.Helper()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		s := p.library.States([]string{"docs"})[0]
		if ok(s) {
			return s
		}
		select {
		case <-look.C:
		case <-p.ctx.Done():
			p.t.Fatalf("waiting for %s: %+v\n%s", what, s, p.log.String())
		}
	}
}

// looked is the end of the first look, whatever it found.
func looked(corpus.State) bool { return true }

func indexed(n int) func(corpus.State) bool { return func(s corpus.State) bool { return s.Files == n } }

// finds are the files with their lines that a search finds.
func (p *place) finds(words string, names ...string) (found []string) {
	p.t.Helper()
	got, err := p.library.Search(p.ctx, names, words, 10)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, g := range got {
		found = append(found, fmt.Sprintf("%s %d-%d %s", g.File, g.First, g.Last, g.Heading))
	}
	return found
}

func (p *place) holds(words string) bool {
	p.t.Helper()
	raw, err := os.ReadFile(p.ix)
	if err != nil {
		p.t.Fatal(err)
	}
	return bytes.Contains(raw, []byte(words))
}

func TestFilesAreFoundWithTheirPlaces(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writes("leave.md", "# Leave\n\nIntroduction.\n\n## Sick days\n\nCall Nora before nine.\n", 0)
	p.writes("deep/down/rules.txt", "One rule.\n\nThe wombat has the key.\n", 0)
	p.writes("empty.md", "", 0)
	p.writes("picture.png", "wombat", 0)
	p.writes("old.txt", "caf\xe9", 0)
	p.writes("page.html", "<p>wombat</p>", 0)
	p.runs(nil, p.folder())
	s := p.until("the files", indexed(3))
	want := []corpus.Unread{{File: "old.txt", Why: "it is no text in UTF-8"}, {File: "page.html", Why: "this build reads no .html files"}}
	if d := cmp.Diff(want, s.Unread); d != "" {
		t.Error(d)
	}
	for words, want := range map[string][]string{
		"sick":          {"leave.md 7-7 Leave > Sick days"},
		"where wombats": {"deep/down/rules.txt 1-3 "},
		"nonsense":      nil,
	} {
		if got := p.finds(words, "docs"); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", words, got, want)
		}
	}
	if got := p.finds("wombat"); got != nil {
		t.Errorf("without a name of a corpus it finds %q", got)
	}
}

// TestChangesAreSeen: new words are found, former ones and files that are gone are not, and their
// words leave the file of the index.
func TestChangesAreSeen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writes("a.md", "alpacas graze", 0)
	p.writes("b.md", "badgers dig", 0)
	stop := p.runs(nil, p.folder())
	p.until("two files", indexed(2))
	p.writes("a.md", "antelopes graze", 1)
	if err := os.Remove(filepath.Join(p.dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	p.writes("c.md", "camels rest", 0)
	p.until("the changes", func(corpus.State) bool {
		return p.finds("antelopes", "docs") != nil && p.finds("camels", "docs") != nil
	})
	for _, gone := range []string{"alpacas", "badgers"} {
		if got := p.finds(gone, "docs"); got != nil {
			t.Errorf("%s are still found: %q", gone, got)
		}
	}
	stop()
	p.runs(nil, p.folder()) // the next process finds them without reading
	if s := p.until("a look", looked); s.Files != 2 {
		t.Errorf("after a restart: %+v", s)
	}
	if got := p.finds("camels", "docs"); len(got) != 1 {
		t.Errorf("after a restart: %q", got)
	}
}

// TestGoneFilesLeaveTheIndexAtAStart: a process that ended before it removed their words left them there.
func TestGoneFilesLeaveTheIndexAtAStart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	files := []string{"a.md", "b.md", "c.md"}
	for _, name := range files {
		p.writes(name, "alpacas graze", 0)
	}
	stop := p.runs(nil, p.folder())
	p.until("the files", indexed(len(files)))
	for i, name := range files[1:] {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
		p.until("the end of "+name, indexed(len(files)-1-i))
	}
	if !p.holds("c.md") {
		t.Fatal("the index was made anew twice within an hour, so there is no word for a start to remove")
	}
	stop()
	p.runs(nil, p.folder())
	p.until("the rest", indexed(1))
	if p.holds("c.md") {
		t.Error("the name of a file that is gone is still in the index")
	}
}

// TestAFormerCorpusLeavesTheIndex, and so does a former place of one: no word of it stays in the file.
func TestAFormerCorpusLeavesTheIndex(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writes("one/a.md", "alpacas graze", 0)
	p.writes("two/b.md", "badgers dig", 0)
	at := func(name, dir string) corpus.Folder {
		return corpus.Folder{Name: name, Dir: filepath.Join(p.dir, dir)}
	}
	stop := p.runs(nil, at("docs", "one"), at("other", "two"))
	p.until("a file", indexed(1))
	stop()
	stop = p.runs(nil, at("docs", "two"))
	p.until("the other file", indexed(1))
	if got := p.finds("alpacas badgers", "docs", "other"); !slices.Equal(got, []string{"b.md 1-1 "}) {
		t.Errorf("found %q", got)
	}
	stop()
	if p.holds("a.md") {
		t.Error("the index has the name of a file of a former corpus")
	}
	p.runs(nil)
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		if _, err := os.Stat(p.ix); errors.Is(err, os.ErrNotExist) {
			return
		}
		select {
		case <-look.C:
		case <-p.ctx.Done():
			t.Fatal("the index is still there without a corpus")
		}
	}
}

// TestDamage: an index that is damaged before the start, or while it is in use, is made anew.
func TestDamage(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for i := range 20 {
		p.writes(fmt.Sprintf("f%d.md", i), fmt.Sprintf("alpacas graze in meadow number%d", i), 0)
	}
	damage := func() {
		t.Helper()
		raw, err := os.ReadFile(p.ix)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(p.ix, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range raw {
			raw[i] ^= 0xff
		}
		if _, err := f.WriteAt(raw[200:], 200); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	stop := p.runs(nil, p.folder())
	p.until("the files", indexed(20))
	stop()
	damage()
	p.period = time.Hour // a search finds the next damage, and no look does
	p.runs(nil, p.folder())
	p.until("the files again", indexed(20))
	if got := p.finds("meadow number7", "docs"); len(got) != 10 {
		t.Errorf("found %q", got)
	}
	damage()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		got, err := p.library.Search(p.ctx, []string{"docs"}, "alpacas", 10)
		switch {
		case err == nil && len(got) == 10:
			return
		case err != nil && !errors.Is(err, corpus.ErrNotReady):
			t.Fatal(err)
		}
		select {
		case <-look.C:
		case <-p.ctx.Done():
			t.Fatalf("not made anew: %v", err)
		}
	}
}

// TestRebuild reads all files again, with a library that runs and with one that does not.
func TestRebuild(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writes("page.html", "", 0)
	var mu sync.Mutex
	reads := 0
	read := func(context.Context, string, *os.File) (corpus.Text, error) {
		mu.Lock()
		defer mu.Unlock()
		reads++
		return corpus.Text{Text: fmt.Sprintf("reading%d", reads)}, nil
	}
	stop := p.runs(read, p.folder())
	p.until("the file", indexed(1))
	for _, word := range []string{"reading2", "reading3"} {
		if err := p.library.Rebuild(p.ctx); err != nil {
			t.Fatal(err)
		}
		p.until("the file", indexed(1))
		if len(p.finds(word, "docs")) != 1 {
			t.Errorf("%s is not found", word)
		}
	}
	stop()
	if err := p.library.Rebuild(p.ctx); err != nil {
		t.Fatal(err)
	}
	p.runs(read, p.folder())
	p.until("the file", indexed(1))
	if len(p.finds("reading4", "docs")) != 1 {
		t.Error("reading4 is not found")
	}
}

// TestAMissingFolder is told, and is indexed when it comes.
func TestAMissingFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writes("sub/a.md", "alpacas graze", 0)
	p.writes("b.md", "badgers", 0)
	moved := filepath.Join(p.dir, "moved")
	if err := os.Rename(filepath.Join(p.dir, "sub"), moved); err != nil {
		t.Fatal(err)
	}
	p.runs(nil, corpus.Folder{Name: "docs", Dir: filepath.Join(p.dir, "sub")}, corpus.Folder{Name: "other", Dir: p.dir})
	p.waits("the trouble", func(s corpus.State) bool { return s.Trouble != "" })
	if err := os.Rename(moved, filepath.Join(p.dir, "sub")); err != nil {
		t.Fatal(err)
	}
	if s := p.until("the file", indexed(1)); s.Trouble != "" {
		t.Errorf("still in trouble: %s", s.Trouble)
	}
}
