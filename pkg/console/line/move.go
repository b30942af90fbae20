package line

import (
	"unicode"
	"unicode/utf8"
)

// Motion is a way of the cursor: from a place among the characters to another one.
type Motion func(items []Item, at int) int

// Go moves the cursor.
func (l *Line) Go(m Motion) {
	l.at = max(0, min(m(l.items, l.at), len(l.items)))
	l.typing = false
}

// Left goes a character to the left.
func Left(_ []Item, at int) int { return max(0, at-1) }

// Right goes a character to the right.
func Right(items []Item, at int) int { return min(at+1, len(items)) }

// First goes to the beginning of all.
func First([]Item, int) int { return 0 }

// Last goes behind all.
func Last(items []Item, _ int) int { return len(items) }

// Home goes to the beginning of the row of the text.
func Home(items []Item, at int) int {
	for at > 0 && !items[at-1].endsRow() {
		at--
	}
	return at
}

// End goes to the end of the row of the text.
func End(items []Item, at int) int {
	for at < len(items) && !items[at].endsRow() {
		at++
	}
	return at
}

// Rest is [End], and takes the line end where the cursor stands before it.
func Rest(items []Item, at int) int {
	if at < len(items) && items[at].endsRow() {
		return at + 1
	}
	return End(items, at)
}

// WordLeft goes to the beginning of a word.
func WordLeft(items []Item, at int) int {
	for at > 0 && !items[at-1].isWord() {
		at--
	}
	for at > 0 && items[at-1].isWord() {
		at--
	}
	return at
}

// WordRight goes to the end of a word.
func WordRight(items []Item, at int) int {
	for at < len(items) && !items[at].isWord() {
		at++
	}
	for at < len(items) && items[at].isWord() {
		at++
	}
	return at
}

// isWord says whether a character is a part of a word. A label is one of its own.
func (i *Item) isWord() bool {
	r, _ := utf8.DecodeRuneInString(i.Text)
	return i.Label != "" || unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

// endsRow says whether a character is a line end.
func (i *Item) endsRow() bool { return i.Text == "\n" && i.Label == "" }
