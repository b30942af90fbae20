package events

import (
	"container/list"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/pkg/channels"
)

// The bounds of a hub.
const (
	// The size of the events of one chat, and that of all; beyond maxAll a chat has minChat.
	maxChat = 1 << 20
	minChat = 64 << 10
	maxAll  = 32 << 20
	// How long the events of a chat are kept after its last turn.
	keepFor = 2 * time.Minute
)

// ErrReset says that events after an id are missing: read the chat from the store, then
// follow it from its [Hub.Mark].
var ErrReset = errors.New("events: the events after this id are gone")

// Options are the parts that a [Hub] works with.
type Options struct {
	// Redact removes secrets from a text. Unsettled is the length in bytes of the longest
	// end of a text that may be the beginning of a secret.
	Redact    func(string) string
	Unsettled func(string) int
	// Group is the group of a chat for those who watch several, such as its person.
	Group func(channels.Address) string
}

// Hub has the lists of all chats. A nil hub keeps no list. It is safe for many goroutines.
type Hub struct {
	o     Options
	epoch string // of this process

	mu sync.Mutex
	// seq is the number of the newest event of all chats; gone is that of the newest one
	// of a chat that was dropped.
	seq, gone uint64
	chats     map[channels.Address]*chat
	size      int
	watches   map[string]map[*Watch]bool // by their groups
	// idle are the chats without a turn and without a reader, the longest idle first. The
	// timer drops them; it is set while there are some.
	idle  *list.List
	timer *time.Timer
}

// New is a hub without events.
func New(o Options) *Hub {
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Unsettled == nil {
		o.Unsettled = func(string) int { return 0 }
	}
	if o.Group == nil {
		o.Group = func(channels.Address) string { return "" }
	}
	return &Hub{
		o: o, epoch: strconv.FormatInt(time.Now().UnixMilli(), 36),
		chats: map[channels.Address]*chat{}, idle: list.New(), watches: map[string]map[*Watch]bool{},
	}
}

// Tell adds an event to the list of the chat at an address.
func (h *Hub) Tell(at channels.Address, d Data) {
	if h == nil {
		return
	}
	d = d.redacted(h.o.Redact)
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.enter(at)
	h.tell(c, d)
	h.leave(c)
}

// Announce adds an event to the lists of all chats whose addresses are meant, where somebody reads.
func (h *Hub) Announce(meant func(channels.Address) bool, d Data) {
	d = d.redacted(h.o.Redact)
	h.mu.Lock()
	defer h.mu.Unlock()
	for at, c := range h.chats {
		if c.readers > 0 && meant(at) {
			h.tell(c, d)
		}
	}
}

// Delivered tells of the outcome of the message with an id, and says Done behind it where
// the message is the last one of its turn.
func (h *Hub) Delivered(at channels.Address, id string, d Data) {
	if h == nil {
		return
	}
	d = d.redacted(h.o.Redact)
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.enter(at)
	h.add(c, d)
	switch {
	case c.ends != nil && c.awaits == id:
		h.finish(c)
	case c.turn != "" || len(c.held) > 0:
		c.early = append(c.early, id) // its turn ends later than it leaves
		c.early = c.early[max(0, len(c.early)-maxEarly):]
	}
	h.leave(c)
}

// maxEarly is how many of the messages that left during a turn are remembered.
const maxEarly = 8

// add appends an event and wakes the readers; the lock is held.
func (h *Hub) add(c *chat, d Data) {
	h.seq++
	h.size += c.events.push(entry{seq: h.seq, data: d})
	limit := maxChat
	if h.size > maxAll {
		h.dropIdle(time.Time{})
		if h.size > maxAll {
			limit = minChat
		}
	}
	h.size -= c.trim(limit)
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
	if tells(d) {
		h.changed(c.at)
	}
}

// Mark is the id from which a reader that has read the chat from the store goes on: it has
// the events of the running turn, if there is one, still before it.
func (h *Hub) Mark(at channels.Address) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id(h.start(h.chats[at]))
}

