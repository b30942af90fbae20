package ongoing

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"parley/pkg/session"
)

// Of is the conversation for which work goes on. Without a session it stands for the whole chat.
type Of struct{ Chat, Session string }

// Covers reports whether a conversation is this one, or one of this chat.
func (o Of) Covers(other Of) bool {
	return o.Chat == other.Chat && (o.Session == "" || o.Session == other.Session)
}

// Works are the work of all chats. The zero value is ready; all methods may be called by many at once.
type Works struct {
	mu      sync.Mutex
	all     map[*work]struct{}
	holds   []*hold
	gone    map[Of]struct{} // those that are forgotten; their ids are not given out again
	changed chan struct{}   // closed when work ends; nil while that is not waited for
}

// work is a turn, or a call of a tool.
type work struct {
	of   Of
	name string                  // for the operator
	end  context.CancelCauseFunc // nil for a call: it ends with its turn or its task
}

// hold is a chat or a conversation for which no turn begins.
type hold struct {
	of       Of
	released chan struct{}
}

type ownKey struct{}

// Begin notes a turn until ended is called. Its context ends with [session.ErrForgotten] where the
// conversation is held; the caller ends the turn then. While it is held already, Begin waits, and returns
// that error when it is over.
func (w *Works) Begin(ctx context.Context, of Of, name string) (own context.Context, ended func(), err error) {
	w.mu.Lock()
	if i := slices.IndexFunc(w.holds, func(h *hold) bool { return h.of.Covers(of) }); i >= 0 {
		released := w.holds[i].released
		w.mu.Unlock()
		select {
		case <-released:
			return nil, nil, session.ErrForgotten
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
	defer w.mu.Unlock()
	if w.isGone(of) {
		return nil, nil, session.ErrForgotten
	}
	it := &work{of: of, name: name}
	own, it.end = context.WithCancelCause(context.WithValue(ctx, ownKey{}, it))
	w.add(it)
	return own, func() { w.remove(it); it.end(nil) }, nil
}

// Note notes a call of a tool until ended is called.
func (w *Works) Note(of Of, name string) (ended func()) {
	it := &work{of: of, name: name}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add(it)
	return func() { w.remove(it) }
}

// isGone reports whether a conversation is forgotten: its turn was read from the store before that. The lock is held.
func (w *Works) isGone(of Of) bool {
	_, chat := w.gone[Of{Chat: of.Chat}]
	_, conversation := w.gone[of]
	return chat || conversation
}

// add notes work; the lock is held.
func (w *Works) add(it *work) {
	if w.all == nil {
		w.all = map[*work]struct{}{}
	}
	w.all[it] = struct{}{}
}

func (w *Works) remove(it *work) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.all, it)
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// Hold ends the turns of a conversation, but for the one that ctx belongs to, and lets none begin until
// release is called; and none any more where it says that the conversation is gone.
func (w *Works) Hold(ctx context.Context, of Of) (release func(gone bool)) {
	h := &hold{of: of, released: make(chan struct{})}
	asks, _ := ctx.Value(ownKey{}).(*work)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holds = append(w.holds, h)
	for it := range w.all {
		if it.end != nil && it != asks && of.Covers(it.of) {
			it.end(session.ErrForgotten)
		}
	}
	return func(gone bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if gone {
			if w.gone == nil {
				w.gone = map[Of]struct{}{}
			}
			w.gone[of] = struct{}{}
		}
		w.holds = slices.DeleteFunc(w.holds, func(other *hold) bool { return other == h })
		close(h.released)
	}
}

// Turns waits until the turns of a conversation have ended, but for the one that ctx belongs to. The error
// names one that has not when ctx ends.
func (w *Works) Turns(ctx context.Context, of Of) error {
	return w.await(ctx, of, func(it *work) bool { return it.end != nil })
}

// All waits so until all work has ended.
func (w *Works) All(ctx context.Context, of Of) error {
	return w.await(ctx, of, func(*work) bool { return true })
}

func (w *Works) await(ctx context.Context, of Of, counts func(*work) bool) error {
	asks, _ := ctx.Value(ownKey{}).(*work)
	for {
		var left *work
		w.mu.Lock()
		for it := range w.all {
			if it != asks && of.Covers(it.of) && counts(it) {
				left = it
			}
		}
		if left == nil {
			w.mu.Unlock()
			return nil
		}
		if w.changed == nil {
			w.changed = make(chan struct{})
		}
		changed := w.changed
		w.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s has not ended: %w", left.name, context.Cause(ctx))
		}
	}
}
