package prompt

import (
	"slices"
	"strings"
	"time"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// Exchange is what a person asked, or what a schedule began, with all that came of it: calls,
// results, decisions and reports, up to the next one.
type Exchange struct {
	// From and To are the Seq of its first entry and of its last one; Turns are the turns that it
	// is made of, the newest first.
	From, To uint64
	Turns    []string
	// Time is when its first turn ended.
	Time time.Time
	// Scheduled says that a schedule began it.
	Scheduled bool
	// Asked are the messages that it began with, Answer is the last word of the model, or "".
	Asked  []providers.Message
	Answer string
	// Tools are the tools that were called, in the order of their first calls.
	Tools []string
	// Outside says that content from outside had entered one of its turns.
	Outside bool
}

// Turn is the turn that an exchange began with.
func (x *Exchange) Turn() string { return x.Turns[len(x.Turns)-1] }

// Exchanges calls f with the exchanges of a conversation, the newest first, until f says no. Read
// hands on the entries from the end, as Tail and Back of the store do. Entries that are undone are
// left out, and so is the beginning of a conversation that is no question.
func Exchanges(read func(take func(session.Entry) bool) error, f func(*Exchange) bool) error {
	w := exchangeReader{f: f}
	if err := read(w.take); err != nil {
		return err
	}
	if !w.ended && w.begun() {
		w.hand()
	}
	return nil
}

// exchangeReader reads exchanges from the end of a history.
type exchangeReader struct {
	f func(*Exchange) bool
	// now is the exchange that is being read, nil before its first entry; first is the oldest entry
	// so far, asked are the messages of people in its turn.
	now    *Exchange
	first  session.Entry
	asked  []providers.Message
	passed int
	ended  bool
}

// take is given the entries, the newest first; false wants no more.
func (w *exchangeReader) take(e session.Entry) bool {
	if e.Summary || e.Undone || e.Message.Role == providers.RoleSystem {
		return true
	}
	if w.now != nil && e.Turn != w.first.Turn {
		if w.begun() && !w.hand() {
			w.ended = true
			return false
		}
		w.asked = nil
	}
	if w.now == nil {
		w.now = &Exchange{To: e.Seq}
	}
	w.add(&e)
	w.first = e
	w.passed++
	w.ended = w.passed == maxPassed
	return !w.ended
}

// begun says whether the oldest entry so far begins an exchange.
func (w *exchangeReader) begun() bool {
	return w.now != nil && w.first.Message.Role == providers.RoleUser && w.first.Start != session.StartSequel
}

// hand hands the exchange on.
func (w *exchangeReader) hand() bool {
	x := w.now
	x.From, x.Time, x.Scheduled = w.first.Seq, w.first.Time, w.first.Start == session.StartSchedule
	x.Asked = w.asked
	slices.Reverse(x.Asked)
	slices.Reverse(x.Tools)
	x.Tools = unique(x.Tools)
	w.now, w.asked = nil, nil
	return w.f(x)
}

func (w *exchangeReader) add(e *session.Entry) {
	x, m := w.now, &e.Message
	if n := len(x.Turns); n == 0 || x.Turns[n-1] != e.Turn {
		x.Turns = append(x.Turns, e.Turn)
	}
	x.Outside = x.Outside || e.Outside
	switch m.Role {
	case providers.RoleUser:
		w.asked = append(w.asked, *m)
	case providers.RoleAssistant:
		for i := range slices.Backward(m.ToolCalls) {
			x.Tools = append(x.Tools, m.ToolCalls[i].Name)
		}
		if said := strings.TrimSpace(m.Content); x.Answer == "" && said != NoReply && len(m.ToolCalls) == 0 {
			x.Answer = said
		}
	}
}

// unique leaves the first of equal words.
func unique(words []string) []string {
	var out []string
	for _, word := range words {
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// Again are the messages of an earlier turn for a turn that asks them again, with the pictures of
// the chat's space.
func Again(asked []providers.Message, space string) []providers.Message {
	out := slices.Clone(asked)
	for i := range out {
		out[i].Images = slices.Clone(out[i].Images)
		for j := range out[i].Images {
			img := &out[i].Images[j]
			img.Open = opener(space, img.Path)
		}
	}
	return out
}
