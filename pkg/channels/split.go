package channels

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// SplitText cuts text into parts of at most limit units as length counts them
// (nil: code points; limit 0: no cut). A longer text must not count less, and
// two texts joined must not count more than each for itself.
//
// It cuts between paragraphs if it can, else between lines, sentences, words,
// graphemes, code points, in this order, but makes no part less than a third
// full for the sake of the first three. A code fence that is open at a cut is
// closed there and opened again in the next part, with its language, unless its
// lines take more than half of limit.
//
// The rules:
//
//   - No part is blank; a blank text has no parts.
//   - A text within limit is one part, unchanged.
//   - Leaving out the added fence lines, the parts follow one another in text with only
//     white space between them.
//   - No part is longer than limit, except one that is a single code point.
//   - Valid UTF-8 stays valid.
func SplitText(text string, limit int, length func(string) int) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if length == nil {
		length = utf8.RuneCountInString
	}
	s := &splitter{limit: limit, length: length, rest: text}
	if limit <= 0 || s.window(limit) == len(text) {
		return []string{text}
	}
	s.rest = strings.TrimRightFunc(text, unicode.IsSpace)
	s.skipSpace()
	var parts []string
	for s.rest != "" {
		parts = append(parts, s.next())
	}
	return parts
}

type splitter struct {
	limit  int
	length func(string) int
	// rest is the text that is in no part yet.
	rest string
	// open is the fence in which rest begins, if any.
	open fence
	// midLine means that rest begins within a line, where no fence line can be.
	midLine bool
}

// next takes the next part off rest.
func (s *splitter) next() string {
	head := s.open.opening()
	room := s.limit - s.length(head)
	far := s.window(room)
	if far == len(s.rest) {
		part := head + s.rest
		s.rest = ""
		return part
	}
	n := far
	if reserve := s.reserve(n); reserve > 0 {
		n = s.window(room - reserve)
	}
	at := s.choose(n)
	if !s.open.isOpen() && strings.TrimSpace(s.rest[:at]) == "" {
		s.rest = strings.TrimLeftFunc(s.rest, unicode.IsSpace)
		return s.next()
	}
	at, inside := s.settle(at, n, far)
	body := s.rest[:at]
	s.rest, s.open = s.rest[at:], inside
	return head + s.trim(body) + inside.closing()
}

// window is how many bytes of rest have room, one code point at least.
func (s *splitter) window(room int) int {
	good, bad := 0, min(len(s.rest), max(room, 1))
	for bad < len(s.rest) && s.length(s.rest[:s.boundary(bad)]) <= room {
		good, bad = bad, min(len(s.rest), bad*2)
	}
	if s.length(s.rest[:s.boundary(bad)]) <= room {
		good = bad
	}
	for bad-good > 1 {
		if mid := (good + bad) / 2; s.length(s.rest[:s.boundary(mid)]) <= room {
			good = mid
		} else {
			bad = mid
		}
	}
	if good = s.boundary(good); good == 0 {
		_, good = utf8.DecodeRuneInString(s.rest)
	}
	return good
}

// boundary is the last start of a code point at or before i; among other bytes, every
// one is a start.
func (s *splitter) boundary(i int) int {
	for back := 0; back < utf8.UTFMax && back <= i; back++ {
		if i-back == len(s.rest) || utf8.RuneStart(s.rest[i-back]) {
			return i - back
		}
	}
	return i
}

// choose finds the best place to cut rest, at n or before.
func (s *splitter) choose(n int) int {
	lowest := 0
	if first, ok := s.lineAt(0, s.open); ok && !s.open.isOpen() {
		lowest = first.end + 1 // an opening line is not left alone
	}
	last := s.breaks(lowest, n)
	for _, kind := range []breakKind{paragraphBreak, lineBreak, sentenceBreak} {
		if last[kind] > n/3 {
			return last[kind]
		}
	}
	if last[wordBreak] > 0 {
		return last[wordBreak]
	}
	if at := s.grapheme(n); at > lowest {
		return at
	}
	return n
}

// breakKind is how good a place is to cut at; a better one is also one of the lesser kinds.
type breakKind int

const (
	noBreak breakKind = iota
	wordBreak
	sentenceBreak
	lineBreak
	paragraphBreak
)

// breaks are the last places of each kind behind lowest, up to n, or 0.
func (s *splitter) breaks(lowest, n int) (last [paragraphBreak + 1]int) {
	visible, ended := false, false // something to show came; a sentence ended here
	for i, r := range s.rest {
		if i > n {
			break
		}
		if visible && i > lowest {
			for kind := s.breakAt(i, r, ended); kind > noBreak; kind-- {
				last[kind] = i
			}
		}
		visible = visible || !unicode.IsSpace(r)
		ended = strings.ContainsRune(".!?…", r) || ended && strings.ContainsRune(`"')]”’»`, r)
	}
	return last
}

// breakAt is the kind of the place before the code point r at i; ended means that a
// sentence ends there if a space follows.
func (s *splitter) breakAt(i int, r rune, ended bool) breakKind {
	switch {
	case r == '\n' && strings.HasPrefix(strings.TrimLeft(s.rest[i+1:], " \t\r"), "\n"):
		return paragraphBreak
	case r == '\n':
		return lineBreak
	case isFullStop(s.rest[:i]):
		return sentenceBreak
	case !unicode.IsSpace(r) || r == '\u00a0':
		return noBreak
	case ended:
		return sentenceBreak
	default:
		return wordBreak
	}
}

// isFullStop says that text ends with a mark that needs no space after it.
func isFullStop(text string) bool {
	return strings.HasSuffix(text, "。") || strings.HasSuffix(text, "！") || strings.HasSuffix(text, "？")
}

// grapheme is the last end of a grapheme at n or before, or 0.
func (s *splitter) grapheme(n int) int {
	const ahead = 256 // enough to see whether n is within one
	at := 0
	for g := graphemes.FromString(s.rest[:s.boundary(min(len(s.rest), n+ahead))]); g.Next() && g.End() <= n; {
		at = g.End()
	}
	return at
}

// trim takes the white space at a cut off body and off rest. Indentation of the
// next line stays, and so does everything within a line of code.
func (s *splitter) trim(body string) string {
	kept := strings.TrimRightFunc(body, unicode.IsSpace)
	after := strings.TrimLeftFunc(s.rest, unicode.IsSpace)
	gap := body[len(kept):] + s.rest[:len(s.rest)-len(after)]
	s.midLine = !strings.Contains(gap, "\n")
	if s.midLine && s.open.isOpen() {
		return body
	}
	s.skipSpace()
	return kept
}

// skipSpace drops blank lines at the start of rest, or the space at which a line was cut.
func (s *splitter) skipSpace() {
	after := strings.TrimLeftFunc(s.rest, unicode.IsSpace)
	space := s.rest[:len(s.rest)-len(after)]
	if s.midLine {
		s.rest = after
		return
	}
	s.rest = s.rest[strings.LastIndexByte(space, '\n')+1:]
}
