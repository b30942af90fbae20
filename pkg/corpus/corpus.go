package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/index"
	"parley/pkg/index/blocks"
	"parley/pkg/panics"
)

// The times of a library. Between two looks it rests for at least twenty times as long as the
// last one took.
const (
	// Period is the time from one look at the folders to the next.
	Period = 30 * time.Second
	// How long ago the last change of a file has to be before it is read.
	settle = 2 * time.Second
	// How long the end of a library waits for a disk.
	hangs = 3 * time.Second
	// The time from one removal of all traces of files that are gone to the next.
	purges = time.Hour
	// The time after which a pass over the folders leaves the rest of the files to the next one, so
	// that changes are seen while many files are read; and the time after which a step ends.
	passTime = time.Minute
	stepTime = 5 * time.Second
	// How many times as long as a look took the pause after it is at least.
	slowdown = 20
)

// ErrNotReady says that the index is not open: it is about to be, or its file cannot be used.
var ErrNotReady = errors.New("the index is not open yet")

// errPanic stands for a panic; its words are in the log alone.
var errPanic = errors.New("a fault of the gateway, which is in its log")

// Folder is a corpus: a folder of documents with a name.
type Folder struct {
	Name, Dir string
	// Takes says which files belong to the corpus, by their path below Dir.
	Takes func(path string) bool
	// Any says that files with an unknown ending belong to it too, and are read as plain text.
	Any bool
	// Trusted says that the content of the folder counts as the operator's words.
	Trusted bool
}

// ErrUnavailable says that the machine and not the file is the reason for which it is not read now.
var ErrUnavailable = errors.New("documents of this format cannot be read here")

// ErrHurried says that the machine may be the reason for which a file is not read, as it was busy. Such a file is
// read again at the next looks, three times in all.
var ErrHurried = errors.New("it was not read in time")

// Text is that of a file of another format, as Markdown.
type Text struct {
	Text string
	// Note says which part of the file is missing from it.
	Note string
}

// ReadFunc gives the text of an open file that is neither Markdown nor plain text. The error says in
// one sentence why the file cannot be read; one that wraps [ErrUnavailable] or [ErrHurried] may pass.
type ReadFunc func(ctx context.Context, path string, f *os.File) (Text, error)

// Options are the needs of a [Library].
type Options struct {
	// Path is the file of the index. Its folder is made.
	Path    string
	Folders []Folder
	// Read reads the other formats; nil: none is read.
	Read ReadFunc
	// Period is the time between two looks; 0: [Period].
	Period time.Duration
	Log    zerolog.Logger
}

// Library is the corpora of a gateway. It does no work until it runs.
type Library struct {
	o Options
	// rebuilds are asked for by Rebuild; damaged is told of a damaged index by a search.
	rebuilds chan chan error
	damaged  chan struct{}

	mu      sync.Mutex // guards all below
	ix      *index.Index
	running bool
	states  map[string]*State
}

// New makes a library.
func New(o Options) *Library {
	if o.Period == 0 {
		o.Period = Period
	}
	l := &Library{o: o, rebuilds: make(chan chan error), damaged: make(chan struct{}, 1), states: map[string]*State{}}
	for i := range o.Folders {
		l.states[o.Folders[i].Name] = &State{Corpus: o.Folders[i].Name}
	}
	return l
}

// Run indexes the folders and watches them until ctx ends. Where a disk hangs, it returns all the
// same and leaves the work behind. Without a folder it removes the file of former corpora.
func (l *Library) Run(ctx context.Context) {
	if len(l.o.Folders) == 0 {
		if err := l.remove(); err != nil {
			l.o.Log.Warn().Err(err).Msg("the index of the former corpora cannot be removed")
		}
		return
	}
	l.setRunning(true)
	defer l.setRunning(false)
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		l.work(ctx)
	}()
	<-ctx.Done()
	limit := time.NewTimer(hangs)
	defer limit.Stop()
	select {
	case <-worked:
	case <-limit.C:
		l.o.Log.Warn().Msg("a folder of a corpus does not answer: its reader is left behind")
	}
}

func (l *Library) remove() error {
	if _, err := os.Stat(l.o.Path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return os.Remove(l.o.Path)
}

func (l *Library) setRunning(on bool) {
	l.mu.Lock()
	l.running = on
	l.mu.Unlock()
}

// open opens the index and reads it once, so that damage is found before a search meets it.
func (l *Library) open(ctx context.Context) (*index.Index, error) {
	if err := os.MkdirAll(filepath.Dir(l.o.Path), 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the index: %w", err)
	}
	ix, err := index.Open(l.o.Path)
	if err != nil {
		return nil, err
	}
	if err := ix.Check(ctx); errors.Is(err, blocks.ErrDamaged) {
		l.o.Log.Warn().Err(err).Msg("the index of the corpora is damaged and is made anew")
		err = ix.Reset(ctx)
		if err != nil {
			return nil, errors.Join(err, ix.Close())
		}
	}
	l.mu.Lock()
	l.ix = ix
	l.mu.Unlock()
	return ix, nil
}

func (l *Library) close(ix *index.Index) error {
	l.mu.Lock()
	l.ix = nil
	l.mu.Unlock()
	return ix.Close()
}

// work looks at the folders again and again. It is the one writer of the index.
func (l *Library) work(ctx context.Context) {
	// An earlier process may have ended before it removed the words of files that are gone.
	w := worker{l: l, rest: true, gone: true, places: map[string]string{}}
	for ctx.Err() == nil {
		var ix *index.Index
		err := l.guarded(func() (err error) {
			ix, err = l.open(ctx)
			return err
		})
		if err == nil {
			w.ix = ix
			w.watch(ctx)
			err = l.close(ix)
		}
		if err != nil && ctx.Err() == nil {
			l.o.Log.Warn().Err(err).Msg("the index of the corpora cannot be used; it is tried again")
			l.troubled(err)
			w.pause(ctx, l.o.Period)
		}
	}
}

// guarded turns a panic into an error: a fault in the reading of a folder ends no process.
func (l *Library) guarded(f func() error) (err error) {
	if p := panics.Catch(func() { err = f() }); p != nil {
		l.o.Log.Error().Interface("panic", p.Value).Bytes("stack", p.Stack).Msg("the work on the corpora panicked")
		return errPanic
	}
	return err
}

// troubled tells the same trouble of all corpora.
func (l *Library) troubled(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.states {
		s.Trouble = err.Error()
	}
}

// Rebuild empties the index and reads all files again. It returns when all are indexed.
func (l *Library) Rebuild(ctx context.Context) error {
	l.mu.Lock()
	running := l.running
	l.mu.Unlock()
	if !running {
		return l.rebuildAlone(ctx)
	}
	done := make(chan error, 1)
	select {
	case l.rebuilds <- done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// rebuildAlone rebuilds the index of a library that does not run.
func (l *Library) rebuildAlone(ctx context.Context) error {
	if len(l.o.Folders) == 0 {
		return l.remove()
	}
	ix, err := l.open(ctx)
	if err != nil {
		return err
	}
	w := worker{l: l, ix: ix, places: map[string]string{}}
	err = ix.Reset(ctx)
	if err == nil {
		err = w.look(ctx)
	}
	return errors.Join(err, l.close(ix))
}
