package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/pkg/index"
	"parley/pkg/openat"
	"parley/pkg/text"
)

// The bounds of a corpus.
const (
	// MaxFiles is how many files of a corpus are indexed.
	MaxFiles = 20_000
	// MaxFile is the size of a text that is indexed.
	MaxFile = 8 << 20
	// MaxDocument is the size of a file of another format than Markdown and plain text.
	MaxDocument = 32 << 20
	// MaxBytes is the size of all files of a corpus together.
	MaxBytes = 256 << 20
	// How many names of a folder with all below it a look reads, and how deep.
	maxEntries, maxDepth = 200_000, 32
	chunk                = 256
)

// file is a file of a corpus, as a look found it.
type file struct {
	path  string
	stamp stamp
}

// stamp tells whether a file is still the one that was read.
type stamp struct {
	Size int64 `json:"s"`
	Time int64 `json:"t"` // of the last change, in nanoseconds
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime().UnixNano()} }

// walk finds the files of a folder.
type walk struct {
	folder  *Folder
	root    *os.Root
	files   []file
	bytes   int64
	entries int
	// over are files beyond the bounds of the corpus; odd have names that are not taken, links are
	// those that are not followed.
	over, odd, links int
	// blind are the folders that could not be read: of the files below them a look knows nothing.
	blind []string
	full  bool // it ended at maxEntries
}

// errElsewhere says that the path of a folder leads to another place than at first: the folder is gone, and a link or a folder
// behind one has its name.
var errElsewhere = fmt.Errorf("its path leads to another place than at the start; a restart takes this one: %w", fs.ErrNotExist)

// openFolder opens the folder of a corpus. In places it notes where its path led at first, and opens no other place.
func openFolder(f *Folder, places map[string]string) (*os.Root, error) {
	root, err := openat.Root(f.Dir)
	if err != nil {
		return nil, err
	}
	at, err := openat.PlaceOf(root)
	if was, known := places[f.Name]; err == nil && known && was != at {
		err = errElsewhere
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	places[f.Name] = at
	return root, nil
}

// walkFolder lists the files of a corpus; places are as in [openFolder].
func walkFolder(ctx context.Context, f *Folder, places map[string]string) (*walk, error) {
	root, err := openFolder(f, places)
	if err != nil {
		return nil, err
	}
	w := &walk{folder: f, root: root}
	if err := w.below(ctx, ".", 0); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return w, nil
}

// below reads a folder and those in it.
func (w *walk) below(ctx context.Context, dir string, depth int) error {
	if depth > maxDepth {
		w.odd++
		return nil
	}
	folders, err := w.list(ctx, dir)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case dir == "." && err != nil:
		return err
	case errors.Is(err, fs.ErrNotExist): // it went away meanwhile
	case err != nil:
		w.blind = append(w.blind, dir+"/")
	}
	for _, name := range folders {
		if err := w.below(ctx, name, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// list takes the files of a folder, and gives the folders in it.
func (w *walk) list(ctx context.Context, dir string) (folders []string, err error) {
	at, err := openat.Folder(w.root, dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = at.Close() }()
	f, err := at.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	for ctx.Err() == nil && !w.full {
		entries, err := f.ReadDir(chunk)
		for _, e := range entries {
			w.entries++
			if name := path.Join(dir, e.Name()); e.IsDir() {
				folders = append(folders, name)
			} else {
				w.take(at, name, e)
			}
		}
		w.full = w.entries >= maxEntries
		if err != nil && !errors.Is(err, io.EOF) {
			return folders, err
		}
		if err != nil || len(entries) == 0 {
			break
		}
	}
	return folders, nil
}

// take takes a file into the list if it belongs to the corpus.
func (w *walk) take(at *os.Root, name string, e fs.DirEntry) {
	if !w.belongs(name) {
		return
	}
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		w.links++
		return
	case !e.Type().IsRegular() || !plainName(name):
		w.odd++
		return
	}
	info, err := at.Lstat(e.Name())
	if err != nil || !info.Mode().IsRegular() {
		return // it went away, or was swapped: the next look tells
	}
	size := min(info.Size(), mostOf(name))
	if len(w.files) >= MaxFiles || w.bytes+size > MaxBytes {
		w.over++
		return
	}
	w.bytes += size
	w.files = append(w.files, file{name, stampOf(info)})
}

func (w *walk) belongs(name string) bool {
	if !w.folder.Any && formatOf(name) == formatNone {
		return false
	}
	return w.folder.Takes == nil || w.folder.Takes(name)
}

// plainName says that a path can be shown as it is, and is a name of the index.
func plainName(name string) bool {
	return len(name) <= index.MaxName && utf8.ValidString(name) && strings.IndexFunc(name, misleads) < 0
}

// misleads says that a character ends a line, steers a terminal, or turns the order of those behind it round.
func misleads(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// misses says that a look knows nothing about a file, because its folder could not be read.
func (w *walk) misses(name string) bool {
	if w.full {
		return true
	}
	for _, dir := range w.blind {
		if strings.HasPrefix(name, dir) {
			return true
		}
	}
	return false
}

// notes are those of the bounds that were met.
func (w *walk) notes() (notes []string) {
	add := func(n int, format string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(format, n))
		}
	}
	if w.over > 0 {
		notes = append(notes, fmt.Sprintf(textOver, w.over, MaxFiles, text.FileSize(MaxBytes)))
	}
	add(w.links, textLinks)
	add(w.odd, textOdd)
	add(len(w.blind), textBlind)
	if w.full {
		notes = append(notes, fmt.Sprintf(textFull, maxEntries))
	}
	return notes
}
