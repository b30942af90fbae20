package recall

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// The bounds of a call: how long it searches, how much text and how many entries, and how
// many hits it gives.
const (
	maxTime    = 2 * time.Second
	maxBytes   = 16 << 20
	maxEntries = 20_000
	maxHits    = 10
)

// How much is read at a time, in entries and bytes: the store is held open meanwhile.
const (
	pageEntries = 256
	pageBytes   = 1 << 20
)

// How many characters of an entry a hit shows, and how many of them before the words.
const (
	maxPiece = 400
	lead     = 100
)

// search is one search for words.
type search struct {
	words  []string
	redact func(string) string
	hits   []hit
	// due is the Seq of the entry that comes next, unless it is damaged; skipped counts
	// those that are.
	due, skipped uint64
	// entries and bytes were searched so far.
	entries, bytes int
}

// hit is an entry with the words, and the piece of it around them.
type hit struct {
	entry session.Entry
	piece string
}

// search gives a page of the entries before a place that have all of the words.
func (r *reader) search(ctx context.Context, info *session.Info, words []string, before uint64) (any, error) {
	s := search{words: words, redact: r.o.Redact, due: info.Entries}
	if before > 0 {
		s.due = min(s.due, before-1)
	}
	limit, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	for s.due > 0 && s.goesOn(limit) {
		read, err := s.page(limit, r.o.History, info.Session)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil && limit.Err() == nil {
			return nil, err
		}
		if !read && err == nil { // the rest is damaged
			s.skipped += s.due
			s.due = 0
		}
	}
	a := answer{Entries: make([]entry, 0, len(s.hits))}
	for i := range s.hits {
		a.Entries = append(a.Entries, r.entry(ctx, &s.hits[i].entry, s.hits[i].piece))
	}
	var notes []string
	if s.due > 0 {
		a.Next = s.due + 1
	}
	switch {
	case s.due > 0 && len(s.hits) < maxHits:
		notes = append(notes, fmt.Sprintf(textFurther, a.Next))
	case len(s.hits) == 0:
		notes = append(notes, textNone)
	}
	if s.skipped > 0 {
		notes = append(notes, fmt.Sprintf(textSkipped, s.skipped))
	}
	a.Note = strings.Join(notes, " ")
	return a, nil
}

// goesOn reports whether the search is within its bounds.
func (s *search) goesOn(ctx context.Context) bool {
	return ctx.Err() == nil && len(s.hits) < maxHits && s.entries < maxEntries && s.bytes < maxBytes
}

// page searches the next entries, and reports whether there was one.
func (s *search) page(ctx context.Context, h History, id string) (bool, error) {
	n, size := 0, s.bytes
	err := h.Back(ctx, id, s.due+1, func(e session.Entry) bool {
		n++
		s.look(&e)
		return n < pageEntries && s.bytes-size < pageBytes && s.goesOn(ctx)
	})
	return n > 0, err
}

// look searches one entry.
func (s *search) look(e *session.Entry) {
	s.skipped += s.due - min(e.Seq, s.due)
	s.due = e.Seq - 1
	if e.Undone {
		s.entries++
		return // a person took it out of the conversation
	}
	said := textOf(e)
	s.entries++
	s.bytes += len(said)
	if e.Message.Role == providers.RoleTool && e.Message.Name == Name {
		return // it has the words of an earlier search
	}
	if at := s.find(said); at < 0 {
		return
	}
	said = s.redact(said)
	if at := s.find(said); at >= 0 {
		s.hits = append(s.hits, hit{*e, piece(said, at)})
	}
}

// find is the place of the first word in a text that has all of them, in characters, or -1.
func (s *search) find(said string) int {
	small := lower(said)
	for _, word := range s.words[1:] {
		if !strings.Contains(small, word) {
			return -1
		}
	}
	at := strings.Index(small, s.words[0])
	if at < 0 {
		return -1
	}
	return utf8.RuneCountInString(small[:at])
}

// lower is a text in small letters; each character stays one.
func lower(s string) string { return strings.Map(unicode.ToLower, s) }

// piece is the part of a text around a place.
func piece(said string, at int) string {
	all := []rune(said)
	from := max(0, min(at-lead, len(all)-maxPiece))
	to := min(len(all), from+maxPiece)
	out := string(all[from:to])
	if from > 0 {
		out = "…" + out
	}
	if to < len(all) {
		out += "…"
	}
	return out
}

// textOf is the text of an entry: its words, and the calls that the model made. A search
// is no part of it: each would find the ones before.
func textOf(e *session.Entry) string {
	m := &e.Message
	if len(m.ToolCalls) == 0 {
		return m.Content
	}
	var b strings.Builder
	b.WriteString(m.Content)
	for i := range m.ToolCalls {
		if c := &m.ToolCalls[i]; c.Name != Name {
			b.WriteString("\n[call of " + c.Name + ": " + c.RawArguments + "]")
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// originOf tells where an entry comes from.
func originOf(e *session.Entry) string {
	switch {
	case e.Summary:
		return fromSummary
	case e.Message.Role == providers.RoleAssistant:
		return fromModel
	case e.Message.Role == providers.RoleTool:
		return fromTool + e.Message.Name
	default:
		return fromMessage
	}
}
