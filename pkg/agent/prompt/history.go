package prompt

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// Window is the part of a session's history that a request carries.
type Window struct {
	Messages []providers.Message
	// From is the Seq of its first entry, Tokens its estimated size.
	From   uint64
	Tokens int
	// Cut says that earlier entries had no room, or were cut off before. The history has to
	// begin at From from now on: then the next requests begin with the same messages as
	// this one.
	Cut bool
	// Partial says that the session has entries that Messages lack.
	Partial bool
	// Outside says that content from outside had entered a turn that wrote one of Messages,
	// Tainted that a summary among them was made of such content.
	Outside, Tainted bool
}

// Part is a part of a history: its messages, the oldest first.
type Part struct {
	Messages []providers.Message
	// Outside says that content from outside had entered a turn that wrote one of them.
	Outside bool
}

// Past says which history is read, and how much of it.
type Past struct {
	Session string
	// Space is the folder of the chat's files, for the pictures of earlier turns.
	Space string
	// From is the Seq from which an earlier request had the history, as it had no room for
	// more; 0: the store alone says where the history begins.
	From uint64
	// Budget is in tokens, Entries in messages; 0: 200.
	Budget, Entries int
	// Reach is how far back the entries before a cut are read, in tokens with those behind
	// it; at least twice the budget.
	Reach int
	// Recall is the name of the tool that finds what the window lacks, or "". It is called
	// where the window has a summary; nil: there is no such tool.
	Recall func() string
	// Extra is how many messages are appended to those of the window: room is made for
	// them at once.
	Extra int
}

// Reach is how far back a part that falls out is read, for a history of so many tokens.
func Reach(tokens int) int {
	const twice = 2
	return twice * tokens
}

const (
	// How many entries a request carries by default, so that a turn costs no more in
	// a long conversation of short messages.
	maxHistory = 200
	// Of a history that is full, so many quarters stay. The provider has cached the
	// beginning of the requests, and each cut makes another beginning.
	keptQuarters, quarters = 3, 4
	// How many pictures from earlier turns a request carries, and how many bytes of
	// them.
	maxPictures     = 10
	maxPictureBytes = 8 << 20
	// How many entries of one turn are passed over at most to find the message that
	// began it. No turn has as many; a damaged store may.
	maxPassed = 10_000
)

// stepsLeftOut tells the model that a turn is longer than the part that it reads.
const stepsLeftOut = "\n[the first steps of the work on this are left out of this history]"

// History reads the newest messages that fit the budget, beginning with a person's
// message so that no call is cut from its result. An entry takes a quarter of the
// budget at most, and the steps of one turn take five eighths: of more, the newest are
// kept, behind the message that began the turn. Of a history with more than that, the
// newest three quarters of the budget are kept.
func (r *Reader) History(ctx context.Context, p Past) (Window, error) {
	p.Entries = cmp.Or(p.Entries, maxHistory)
	full := windowBuilder{past: p, most: p.Budget, entries: p.Entries}
	if err := r.o.Store.Tail(ctx, p.Session, 0, full.take); err != nil {
		return Window{}, err
	}
	if !full.cutOff {
		w := full.window()
		w.Cut = full.passedFrom && w.From > 0
		return w, nil
	}
	b := windowBuilder{past: p, most: p.Budget * keptQuarters / quarters, entries: p.Entries * keptQuarters / quarters}
	if err := r.o.Store.Tail(ctx, p.Session, 0, b.take); err != nil {
		return Window{}, err
	}
	w := b.window()
	w.Cut = w.From > 0
	return w, nil
}

// Oldest reads the part of a history that has fallen out of its window: the entries before
// a Seq, as far as [Past].Reach goes.
func (r *Reader) Oldest(ctx context.Context, p Past, before uint64) (Part, error) {
	const twice = 2
	p.From, p.Recall, p.Extra = 0, nil, 0 // it is summarised without a mention of the tool
	p.Entries = cmp.Or(p.Entries, maxHistory)
	all := windowBuilder{past: p, most: max(p.Budget*twice, p.Reach), entries: p.Entries * twice}
	if err := r.o.Store.Tail(ctx, p.Session, 0, all.take); err != nil {
		return Part{}, err
	}
	part, n := Part{}, 0
	whole := all.window().Messages
	for _, e := range all.about {
		if e.seq < before {
			n++
			part.Outside = part.Outside || e.outside
		}
	}
	part.Messages = whole[:n]
	return part, nil
}

// windowBuilder reads a history from its end.
type windowBuilder struct {
	past Past
	// most tokens and entries are kept.
	most, entries int
	// The messages that are kept, the newest first, and the facts of each.
	kept     []providers.Message
	about    []entryFacts
	tokens   int
	pictures room
	// turn is how many of kept, and turnTokens how much, belong to the turn with a
	// beginning that has yet to come.
	turn, turnTokens int
	// passed is how many entries of that turn were passed over; full says that older
	// entries have no room.
	passed int
	full   bool
	// cutOff says that an entry was left out for its age, partial that one was passed over,
	// passedFrom that there are entries before [Past].From.
	cutOff, partial, passedFrom bool
}

