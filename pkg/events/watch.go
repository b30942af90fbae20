package events

import "parley/pkg/channels"

// maxChanged is how many chats a watch remembers until they are taken.
const maxChanged = 256

// Watch tells in which chats of a group something has happened, for a reader that follows one
// of them. It is for one goroutine.
type Watch struct {
	hub   *Hub
	group string
	wake  chan struct{}
	// The hub's lock guards these. changed are the chats since the last look; late says that
	// they were more than maxChanged.
	changed map[channels.Address]bool
	late    bool
}

// Watch begins to watch the chats of a group, see [Options]. The caller closes it.
func (h *Hub) Watch(group string) *Watch {
	w := &Watch{hub: h, group: group, wake: make(chan struct{}, 1), changed: map[channels.Address]bool{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watches[group] == nil {
		h.watches[group] = map[*Watch]bool{}
	}
	h.watches[group][w] = true
	return w
}

// Wake is signalled when there is something to take.
func (w *Watch) Wake() <-chan struct{} { return w.wake }

// Take returns the chats in which something has happened since the last call. [ErrReset]:
// there were too many, and all chats are to be read anew.
func (w *Watch) Take() ([]channels.Address, error) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	if w.late {
		return nil, ErrReset
	}
	all := make([]channels.Address, 0, len(w.changed))
	for at := range w.changed {
		all = append(all, at)
	}
	clear(w.changed)
	return all, nil
}

// Close ends the watch.
func (w *Watch) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.watches[w.group], w)
	if len(w.hub.watches[w.group]) == 0 {
		delete(w.hub.watches, w.group)
	}
}

// Changed tells those who watch the chat at an address that something has happened there.
func (h *Hub) Changed(at channels.Address) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed(at)
}

// changed is Changed; the lock is held.
func (h *Hub) changed(at channels.Address) {
	if len(h.watches) == 0 {
		return
	}
	for w := range h.watches[h.o.Group(at)] {
		if len(w.changed) == maxChanged && !w.changed[at] {
			w.late = true
		} else {
			w.changed[at] = true
		}
		select {
		case w.wake <- struct{}{}:
		default: // it is signalled already
		}
	}
}

// tells says whether an event changes how its chat looks in a list. The delivery of a message
// does so too, once it is stored: see [Hub.Changed].
func tells(d Data) bool {
	switch d.(type) {
	case TurnBegun, Done, Resolved:
		return true
	default:
		return false
	}
}
