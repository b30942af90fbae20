package files

import (
	"context"
	"sync"
)

// gates let one call at a time change the files of one folder: an edit reads the
// content that it writes back. Chats with folders of their own do not meet.
type gates struct {
	mu   sync.Mutex
	open map[string]*gate
}

type gate struct {
	turn  chan struct{}
	users int
}

// enter waits for its turn in a folder until ctx ends; leave gives it back.
func (g *gates) enter(ctx context.Context, dir string) (leave func(), err error) {
	g.mu.Lock()
	if g.open == nil {
		g.open = map[string]*gate{}
	}
	w := g.open[dir]
	if w == nil {
		w = &gate{turn: make(chan struct{}, 1)}
		g.open[dir] = w
	}
	w.users++
	g.mu.Unlock()
	forget := func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if w.users--; w.users == 0 {
			delete(g.open, dir)
		}
	}
	select {
	case w.turn <- struct{}{}:
		return func() { <-w.turn; forget() }, nil
	case <-ctx.Done():
		forget()
		return nil, ctx.Err()
	}
}