// entryFacts are those of an entry: its place in the history, its size, and its marks.
type entryFacts struct {
	seq              uint64
	tokens           int
	outside, summary bool
}

// take is given the entries, the newest first; false wants no more.
func (b *windowBuilder) take(e session.Entry) bool {
	if b.passedFrom = e.Seq < b.past.From; b.passedFrom {
		return false
	}
	if e.Message.Role == providers.RoleSystem {
		return true // instructions are never stored: no gateway wrote this
	}
	if e.Message.Role != providers.RoleUser {
		return b.step(e)
	}
	m := b.shortened(e.Message)
	if b.passed > 0 {
		m.Content += stepsLeftOut
	}
	if e.Summary && b.past.Recall != nil {
		m.Content += recallNote(b.past.Recall())
	}
	n := providers.EstimateTokens(m)
	if b.tokens+n > b.most && len(m.Images) > 0 {
		m.Content += strings.Repeat(noPicture, len(m.Images))
		m.Images = nil
		n = providers.EstimateTokens(m)
	}
	if b.tokens+n > b.most || len(b.kept) >= b.entries {
		b.cutOff = true
		return false
	}
	b.keep(&e, m, n)
	b.turn, b.turnTokens, b.passed = 0, 0, 0
	return !b.full
}

// step takes an entry that a turn made.
func (b *windowBuilder) step(e session.Entry) bool {
	if b.passed > 0 {
		b.passed++
		return b.passed < maxPassed
	}
	m := b.shortened(e.Message)
	n := providers.EstimateTokens(m)
	// The message that began the turn has its place after them.
	b.full = b.tokens+n > b.most || len(b.kept) >= b.entries-1
	if b.full || b.turnTokens+n > b.mostSteps() || b.turn >= b.past.Entries*5/8 {
		b.passed, b.partial = 1, true
		b.cutOff = b.cutOff || b.full
		b.dropResults()
		return true
	}
	b.keep(&e, m, n)
	b.turn++
	b.turnTokens += n
	return true
}

// mostSteps is how many tokens the steps of one turn take: the message that began it has
// room beside them, also in what a cut keeps.
func (b *windowBuilder) mostSteps() int {
	return min(b.past.Budget*5/8, b.most-b.past.Budget*5/16)
}

func (b *windowBuilder) keep(e *session.Entry, m providers.Message, n int) {
	if b.kept == nil {
		most := int(min(e.Seq, uint64(b.entries))) //nolint:gosec // it is small
		b.kept = make([]providers.Message, 0, most+b.past.Extra)
		b.about = make([]entryFacts, 0, most)
	}
	b.kept = append(b.kept, m)
	b.about = append(b.about, entryFacts{e.Seq, n, e.Outside, e.Summary})
	b.tokens += n
}

// dropResults takes back the oldest results of the turn with calls that are passed
// over.
func (b *windowBuilder) dropResults() {
	for ; b.turn > 0; b.turn-- {
		last := len(b.kept) - 1
		if b.kept[last].Role != providers.RoleTool {
			return
		}
		b.tokens -= b.about[last].tokens
		b.cut(last)
	}
}

// cut keeps the newest n.
func (b *windowBuilder) cut(n int) {
	clear(b.kept[n:])
	b.kept, b.about = b.kept[:n], b.about[:n]
}

// window has the kept entries, the oldest first. A turn with a beginning that had no
// room is left out.
func (b *windowBuilder) window() Window {
	b.cut(len(b.kept) - b.turn)
	w := Window{Messages: b.kept}
	for _, e := range b.about {
		w.From = e.seq // the last of them is the oldest
		w.Tokens += e.tokens
		w.Outside = w.Outside || e.outside
		w.Tainted = w.Tainted || e.summary && e.outside
	}
	w.Partial = w.From > 1 || b.cutOff || b.partial
	slices.Reverse(w.Messages)
	return w
}

// room is a request's room for pictures from earlier turns.
type room struct {
	count int
	bytes int64
}

// takes says whether there is room for one more, and counts it then.
func (o *room) takes(img *providers.Image) bool {
	if o.count == maxPictures || o.bytes+img.Size > maxPictureBytes {
		return false
	}
	o.count++
	o.bytes += img.Size
	return true
}

// noPicture stands for a picture that a request has no room for.
const noPicture = "\n[a picture that is no longer shown]"

// shortened is m as a later turn reads it: about a quarter of the budget at most, and
// the pictures for which there is room.
func (b *windowBuilder) shortened(m providers.Message) providers.Message {
	m = providers.Shorten(m, b.past.Budget/4)
	if len(m.Images) == 0 {
		return m
	}
	kept := m.Images[:0:0]
	for _, img := range m.Images {
		if b.pictures.takes(&img) {
			img.Open = opener(b.past.Space, img.Path)
			kept = append(kept, img)
		}
	}
	m.Content += strings.Repeat(noPicture, len(m.Images)-len(kept))
	m.Images = kept
	return m
}
