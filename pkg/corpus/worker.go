package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"parley/pkg/index"
	"parley/pkg/index/blocks"
)

// registry is the scope whose documents name the scopes of the corpora, so that those of former
// ones are found.
const registry = "corpora"

// mostDamages is how often one look makes a damaged index anew.
const mostDamages = 2

// errAnew ends a pass after which the index is emptied.
var errAnew = errors.New("the index is to be made anew")

// errMore ends a pass that left files to the next one.
var errMore = errors.New("files are left to the next pass")

// worker writes the index of a library.
type worker struct {
	l  *Library
	ix *index.Index
	// rest says that the worker rests as long as it worked.
	rest bool

	asked  []chan error      // by those that wait for a rebuild
	soon   bool              // a file was being changed
	failed map[string]string // the files that this look leaves to the next one, with the reasons
	tries  map[string]tries  // the files that were not read in time
	walked time.Duration
	gone   bool // documents left the index
	purged time.Time
	places map[string]string // where the paths of the folders led at first, by the names of the corpora
}

// attempts is how often a file is read that a busy machine may have kept from being read.
const attempts = 3

// tries counts the attempts to read a file as it is.
type tries struct {
	stamp

	n int
}

// lastTry notes an attempt, and says that no other follows.
func (w *worker) lastTry(file string, was stamp) bool {
	t := w.tries[file]
	if t.stamp != was {
		t = tries{stamp: was}
	}
	if t.n++; t.n >= attempts {
		delete(w.tries, file)
		return true
	}
	if w.tries == nil {
		w.tries = map[string]tries{}
	}
	w.tries[file] = t
	return false
}

// scopeOf is the name of a corpus in the index. A corpus whose folder is another one now begins anew.
func scopeOf(f *Folder) string {
	sum := sha256.Sum256([]byte(f.Dir))
	return "corpus " + f.Name + " " + hex.EncodeToString(sum[:8])
}

// watch looks at the folders until ctx ends.
func (w *worker) watch(ctx context.Context) {
	for ctx.Err() == nil {
		err := w.l.guarded(func() error { return w.look(ctx) })
		for _, done := range w.asked {
			done <- err
		}
		w.asked = nil
		if err != nil && ctx.Err() == nil {
			w.l.o.Log.Warn().Err(err).Msg("the index of the corpora cannot be written; the next look tries it again")
			w.l.troubled(err)
		}
		pause := w.l.o.Period
		if w.soon {
			pause = min(pause, settle)
		}
		w.pause(ctx, max(pause, slowdown*w.walked))
	}
}

// look passes over all folders until no file is left. An index that is damaged, or that somebody wants anew, is emptied
// before.
func (w *worker) look(ctx context.Context) error {
	anew := len(w.asked) > 0
	w.soon, w.failed = false, map[string]string{}
	for damages := 0; ; {
		if anew {
			if err := w.ix.Reset(ctx); err != nil {
				return err
			}
		}
		err := w.pass(ctx)
		anew = true
		switch {
		case errors.Is(err, errMore):
			anew = false
		case errors.Is(err, errAnew):
			clear(w.failed)
		case errors.Is(err, blocks.ErrDamaged) && damages < mostDamages:
			damages++
			w.l.o.Log.Warn().Err(err).Msg("the index of the corpora is damaged and is made anew")
		default:
			return err
		}
	}
}

// pause waits, until somebody asks for a rebuild at the latest.
func (w *worker) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case done := <-w.l.rebuilds:
		w.asked = append(w.asked, done)
	case <-w.l.damaged:
		w.asked = append(w.asked, make(chan error, 1))
	}
}

// pass looks at all folders once, and indexes the files that changed, of each corpus some in turn,
// until its time is over.
func (w *worker) pass(ctx context.Context) error {
	w.walked = 0
	if err := w.register(ctx); err != nil {
		return err
	}
	var looks []*look
	defer func() {
		for _, lk := range looks {
			lk.close()
		}
	}()
	for i := range w.l.o.Folders {
		lk, err := w.begin(ctx, &w.l.o.Folders[i])
		if err != nil {
			return err
		}
		if lk != nil {
			looks = append(looks, lk)
		}
	}
	if err := w.purge(ctx); err != nil {
		return err
	}
	return w.turns(ctx, looks)
}

// turns indexes files until none is left, or no time: errMore.
func (w *worker) turns(ctx context.Context, looks []*look) error {
	over := time.Now().Add(max(passTime, slowdown*w.walked))
	for {
		open := looks[:0:0]
		for _, lk := range looks {
			if len(lk.pending) > 0 {
				if err := w.turn(ctx, lk); err != nil {
					return err
				}
			}
			if len(lk.pending) > 0 {
				open = append(open, lk)
			} else {
				lk.end()
			}
		}
		switch looks = open; {
		case len(looks) == 0:
			return nil
		case time.Now().After(over):
			return errMore
		}
	}
}

// turn indexes some files of a corpus, and rests.
func (w *worker) turn(ctx context.Context, lk *look) error {
	began := time.Now()
	if err := lk.step(ctx); err != nil {
		return err
	}
	if !w.rest {
		return nil
	}
	before := len(w.asked)
	if w.pause(ctx, time.Since(began)); len(w.asked) > before {
		return errAnew
	}
	return ctx.Err()
}

// register takes the documents of former corpora out of the index, and names those of today.
func (w *worker) register(ctx context.Context) error {
	today := map[string]bool{}
	for i := range w.l.o.Folders {
		today[scopeOf(&w.l.o.Folders[i])] = true
	}
	var former []string
	for e, err := range w.ix.Documents(ctx, registry) {
		if err != nil {
			return err
		}
		if !today[e.ID] {
			former = append(former, e.ID)
		}
		delete(today, e.ID)
	}
	if len(former)+len(today) == 0 {
		return nil
	}
	return w.ix.Update(ctx, func(b *index.Batch) error {
		for _, scope := range former {
			if err := errors.Join(b.Drop(scope), b.Remove(registry, scope)); err != nil {
				return err
			}
		}
		for scope := range today {
			if err := b.Put(registry, index.Document{ID: scope}); err != nil {
				return err
			}
		}
		return nil
	})
}

// purge removes the words of documents that are gone from the file.
func (w *worker) purge(ctx context.Context) error {
	if !w.gone || !w.purged.IsZero() && time.Since(w.purged) < purges {
		return nil
	}
	if err := w.ix.Purge(ctx); err != nil {
		return err
	}
	w.gone, w.purged = false, time.Now()
	return nil
}
