package line

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// MaxText is the longest text in bytes: a message with it fits in a request to the gateway.
const MaxText = 512 << 10

// maxUndo is how many steps back there are, maxKept how many characters they have together.
const (
	maxUndo = 100
	maxKept = 50_000
)

// Item is one character of a line.
type Item struct {
	Text string
	// Label is shown in place of the text, "" for the text itself. File says that the text names
	// a file that goes with the message, by its path.
	Label, File string
}

// Line is a text and the cursor in it. Its zero value is empty.
type Line struct {
	items []Item
	at    int
	// killed is the text that was cut last.
	killed []Item
	undo   []state
	// typing says that the last step went on with a word, which is undone at once.
	typing bool
}

// state is what a line was.
type state struct {
	items []Item
	at    int
}

// Empty says whether there is no text.
func (l *Line) Empty() bool { return len(l.items) == 0 }

// Text is the text.
func (l *Line) Text() string { return textOf(l.items) }

func textOf(items []Item) string {
	var b strings.Builder
	for i := range items {
		b.WriteString(items[i].Text)
	}
	return b.String()
}

// Files are the paths of the files in it, in their order.
func (l *Line) Files() []string {
	var all []string
	for i := range l.items {
		if f := l.items[i].File; f != "" {
			all = append(all, f)
		}
	}
	return all
}

// Before is the text before the cursor as far as it can be completed: behind the last paste or file.
func (l *Line) Before() string {
	from := l.at
	for from > 0 && l.items[from-1].Label == "" {
		from--
	}
	return textOf(l.items[from:l.at])
}

// AtStart says whether the text before the cursor is the beginning of all.
func (l *Line) AtStart() bool {
	return !slices.ContainsFunc(l.items[:l.at], func(i Item) bool { return i.Label != "" })
}

// AtEnd says whether the cursor stands behind all.
func (l *Line) AtEnd() bool { return l.at == len(l.items) }

// Shown is the text with the labels in it.
func (l *Line) Shown() string {
	var b strings.Builder
	for i := range l.items {
		b.WriteString(cmp.Or(l.items[i].Label, l.items[i].Text))
	}
	return b.String()
}

// Set replaces the text, and puts the cursor behind it.
func (l *Line) Set(text string) {
	l.step(false)
	l.items = split(text)
	l.at = len(l.items)
}

// Clear empties the line. It can be undone.
func (l *Line) Clear() {
	if !l.Empty() {
		l.step(false)
	}
	l.items, l.at = nil, 0
}

// Reset empties the line, with all that it knows.
func (l *Line) Reset() { *l = Line{killed: l.killed} }

// Items are the characters.
func (l *Line) Items() []Item { return slices.Clone(l.items) }

// Restore replaces all characters.
func (l *Line) Restore(items []Item) {
	l.step(false)
	l.items = slices.Clone(items)
	l.at = len(l.items)
}

func split(text string) []Item {
	var all []Item
	for g := graphemes.FromString(text); g.Next(); {
		all = append(all, Item{Text: g.Value()})
	}
	return all
}

// step notes the present text for undoing.
func (l *Line) step(typing bool) { //nolint:revive // flag-parameter: typed letters are one step
	if typing && l.typing {
		return
	}
	l.typing = typing
	l.undo = append(l.undo, state{slices.Clone(l.items), l.at})
	kept := 0
	for i := range slices.Backward(l.undo) {
		if kept += len(l.undo[i].items); kept > maxKept || len(l.undo)-i > maxUndo {
			l.undo = slices.Delete(l.undo, 0, i+1)
			break
		}
	}
}

// Undo goes back a step.
func (l *Line) Undo() {
	if n := len(l.undo); n > 0 {
		l.items, l.at = l.undo[n-1].items, l.undo[n-1].at
		l.undo, l.typing = l.undo[:n-1], false
	}
}

// sizeOf is the length of a text in bytes.
func sizeOf(items []Item) int {
	n := 0
	for i := range items {
		n += len(items[i].Text)
	}
	return n
}

// Insert puts a text in at the cursor. It may make one character of it and its neighbours. False:
// the text would be too long.
func (l *Line) Insert(text string) bool {
	if text == "" || sizeOf(l.items)+len(text) > MaxText {
		return text == ""
	}
	l.step(!strings.ContainsFunc(text, unicode.IsSpace))
	from, to := l.at, l.at
	joined := text
	if from > 0 && l.items[from-1].Label == "" && !l.items[from-1].endsRow() {
		from--
		joined = l.items[from].Text + joined
	}
	behind := ""
	if to < len(l.items) && l.items[to].Label == "" && !l.items[to].endsRow() {
		behind = l.items[to].Text
		to++
	}
	fresh := split(joined + behind)
	l.items = slices.Replace(l.items, from, to, fresh...)
	l.at = from
	for n := 0; n < len(joined) && l.at < len(l.items); l.at++ { // behind the text, or the character that it became a part of
		n += len(l.items[l.at].Text)
	}
	return true
}

// Put puts one character with a label in at the cursor, such as a large paste or a file.
func (l *Line) Put(i Item) bool {
	if sizeOf(l.items)+len(i.Text) > MaxText {
		return false
	}
	l.step(false)
	l.items = slices.Insert(l.items, l.at, i)
	l.at++
	return true
}

// Complete replaces the last bytes before the cursor, which are a part of [Line.Before].
func (l *Line) Complete(bytes int, text string) {
	l.step(false)
	from := l.at
	for n := 0; n < bytes && from > 0 && l.items[from-1].Label == ""; {
		from--
		n += len(l.items[from].Text)
	}
	l.items = slices.Delete(l.items, from, l.at)
	l.at = from
	l.Insert(text)
}

// Erase takes away what is between the cursor and the end of a motion.
func (l *Line) Erase(m Motion) {
	to := m(l.items, l.at)
	from := min(l.at, to)
	if to = max(l.at, to); from == to {
		return
	}
	l.step(false)
	l.items = slices.Delete(l.items, from, to)
	l.at = from
}

// Cut is [Line.Erase], and keeps what it takes away for [Line.Yank].
func (l *Line) Cut(m Motion) {
	to := m(l.items, l.at)
	if from := min(l.at, to); from != max(l.at, to) {
		l.killed = slices.Clone(l.items[from:max(l.at, to)])
	}
	l.Erase(m)
}

// Yank puts back what was cut last.
func (l *Line) Yank() {
	if len(l.killed) == 0 || sizeOf(l.items)+sizeOf(l.killed) > MaxText {
		return
	}
	l.step(false)
	l.items = slices.Insert(l.items, l.at, slices.Clone(l.killed)...)
	l.at += len(l.killed)
}