// Messages are the delivered messages that the list of a chat has, oldest first: the store has
// a message a moment later than its event.
func (h *Hub) Messages(at channels.Address) []Message {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.chats[at]
	if c == nil {
		return nil
	}
	var all []Message
	for _, e := range c.events.after(0, c.events.len()) {
		if m, ok := e.data.(Message); ok {
			all = append(all, m)
		}
	}
	return all
}

// Lost is the id of no event: a reader that follows it is told to read the chat anew.
const Lost = "0-0"

// MarkOf is the id behind which the events of the turn of a message follow; false where the
// list of its chat does not have them.
func (h *Hub) MarkOf(at channels.Address, message string) (id string, ok bool) {
	id, _, ok = h.markOf(at, func(d Data) bool {
		begun, is := d.(TurnBegun)
		return is && begun.Message == message
	})
	return id, ok
}

// MarkOfAnswer is the same for the turn in which a question was answered, with its id.
func (h *Hub) MarkOfAnswer(at channels.Address, question string) (id, turn string, ok bool) {
	return h.markOf(at, func(d Data) bool {
		resolved, is := d.(Resolved)
		return is && resolved.ID == question
	})
}

// markOf finds the turn with the newest event of a kind.
func (h *Hub) markOf(at channels.Address, is func(Data) bool) (id, turn string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.chats[at]
	if c == nil {
		return "", "", false
	}
	all := slices.Clip(c.events.after(0, c.events.len()))
	for _, e := range c.held { // their numbers will be higher
		all = append(all, entry{seq: h.seq + 1, data: e.data})
	}
	for _, e := range slices.Backward(all) { // a turn may have begun anew
		ok = ok || is(e.data)
		if begun, first := e.data.(TurnBegun); first && ok {
			return h.id(e.seq - 1), begun.Turn, true
		}
	}
	return "", "", false
}

// start is the number of the event before the running turn, or of the newest one; the lock
// is held.
func (h *Hub) start(c *chat) uint64 {
	if c != nil && c.turn != "" && c.began > c.floor {
		return c.began - 1
	}
	return h.seq
}

func (h *Hub) id(seq uint64) string { return h.epoch + "-" + strconv.FormatUint(seq, 10) }

// parse reads an id; false for one of another process.
func (h *Hub) parse(id string) (uint64, bool) {
	epoch, digits, _ := strings.Cut(id, "-")
	seq, err := strconv.ParseUint(digits, 10, 64)
	return seq, err == nil && epoch == h.epoch && seq <= h.seq
}

// enter finds a chat, or makes it; the lock is held.
func (h *Hub) enter(at channels.Address) *chat {
	c := h.chats[at]
	if c == nil {
		c = &chat{at: at, floor: h.gone}
		h.chats[at] = c
	}
	if c.place != nil {
		h.idle.Remove(c.place)
		c.place = nil
	}
	return c
}

// leave notes that a chat may be idle; the lock is held.
func (h *Hub) leave(c *chat) {
	if c.turn != "" || c.readers > 0 || c.place != nil {
		return
	}
	if c.events.len() == 0 { // a reader looked at a chat without events
		delete(h.chats, c.at)
		return
	}
	c.since = time.Now()
	c.place = h.idle.PushBack(c)
	if h.timer == nil {
		h.timer = time.AfterFunc(keepFor, h.sweep)
	}
}

// sweep drops the chats that were idle for long, and comes again while there are others.
func (h *Hub) sweep() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = nil
	h.dropIdle(time.Now().Add(-keepFor))
	if oldest := h.idle.Front(); oldest != nil {
		c, _ := oldest.Value.(*chat)
		h.timer = time.AfterFunc(time.Until(c.since.Add(keepFor)), h.sweep)
	}
}

// dropIdle drops the chats that have been idle since before a time, or with the zero time
// as many as it takes to be within the bound; the lock is held.
func (h *Hub) dropIdle(before time.Time) {
	for oldest := h.idle.Front(); oldest != nil; oldest = h.idle.Front() {
		c, _ := oldest.Value.(*chat)
		if before.IsZero() && h.size <= maxAll || !before.IsZero() && c.since.After(before) {
			return
		}
		h.idle.Remove(oldest)
		delete(h.chats, c.at)
		h.size -= c.events.size + c.heldSize
		h.gone = max(h.gone, c.events.newest(), c.floor)
	}
}
