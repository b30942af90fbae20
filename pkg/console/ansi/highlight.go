package ansi

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/pkg/channels/console"
)

// Highlight is code in lines, with colours where the language is known.
func Highlight(code, language string) []Line {
	code = strings.ReplaceAll(console.Sanitize(code), "\t", "    ")
	l, known := languageOf(language)
	switch {
	case !known:
		l = &syntax{}
	case l.diff:
		return Diff(code)
	}
	h := highlighter{syntax: l}
	h.put("", Look{})
	for rest := code; rest != ""; {
		rest = h.token(rest)
	}
	return h.lines
}

// Diff is text of which lines that begin with a plus are gained, and lines that begin with a minus
// are lost.
func Diff(text string) []Line {
	var all []Line
	for line := range strings.SplitSeq(text, "\n") {
		look := Look{}
		switch {
		case strings.HasPrefix(line, "+"):
			look.Role = Added
		case strings.HasPrefix(line, "-"):
			look.Role = Removed
		case strings.HasPrefix(line, "@"):
			look.Role = Number
		}
		var l Line
		l.Put(strings.ReplaceAll(line, "\t", "    "), look)
		all = append(all, l)
	}
	return all
}

// highlighter takes code apart from left to right.
type highlighter struct {
	*syntax
	growing
}

// token writes the first token of a text, and returns the rest.
func (h *highlighter) token(s string) (rest string) {
	if n := h.comment(s); n > 0 {
		h.put(s[:n], Look{Role: Comment})
		return s[n:]
	}
	first, size := utf8.DecodeRuneInString(s)
	switch {
	case first < utf8.RuneSelf && strings.ContainsRune(h.quotes, first):
		n := h.quoted(s)
		h.put(s[:n], Look{Role: String})
		return s[n:]
	case unicode.IsDigit(first) && h.words != nil:
		n := spanOf(s, func(r rune) bool { return isWord(r) || r == '.' })
		h.put(s[:n], Look{Role: Number})
		return s[n:]
	case isWord(first):
		n := spanOf(s, isWord)
		role := Plain
		if h.words[s[:n]] {
			role = Keyword
		}
		h.put(s[:n], Look{Role: role})
		return s[n:]
	}
	h.put(s[:size], Look{})
	return s[size:]
}

// comment is the length of the comment at the beginning of a text, or 0.
func (h *highlighter) comment(s string) int {
	for _, mark := range h.line {
		if strings.HasPrefix(s, mark) {
			if n := strings.IndexByte(s, '\n'); n >= 0 {
				return n
			}
			return len(s)
		}
	}
	if h.open == "" || !strings.HasPrefix(s, h.open) {
		return 0
	}
	if n := strings.Index(s[len(h.open):], h.closing); n >= 0 {
		return len(h.open) + n + len(h.closing)
	}
	return len(s)
}

// quoted is the length of the string at the beginning of a text. It ends with its line, but in
// backquotes.
func (h *highlighter) quoted(s string) int {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case quote:
			return i + 1
		case '\\':
			if quote != '`' {
				i++
			}
		case '\n':
			if quote != '`' {
				return i
			}
		}
	}
	return len(s)
}

func spanOf(s string, in func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); n >= 0 {
		return n
	}
	return len(s)
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
