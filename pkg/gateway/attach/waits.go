package attach

import (
	"context"
	"maps"
	"sync"

	"parley/pkg/events"
)

// waits knows which messages of this console are under way. The reader of the input and the
// follower of the chat share it.
type waits struct {
	mu      sync.Mutex
	posting chan struct{}   // closed when the message on its way has its id; nil without one
	own     map[string]bool // messages whose turns have not ended
	failed  bool
	busy    bool
	mark    string        // the text by which the last event is known
	heard   chan struct{} // closed at it
}

func newWaits() *waits { return &waits{own: map[string]bool{}} }

func (w *waits) working() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.busy
}

// hasFailed says whether a message got no answer.
func (w *waits) hasFailed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// posts notes a message that is on its way: one at a time.
func (w *waits) posts() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.posting, w.busy = make(chan struct{}), true
}

// posted notes the id of the message; "" where it was not taken.
func (w *waits) posted(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if id == "" {
		w.busy = false
	} else {
		w.own[id] = true
	}
	close(w.posting)
	w.posting = nil
}

// begun notes that a turn answers a message, and says whether this console wrote that. The turn may
// begin before this console knows the id of its message, so that is waited for.
func (w *waits) begun(ctx context.Context, message string) (own bool, err error) {
	for {
		w.mu.Lock()
		w.busy = true
		own, posting := w.own[message], w.posting
		w.mu.Unlock()
		if own || posting == nil {
			return own, nil
		}
		select {
		case <-posting:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// over notes the end of the turn that answers some messages.
func (w *waits) over(messages []string, stop string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, message := range messages {
		w.failed = w.failed || stop == events.StopError && w.own[message]
		delete(w.own, message)
	}
	w.busy = w.posting != nil
}

// missed says that the turns of this console's messages that are not queued any more are over:
// their events were missed. It returns whether any is queued.
func (w *waits) missed(queued map[string]bool) (busy bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.own, func(id string, _ bool) bool { return !queued[id] })
	w.busy = len(w.own) > 0
	return w.busy
}

// listen waits for an event with a text: the channel is closed at it.
func (w *waits) listen(text string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mark, w.heard = text, make(chan struct{})
	return w.heard
}

// hears notes such an event.
func (w *waits) hears(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mark != "" && text == w.mark {
		w.mark = ""
		close(w.heard)
	}
}
