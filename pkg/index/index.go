package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"parley/pkg/durable"
	"parley/pkg/index/blocks"
	"parley/pkg/index/words"
)

// ErrClosed says that the index is closed.
var ErrClosed = errors.New("the index is closed")

// Index is an open index. Many goroutines may read it while one writes.
type Index struct {
	path string
	wrap func(disk) disk

	// writing is held by the one that writes.
	writing sync.Mutex

	mu    sync.Mutex // guards the file and the state
	file  *file      // nil: closed
	state *state
	fresh bool

	// Memory for the next call, as long as the collector leaves it there.
	builders, mergers, searches sync.Pool
}

// Open opens the index in the file of that path, for this process alone. A missing file, a damaged
// one and one of another form begin anew, empty; [Index.Fresh] tells it.
func Open(path string) (*Index, error) { return open(path, func(d disk) disk { return d }) }

func open(path string, wrap func(disk) disk) (*Index, error) {
	path = filepath.Clean(path)
	f, err := lock(path)
	if err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	if err := os.Remove(path + durable.Unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, f.Close())
	}
	ix := &Index{path: path, wrap: wrap}
	ix.builders.New = func() any { return newBuilder() }
	ix.mergers.New = func() any { return &merger{} }
	ix.searches.New = func() any { return &searching{analyzer: words.New()} }
	ix.file = &file{disk: wrap(f)}
	info, err := f.Stat()
	if err == nil {
		ix.state, err = readState(ix.file, info.Size())
	}
	if errors.Is(err, blocks.ErrDamaged) {
		ix.fresh = true
		err = ix.replace(empty)
	}
	if err != nil {
		return nil, fmt.Errorf("open the index: %w", errors.Join(err, ix.Close()))
	}
	return ix, nil
}

func empty(io.Writer) (*state, error) { return &state{nextID: 1}, nil }

// Fresh says that the index began anew when it was opened: its documents have to be put again.
func (ix *Index) Fresh() bool { return ix.fresh }

// Close closes the file when the last reader is done.
func (ix *Index) Close() error {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	ix.mu.Lock()
	f := ix.file
	ix.file = nil
	ix.mu.Unlock()
	if f == nil {
		return nil
	}
	return f.retire()
}

// snapshot is a state with its file, which stays open until the release.
type snapshot struct {
	*state
	file *file
}

func (ix *Index) snapshot() (snapshot, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.file == nil {
		return snapshot{}, ErrClosed
	}
	ix.file.hold()
	return snapshot{ix.state, ix.file}, nil
}

func (s *snapshot) reader() blocks.Reader { return blocks.NewReader(s.file, s.end) }

// scoped is a section of a scope, with the documents of it that are gone.
type scoped struct {
	*section
	segment int64
	dead    map[uint32]bool
}

// sections are those of a scope, the oldest first.
func (s *snapshot) sections(scope string) ([]scoped, error) {
	return sectionsOf(s.reader(), s.segments, scope)
}

func sectionsOf(r blocks.Reader, segments []segment, scope string) ([]scoped, error) {
	gone := kills{}
	var found []scoped
	for i := len(segments) - 1; i >= 0; i-- {
		part, err := segments[i].find(r, []byte(scope))
		if err != nil {
			return nil, err
		}
		if part == nil {
			continue
		}
		found = append(found, scoped{part, segments[i].id, gone[segments[i].id]})
		if part.meta.wipes {
			break
		}
		if err := part.addKills(gone); err != nil {
			return nil, err
		}
	}
	for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
		found[i], found[j] = found[j], found[i]
	}
	return found, nil
}

// Entry is a document of an index.
type Entry struct {
	ID   string
	Data []byte
}

// Documents lists the documents of a scope, by their IDs where they were put together.
func (ix *Index) Documents(ctx context.Context, scope string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		s, err := ix.snapshot()
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer func() { _ = s.file.release() }()
		sections, err := s.sections(scope)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for _, part := range sections {
			if more, err := part.entries(ctx, yield); err != nil || !more {
				if err != nil {
					yield(Entry{}, err)
				}
				return
			}
		}
	}
}

func (s *scoped) entries(ctx context.Context, yield func(Entry, error) bool) (more bool, err error) {
	var rec record
	c := s.docs().Cursor()
	for err = c.First(); err == nil && c.Valid(); err = c.Next() {
		if s.dead[uint32(c.Before())] { //nolint:gosec // a section has fewer
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := rec.read(c.Value(), s.r.Size()); err != nil {
			return false, err
		}
		if !yield(Entry{ID: string(c.Key()), Data: append([]byte(nil), rec.data...)}, nil) {
			return false, nil
		}
	}
	return true, err
}

// Size tells how large an index is.
type Size struct {
	// Documents that can be found.
	Documents int64
	// Segments in which they are.
	Segments int
	// Bytes of the file, and those of them that are in use.
	File, Live int64
}

// Size tells the size.
func (ix *Index) Size() Size {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.file == nil {
		return Size{}
	}
	s := Size{Segments: len(ix.state.segments), File: ix.state.end, Live: ix.state.live()}
	for i := range ix.state.segments {
		s.Documents += ix.state.segments[i].docs - ix.state.segments[i].dead
	}
	return s
}
