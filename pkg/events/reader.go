package events

import (
	"context"

	"parley/pkg/channels"
)

// maxBatch is how many events a reader takes at once.
const maxBatch = 256

// Reader follows one chat. It is for one goroutine.
type Reader struct {
	hub  *Hub
	chat *chat
	pos  uint64 // the number of the last event that it has
}

// Follow begins behind the event with the id after. Without an id it begins before the
// running turn, or with the next event. [ErrReset]: events behind the id are gone. The
// caller closes the reader.
func (h *Hub) Follow(at channels.Address, after string) (*Reader, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.enter(at)
	pos := h.start(c)
	if after != "" {
		var known bool
		if pos, known = h.parse(after); !known || pos < c.floor {
			h.leave(c)
			return nil, ErrReset
		}
	}
	c.readers++
	return &Reader{hub: h, chat: c, pos: pos}, nil
}

// Next waits for events and returns them, at least one. [ErrReset]: the reader was so slow
// that the next events are gone. Any other error is that of ctx.
func (r *Reader) Next(ctx context.Context) ([]Event, error) { return r.NextOr(ctx, nil) }

// NextOr is Next, and returns without events when wake is signalled.
func (r *Reader) NextOr(ctx context.Context, wake <-chan struct{}) ([]Event, error) {
	for {
		batch, changed, err := r.look()
		if err != nil || len(batch) > 0 {
			return batch, err
		}
		select {
		case <-changed:
		case <-wake:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look takes the events that are there, or the channel that tells of the next one.
func (r *Reader) look() ([]Event, <-chan struct{}, error) {
	h, c := r.hub, r.chat
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.pos < c.floor {
		return nil, nil, ErrReset
	}
	found := c.events.after(r.pos, maxBatch)
	if len(found) == 0 {
		if c.changed == nil {
			c.changed = make(chan struct{})
		}
		return nil, c.changed, nil
	}
	batch := make([]Event, len(found))
	for i, e := range found {
		batch[i] = Event{ID: h.id(e.seq), Data: e.data}
	}
	r.pos = found[len(found)-1].seq
	return batch, nil, nil
}

// Close ends the reader.
func (r *Reader) Close() {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.chat.readers--
	r.hub.leave(r.chat)
}
