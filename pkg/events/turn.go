package events

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley/pkg/channels"
)

// Turn tells the events of one attempt at a turn. All methods of a nil turn may be called:
// they tell no event.
type Turn struct {
	hub *Hub
	at  channels.Address
	id  string

	mu sync.Mutex
	// text and thought grow by pieces, and calls by their ids.
	text, thought growing
	calls         map[string]*growing
	// asked are the calls that wait for a person; told is when each call told its progress.
	asked    map[string]bool
	told     map[string]time.Time
	attempts int
}

// progressEvery is the least time between two events of progress of one call.
const progressEvery = 200 * time.Millisecond

// Begin tells that a turn begins in the chat at an address.
func (h *Hub) Begin(at channels.Address, d TurnBegun) *Turn {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.enter(at)
	begun, _ := d.redacted(h.o.Redact).(TurnBegun)
	h.begin(c, begun)
	return &Turn{
		hub: h, at: at, id: d.Turn, calls: map[string]*growing{}, asked: map[string]bool{}, told: map[string]time.Time{},
	}
}

// Token adds a piece to the answer.
func (t *Turn) Token(piece string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if piece = t.text.add(piece, &t.hub.o); piece != "" {
		t.hub.Tell(t.at, Token{piece})
	}
}

// Reasoning adds a piece to the model's thoughts.
func (t *Turn) Reasoning(piece string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if piece = t.thought.add(piece, &t.hub.o); piece != "" {
		t.hub.Tell(t.at, Reasoning{piece})
	}
}

// CallDelta adds a piece to the arguments of a call; the name is that of the call.
func (t *Turn) CallDelta(id, name, piece string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	g, known := t.calls[id]
	if !known {
		if len(t.calls) == maxOpenCalls {
			return
		}
		g = &growing{}
		t.calls[id] = g
	} else {
		name = ""
	}
	if piece = g.add(piece, &t.hub.o); piece != "" || name != "" {
		t.hub.Tell(t.at, CallDelta{ID: id, Called: name, Arguments: piece})
	}
}

// maxOpenCalls bounds the calls of one answer that are shown while they grow.
const maxOpenCalls = 64

// Answered tells the ends of the growing texts: the round's answer is whole.
func (t *Turn) Answered() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if rest := t.thought.rest(); rest != "" {
		t.hub.Tell(t.at, Reasoning{rest})
	}
	if rest := t.text.rest(); rest != "" {
		t.hub.Tell(t.at, Token{rest})
	}
	for id, g := range t.calls {
		if rest := g.rest(); rest != "" {
			t.hub.Tell(t.at, CallDelta{ID: id, Arguments: rest})
		}
	}
	clear(t.calls)
	t.attempts = 0
}

// Restart voids the round so far.
func (t *Turn) Restart() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text, t.thought = growing{}, growing{}
	clear(t.calls)
	t.attempts++
	t.hub.Tell(t.at, Restart{t.attempts})
}

// Progress tells how far a call is, five times a second at most.
func (t *Turn) Progress(id, text string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); now.Sub(t.told[id]) >= progressEvery {
		t.told[id] = now
		t.hub.Tell(t.at, Progress{ID: id, Text: text})
	}
}

// Asked notes that a person is asked about a call. Its result comes with the decision.
func (t *Turn) Asked(id string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked[id] = true
}

// Result tells the result of a call, unless a person is asked about it.
func (t *Turn) Result(d Result) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asked[d.ID] {
		t.hub.Tell(t.at, d)
	}
}

// Tell adds any other event.
func (t *Turn) Tell(d Data) {
	if t != nil {
		t.hub.Tell(t.at, d)
	}
}

// Abandon ends an attempt without a commit: another one follows.
func (t *Turn) Abandon() { t.end(nil, "") }

// Done tells the end of the turn, behind its last message: awaits is the id of that, or "".
func (t *Turn) Done(d Done, awaits string) { t.end(&d, awaits) }

func (t *Turn) end(d *Done, awaits string) {
	if t == nil {
		return
	}
	h := t.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.enter(t.at)
	if c.turn == t.id {
		c.turn = ""
	}
	if d != nil {
		whole, _ := d.redacted(h.o.Redact).(Done)
		h.end(c, whole, awaits)
	}
	h.leave(c)
}

// growing is a text that comes in pieces. It holds the end back while that may be the
// beginning of a secret, or is a part of a code point.
type growing struct{ held string }

// add takes a piece, and returns the text that may be told now: no secret goes beyond its
// end.
func (g *growing) add(piece string, o *Options) string {
	text := g.held + piece
	keep := max(o.Unsettled(text), partial(text))
	g.held = text[len(text)-keep:]
	return strings.ToValidUTF8(text[:len(text)-keep], "\uFFFD")
}

// rest is the end that was held back. The hub redacts it.
func (g *growing) rest() string {
	held := g.held
	g.held = ""
	return strings.ToValidUTF8(held, "\uFFFD")
}

// partial is the length of an unfinished code point at the end of a text.
func partial(text string) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRuneInString(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
