package passage

import (
	"iter"
	"strings"
	"unicode/utf8"
)

const (
	// Target is the size of a passage at which the next paragraph begins another one, in bytes.
	Target = 1000
	// Most is the size of a passage at most.
	Most = 2000
	// maxHeading is the length of a heading with those above it.
	maxHeading = 200
)

// Passage is a piece of a document that a search can find.
type Passage struct {
	// Heading is the heading above the passage, after those above that one.
	Heading string
	// First and Last are its lines; a document begins with line 1.
	First, Last int
	// Text is a part of the document, without the headings.
	Text string
}

// Markdown splits a document in Markdown.
func Markdown(text string) iter.Seq[Passage] { return split(text, true) }

// Text splits a document without marks.
func Text(text string) iter.Seq[Passage] { return split(text, false) }

func split(text string, markdown bool) iter.Seq[Passage] {
	return func(yield func(Passage) bool) {
		s := splitter{yield: yield, markdown: markdown}
		for line := range strings.Lines(text) {
			if !s.line(line) {
				return
			}
		}
		s.flush()
	}
}

type splitter struct {
	yield    func(Passage) bool
	markdown bool
	headings [6]string
	n        int // lines so far
	first    int
	last     int
	text     strings.Builder
	fence    string
	stopped  bool
}

func (s *splitter) line(line string) bool {
	s.n++
	plain := strings.TrimSpace(line)
	if s.markdown {
		if level, title := s.heading(line); level > 0 {
			s.flush()
			s.headings[level-1] = title
			clear(s.headings[level:])
			return !s.stopped
		}
	}
	if plain == "" {
		if s.text.Len() >= Target {
			s.flush()
		} else if s.text.Len() > 0 {
			s.text.WriteByte('\n')
		}
		return !s.stopped
	}
	for len(line) > 0 && !s.stopped {
		room := Most - s.text.Len()
		if len(line) <= room {
			s.add(line)
			break
		}
		if s.text.Len() >= Target {
			s.flush()
			continue
		}
		cut := cutAt(line, room)
		s.add(line[:cut])
		line = line[cut:]
		s.flush()
	}
	return !s.stopped
}

// cutAt finds where a line that is too long is cut: behind a space, else between letters.
func cutAt(line string, most int) int {
	if at := strings.LastIndexByte(line[:most], ' '); at > most/2 {
		return at + 1
	}
	for at := most; at > 0; at-- {
		if utf8.RuneStart(line[at]) {
			return at
		}
	}
	return most
}

func (s *splitter) add(text string) {
	if s.text.Len() == 0 {
		s.first = s.n
	}
	s.last = s.n
	s.text.WriteString(text)
}

func (s *splitter) flush() {
	text := strings.TrimRight(s.text.String(), " \t\r\n")
	s.text.Reset()
	if text == "" || s.stopped {
		return
	}
	var above []string
	for _, h := range s.headings {
		if h != "" {
			above = append(above, h)
		}
	}
	heading := strings.Join(above, " > ")
	s.stopped = !s.yield(Passage{Heading: heading, First: s.first, Last: s.last, Text: text})
}

func (s *splitter) heading(line string) (level int, title string) {
	plain := strings.TrimSpace(line)
	if s.fence != "" {
		if strings.HasPrefix(plain, s.fence) {
			s.fence = ""
		}
		return 0, ""
	}
	if strings.HasPrefix(plain, "```") || strings.HasPrefix(plain, "~~~") {
		s.fence = plain[:3]
		return 0, ""
	}
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level == 0 || level > 6 || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
}
