package shelf_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"parley/pkg/channels"
	"parley/pkg/shelf"
)

const chat = "web:ada.main"

// world is a shelf with the answers of a store.
type world struct {
	*shelf.Shelf

	t              *testing.T
	dir            string
	waiting, lives bool
}

// newWorld is a shelf for 1 MB.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "web"), lives: true}
	w.Shelf = shelf.New(shelf.Options{
		Dir: w.dir, ChatBytes: 1e6, PersonBytes: 1e6,
		Waits: func(context.Context, string) (bool, error) { return w.waiting, nil },
		Lives: func(context.Context, string) (bool, error) { return w.lives, nil },
	})
	return w
}

func (w *world) add(content string) channels.KeptFile {
	w.t.Helper()
	f, err := w.Add(w.t.Context(), chat, shelf.Upload{
		ID: shelf.NewID(), Name: "a", Size: int64(len(content)), Content: strings.NewReader(content),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

func (w *world) has(f channels.KeptFile) bool {
	_, ok := w.Find(chat, f.ID)
	return ok
}

// age makes all files so old.
func (w *world) age(by time.Duration) {
	w.t.Helper()
	w.walk(func(name string) {
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(-by)); err != nil {
			w.t.Error(err)
		}
	})
}

func (w *world) walk(each func(name string)) {
	w.t.Helper()
	err := filepath.WalkDir(w.dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			each(name)
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

// attach gives a file to a message.
func (w *world) attach(f channels.KeptFile) {
	w.t.Helper()
	if _, err := w.Attach(chat, []string{f.ID}, "item"); err != nil {
		w.t.Fatal(err)
	}
}

// TestUploadsWithoutAMessageAreRemoved after a day, with the remains of dead processes; those of
// messages stay.
func TestUploadsWithoutAMessageAreRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	loose, sent := w.add("loose"), w.add("sent")
	w.attach(sent)
	if err := os.WriteFile(filepath.Join(filepath.Dir(w.fileOf(sent)), ".part-1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.age(23 * time.Hour)
	if err := w.Sweep(t.Context()); err != nil || !w.has(loose) {
		t.Errorf("it goes before a day has passed: %v", err)
	}
	w.age(25 * time.Hour)
	if err := w.Sweep(t.Context()); err != nil || w.has(loose) || !w.has(sent) {
		t.Errorf("%v, loose %t, sent %t", err, w.has(loose), w.has(sent))
	}
	n := 0
	w.walk(func(string) { n++ })
	if n != 2 {
		t.Errorf("%d files are left", n)
	}
}

// fileOf is where a file lies.
func (w *world) fileOf(f channels.KeptFile) (found string) {
	w.t.Helper()
	w.walk(func(name string) {
		if filepath.Base(name) == f.ID {
			found = name
		}
	})
	return found
}

// TestFilesOfForgottenChatsAreRemoved once they are a day old, with their folders.
func TestFilesOfForgottenChatsAreRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.add("x")
	w.attach(f)
	w.lives = false
	if err := w.Sweep(t.Context()); err != nil || !w.has(f) {
		t.Errorf("it goes at once: %v", err)
	}
	w.age(25 * time.Hour)
	if err := w.Sweep(t.Context()); err != nil || w.has(f) {
		t.Errorf("it stays: %v", err)
	}
	if left, err := os.ReadDir(w.dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestOldFilesGiveWay to new ones; those of the last day, and of a message that waits, do not.
func TestOldFilesGiveWay(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 400_000)
	for name, c := range map[string]struct {
		age     time.Duration
		waiting bool
		gone    bool
	}{
		"old": {25 * time.Hour, false, true}, "of the last day": {time.Hour, false, false},
		"of a message that waits": {25 * time.Hour, true, false},
	} {
		for _, at := range []string{chat, "web:ada.other"} { // the limit of the chat, and that of the person
			t.Run(name+" in "+at, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.waiting = c.waiting
				first, second := w.add(big), w.add(big)
				w.attach(first)
				w.attach(second)
				w.age(c.age)
				if err := os.Chtimes(w.fileOf(second), time.Time{}, time.Now()); err != nil {
					t.Fatal(err)
				}
				_, err := w.Add(t.Context(), at, shelf.Upload{
					ID: shelf.NewID(), Name: "a", Size: int64(len(big)), Content: strings.NewReader(big),
				})
				_, full := errors.AsType[*shelf.FullError](err)
				if full == c.gone || w.has(first) == c.gone || !w.has(second) {
					t.Errorf("%v, the first stays: %t, the second: %t", err, w.has(first), w.has(second))
				}
			})
		}
	}
}

// TestFilesThatComeWithARequest are stored for its message, all or none, and once.
func TestFilesThatComeWithARequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bring := func(contents ...string) ([]channels.Attachment, error) {
		var all []shelf.Upload
		for _, c := range contents {
			all = append(all, shelf.Upload{Name: "a", Size: int64(len(c)), Content: strings.NewReader(c)})
		}
		return w.Bring(t.Context(), chat, "item", all)
	}
	if all, err := bring("one", strings.Repeat("x", 2e6)); err == nil {
		t.Errorf("%v is stored without room", all)
	}
	n := 0
	w.walk(func(string) { n++ })
	if n != 0 {
		t.Errorf("%d files are left of none", n)
	}
	first, err := bring("one", "two")
	if err != nil {
		t.Fatal(err)
	}
	again, err := bring("one", "two")
	if err != nil || len(again) != 2 || again[0] != first[0] || again[1] != first[1] {
		t.Errorf("%v, before %v: %v", again, first, err)
	}
	if _, err := bring("one", "other"); !errors.Is(err, shelf.ErrTaken) {
		t.Errorf("other content for the same item: %v", err)
	}
	if !w.has(channels.KeptFile{ID: first[0].ID}) {
		t.Error("a refused request has removed a file of a message")
	}
}

// TestASentFileIsKeptOnce, with the content of its first time.
func TestASentFileIsKeptOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, content := range []string{"first", "second"} {
		f, err := w.Keep(t.Context(), chat, "t1/1/0/file", "a.txt", int64(len(content)), strings.NewReader(content))
		if err != nil || f.ID != shelf.SentID("t1/1/0/file") || f.Size != int64(len("first")) {
			t.Errorf("%+v, %v", f, err)
		}
	}
	if _, err := w.Attach(chat, []string{shelf.SentID("t1/1/0/file")}, "item"); !errors.Is(err, shelf.ErrNotFound) {
		t.Errorf("a sent file counts as an upload: %v", err)
	}
}

// TestABrokenUploadLeavesNothing on the disk.
func TestABrokenUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	broken := io.MultiReader(strings.NewReader(strings.Repeat("x", 100_000)), iotest.ErrReader(io.ErrUnexpectedEOF))
	if f, err := w.Add(t.Context(), chat, shelf.Upload{ID: shelf.NewID(), Name: "a", Size: 200_000, Content: broken}); err == nil {
		t.Errorf("%+v is stored", f)
	}
	w.walk(func(name string) { t.Errorf("%s is left", name) })
}
