package passage

import (
	"iter"
	"strings"
	"unicode/utf8"
)

const (
	// Target is the size at which a passage ends with its paragraph, in bytes.
	Target = 1000
	// Most is the size of a passage at most, in bytes.
	Most = 2000
	// The size of a heading with those above it, in bytes.
	maxHeading = 400
	levels     = 6
	// The sign between a heading and the one above it.
	between = " > "
)

// Passage is a piece of a document.
type Passage struct {
	// Heading is the heading of the passage, after those above it.
	Heading string
	// First and Last are its lines. A document begins with line 1.
	First, Last int
	Text        string
}

// Markdown splits a document in Markdown at its headings, and between paragraphs where it is long.
func Markdown(text string) iter.Seq[Passage] { return split(text, true) }

// Text splits a document between its paragraphs where it is long.
func Text(text string) iter.Seq[Passage] { return split(text, false) }

func split(text string, markdown bool) iter.Seq[Passage] {
	return func(yield func(Passage) bool) {
		s := splitter{yield: yield, markdown: markdown}
		for line := range strings.Lines(text) {
			s.n++
			if s.line(strings.TrimRight(line, " \t\r\n")); s.stopped {
				return
			}
		}
		s.flush()
		s.lone()
	}
}

// splitter gathers the lines of a passage.
type splitter struct {
	yield    func(Passage) bool
	stopped  bool
	markdown bool
	headings [levels]string
	fence    string // that ends the code in which the line is
	// bare is the line of the last heading as long as no text is below it, or 0, and level its level.
	bare, level int

	n           int // of the line
	first, last int
	text        strings.Builder
	blank       int // lines without text since the last one with
}

func (s *splitter) line(line string) {
	if s.markdown {
		if level, title := s.heading(line); level > 0 {
			s.flush()
			if level <= s.level {
				s.lone()
			}
			s.headings[level-1] = title
			clear(s.headings[level:])
			s.bare, s.level = s.n, level
			return
		}
	}
	if line == "" {
		if s.text.Len() >= Target {
			s.flush()
		}
		s.blank++
		return
	}
	for line != "" && !s.stopped {
		room := Most
		if s.text.Len() > 0 {
			room -= s.text.Len() + min(s.blank, 1) + 1
		}
		switch {
		case len(line) <= room:
			s.add(line)
			return
		case s.text.Len() > 0:
			s.flush()
		default:
			cut := cutAt(line)
			s.add(line[:cut])
			s.flush()
			line = strings.TrimLeft(line[cut:], " ")
		}
	}
}

// cutAt finds where a line of more than Most bytes is cut: before a space, or else behind a sign, or
// else between letters.
func cutAt(line string) int {
	if at := strings.LastIndexByte(line[:Most], ' '); at > Most/2 {
		return at
	}
	const signs = "。！？；，、" // of scripts without spaces, each of three bytes
	if at := strings.LastIndexAny(line[Most/2:Most], signs); at >= 0 {
		return Most/2 + at + len("。")
	}
	at := Most
	for at > Most-utf8.UTFMax && !utf8.RuneStart(line[at]) {
		at--
	}
	return at
}

// add puts a line, or a part of one, behind the passage so far.
func (s *splitter) add(line string) {
	if s.text.Len() == 0 {
		s.first = s.n
	} else {
		s.text.WriteString(strings.Repeat("\n", min(s.blank, 1)+1))
	}
	s.text.WriteString(line)
	s.last, s.blank = s.n, 0
}

// flush ends the passage.
func (s *splitter) flush() {
	text := s.text.String()
	s.text.Reset()
	s.blank = 0
	if text != "" && !s.stopped {
		s.bare = 0
		s.stopped = !s.yield(Passage{Heading: s.above(), First: s.first, Last: s.last, Text: text})
	}
}

// lone makes a passage of a heading that has no text below it, so that its words are found.
func (s *splitter) lone() {
	if s.bare == 0 || s.stopped || s.headings[s.level-1] == "" {
		return
	}
	s.stopped = !s.yield(Passage{Heading: s.above(), First: s.bare, Last: s.bare, Text: clip(s.headings[s.level-1])})
	s.bare = 0
}

// above is the heading of the passage with as many of those above it as there is room for.
func (s *splitter) above() string {
	all := ""
	for i := levels - 1; i >= 0; i-- {
		h := s.headings[i]
		switch {
		case h == "":
		case all == "":
			all = clip(h)
		case len(h)+len(between)+len(all) <= maxHeading:
			all = h + between + all
		}
	}
	return all
}

func clip(h string) string {
	if len(h) <= maxHeading {
		return h
	}
	return strings.ToValidUTF8(h[:maxHeading], "")
}

// heading tells the headings that begin with #, outside of code.
func (s *splitter) heading(line string) (level int, title string) {
	plain := strings.TrimLeft(line, " ")
	if len(line)-len(plain) > 3 || s.code(plain) {
		return 0, "" // code
	}
	title = strings.TrimLeft(plain, "#")
	level = len(plain) - len(title)
	if level == 0 || level > levels || title != "" && title[0] != ' ' && title[0] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(title)
	if open := strings.TrimRight(title, "#"); open == "" || strings.HasSuffix(open, " ") {
		title = strings.TrimSpace(open)
	}
	return level, title
}

// code tells a line of code between fences, and the fences themselves.
func (s *splitter) code(plain string) bool {
	mark := len(plain) - len(strings.TrimLeft(plain, "`"))
	if mark == 0 {
		mark = len(plain) - len(strings.TrimLeft(plain, "~"))
	}
	switch {
	case s.fence != "":
		if strings.HasPrefix(plain, s.fence) && strings.Trim(plain, s.fence[:1]) == "" {
			s.fence = ""
		}
		return true
	case mark >= 3 && (plain[0] == '~' || !strings.Contains(plain[mark:], "`")): // else it is code within a line
		s.fence = plain[:mark]
		return true
	}
	return false
}
