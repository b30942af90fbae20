package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley/pkg/fair"
	"parley/pkg/index"
	"parley/pkg/index/blocks"
	"parley/pkg/session"
)

const (
	// How many searches run at once.
	maxSearches = 2
	// How long a search brings the index up to date.
	catchUpTime = 10 * time.Second
	// How many conversations that a chat left behind are searched.
	maxLeft = 1000
	// How often a search looks for conversations that the store has forgotten by itself.
	sweepEvery = time.Hour
)

// Store is where conversations are read; [session.Sessions] is one.
type Store interface {
	// Get finds a session.
	Get(ctx context.Context, sessionID string) (session.Info, error)
	// Left returns the sessions with entries that a chat left behind, the one that was active last first.
	Left(ctx context.Context, chat string, limit int) ([]session.Info, error)
	// Back gives the entries of a session with Seq < before, the newest first, until f says no.
	Back(ctx context.Context, sessionID string, before uint64, f func(session.Entry) bool) error
}

// Options are the needs of a [History].
type Options struct {
	// Path is that of the file of the index; its folder is made.
	Path  string
	Store Store
	// Redact removes secrets; nil leaves texts as they are.
	Redact func(string) string
	// Now is the clock; nil: [time.Now].
	Now func() time.Time
}

// History searches the pasts of chats.
type History struct {
	o      Options
	places *fair.Places

	// stable is held by those that read entries of the store and write them to the index, and held
	// alone by those that remove what the store has forgotten: no word comes back behind them.
	stable sync.RWMutex

	mu    sync.Mutex // guards the rest
	ix    *index.Index
	swept time.Time
	ended bool
}

// New makes a History. The file is opened by the first search.
func New(o Options) *History {
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &History{o: o, places: fair.New(maxSearches)}
}

// open opens the index once.
func (h *History) open() (*index.Index, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ended:
		return nil, index.ErrClosed
	case h.ix != nil:
		return h.ix, nil
	}
	if err := os.MkdirAll(filepath.Dir(h.o.Path), 0o700); err != nil {
		return nil, fmt.Errorf("the index of conversations: %w", err)
	}
	ix, err := index.Open(h.o.Path)
	if err != nil {
		return nil, fmt.Errorf("the index of conversations: %w", err)
	}
	h.ix = ix
	return ix, nil
}

// Close closes the index. A second call has no effect.
func (h *History) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	if h.ix == nil {
		return nil
	}
	ix := h.ix
	h.ix = nil
	return ix.Close()
}

// Rebuild empties the index. Each chat is indexed again by its next search.
func (h *History) Rebuild(ctx context.Context) error {
	ix, err := h.open()
	if err != nil {
		return err
	}
	h.stable.Lock()
	defer h.stable.Unlock()
	return ix.Reset(ctx)
}

// Forget removes the words of a chat from the file, and those of all conversations that the store has
// forgotten. It is called after the store has forgotten the chat; a chat that is still there is indexed
// again by its next search.
func (h *History) Forget(ctx context.Context, chat string) error {
	if _, err := os.Lstat(h.o.Path); errors.Is(err, fs.ErrNotExist) {
		return nil // no search has made one
	}
	ix, err := h.open()
	if err != nil {
		return err
	}
	return h.anew(ctx, ix, func() error { return h.sweep(ctx, ix, chat) })
}

// anew does something with the index, and empties it where it is damaged: so it has no word either.
func (h *History) anew(ctx context.Context, ix *index.Index, do func() error) error {
	err := do()
	if errors.Is(err, blocks.ErrDamaged) {
		h.stable.Lock()
		defer h.stable.Unlock()
		return ix.Reset(ctx)
	}
	return err
}

// sweepDue sweeps where no sweep was for a while.
func (h *History) sweepDue(ctx context.Context, ix *index.Index) error {
	h.mu.Lock()
	now := h.o.Now()
	due := h.swept.IsZero() || now.Sub(h.swept) >= sweepEvery || now.Before(h.swept)
	if due {
		h.swept = now
	}
	h.mu.Unlock()
	if !due {
		return nil
	}
	return h.sweep(ctx, ix, "")
}

// sweep drops a chat, and the chats of which the store has forgotten a conversation or moved one to
// another chat, and makes the file anew without them.
func (h *History) sweep(ctx context.Context, ix *index.Index, chat string) error {
	h.stable.Lock()
	defer h.stable.Unlock()
	var gone []string
	for known, err := range ix.Documents(ctx, chatsScope) {
		if err != nil {
			return err
		}
		stays, err := h.stays(ctx, ix, known.ID)
		if err != nil {
			return err
		}
		if !stays || known.ID == chat {
			gone = append(gone, known.ID)
		}
	}
	if chat == "" && len(gone) == 0 {
		return nil
	}
	err := ix.Update(ctx, func(b *index.Batch) error {
		for _, id := range gone {
			if err := drop(b, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return ix.Purge(ctx)
}

// stays says that all conversations of which the index has words are those of the chat still.
func (h *History) stays(ctx context.Context, ix *index.Index, chat string) (bool, error) {
	for doc, err := range ix.Documents(ctx, marksScope(chat)) {
		if err != nil {
			return false, err
		}
		info, err := h.o.Store.Get(ctx, doc.ID)
		switch {
		case errors.Is(err, session.ErrNotFound), err == nil && info.Chat != chat:
			return false, nil
		case err != nil && !errors.Is(err, session.ErrCorrupt):
			return false, err
		}
	}
	return true, nil
}
