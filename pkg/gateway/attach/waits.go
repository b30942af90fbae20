package attach

import (
	"maps"
	"sync"

	"parley/pkg/events"
)

// waits knows which messages of this console are under way. The reader of the input and the
// follower of the chat share it.
type waits struct {
	mu      sync.Mutex
	posting string          // the text of a message on its way
	own     map[string]bool // messages whose turns have not ended
	failing map[string]bool // messages whose turns failed before their ids were known
	failed  bool
	busy    bool
	mark    string        // the text by which the last event is known
	heard   chan struct{} // closed at it
}

func newWaits() *waits {
	return &waits{own: map[string]bool{}, failing: map[string]bool{}}
}

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

// posts notes a message that is on its way.
func (w *waits) posts(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.posting, w.busy = text, true
}

// posted notes the id of the message; "" where it was not taken.
func (w *waits) posted(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.posting = ""
	switch {
	case id == "":
		w.busy = false
	case w.failing[id]:
		w.failed = true
		clear(w.failing)
	default:
		w.own[id] = true
		clear(w.failing) // one message is posted at a time
	}
}

// begun notes a turn, and says whether no other console wrote its words.
func (w *waits) begun(d *events.TurnBegun) (own bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = true
	return d.Text == "" || w.own[d.Message] || w.posting == d.Text
}

// over notes the end of the turn of a message.
func (w *waits) over(message, stop string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = false
	switch {
	case stop != events.StopError:
	case w.own[message]:
		w.failed = true
	case w.posting != "":
		w.failing[message] = true
	}
	delete(w.own, message)
}

// missed says that the turns of this console's messages that are not queued any more are over:
// their events were missed.
func (w *waits) missed(queued map[string]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.own, func(id string, _ bool) bool { return !queued[id] })
	w.busy = len(w.own) > 0
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
