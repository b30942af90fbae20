package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// neighbours are the code points around byte i of s, of which the one there takes
// size; a space stands for none.
func neighbours(s string, i, size int) (before, after rune) {
	before, after = ' ', ' '
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(s[:i])
	}
	if i+size < len(s) {
		after, _ = utf8.DecodeRuneInString(s[i+size:])
	}
	return before, after
}

// escaped writes text that is nothing but text in Markdown. more and next say
// whether something stands before and behind it in its paragraph.
func (d *document) escaped(text string, at place, more, next bool) {
	start := at.line
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if start && (r == ' ' || r == '\t') {
			i += size
			continue
		}
		if r == '\n' || r == hardBreak {
			d.trim()
			if r == hardBreak {
				d.out = append(d.out, "  "...)
			}
			d.newline()
			start = true
			i += size
			continue
		}
		if start {
			if n := ordinal(text[i:]); n > 0 {
				d.out = append(d.out, text[i:i+n]+`\`...)
				i += n
				r, size = utf8.DecodeRuneInString(text[i:])
				d.out = append(d.out, byte(r))
				i += size
				start = false
				continue
			}
		}
		before, after := neighbours(text, i, size)
		if i == 0 && more {
			before = '.'
		}
		if i+size == len(text) && next {
			after = '.'
		}
		d.out = append(d.out, escapedRune(r, before, after, text[i:], at, start)...)
		start = false
		i += size
	}
}

// escapedRune is r in Markdown. rest begins with it; start says that it is the
// first of a line.
func escapedRune(r, before, after rune, rest string, at place, start bool) string {
	apartFrom := unicode.IsSpace(before) && unicode.IsSpace(after) && !start
	escape := false
	switch r {
	case '\\', '`', '[', ']':
		escape = true
	case '*', '~':
		escape = !apartFrom
	case '_':
		escape = !apartFrom && !(isWord(before) && isWord(after))
	case '|':
		escape = at.table || start
	case '#':
		escape = at.heading || start
	case '-', '+', '=', ':':
		escape = start && (unicode.IsSpace(after) || strings.ContainsRune("-+=:|", after))
	case '!':
		escape = after == '.' && len(rest) == 1 // a link may be next
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '&':
		if loc := entity.FindStringIndex(rest[:min(len(rest), 40)]); loc != nil && loc[0] == 0 {
			return "&amp;"
		}
	case '@':
		if calls(rest[1:], before) {
			return "@" + apart
		}
	}
	if escape {
		return `\` + string(r)
	}
	return string(r)
}

// ordinal is how many digits s begins with, if a list would begin there.
func ordinal(s string) int {
	n := 0
	for n < len(s) && n < 10 && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n == 0 || n == 10 || n == len(s) || s[n] != '.' && s[n] != ')' {
		return 0
	}
	if n+1 == len(s) || strings.ContainsRune(" \t\n", rune(s[n+1])) || strings.HasPrefix(s[n+1:], string(hardBreak)) {
		return n
	}
	return 0
}

// calls says whether name, behind an @, would call everybody if Slack linked names.
func calls(name string, before rune) bool {
	if isWord(before) {
		return false
	}
	n := strings.IndexFunc(name, func(r rune) bool { return !isWord(r) })
	if n < 0 {
		n = len(name)
	}
	switch strings.ToLower(name[:n]) {
	case "channel", "here", "everyone", "group":
		return true
	}
	return false
}

// token is what might begin one of Slack's references, however it is spelled.
//
//nolint:gochecknoglobals // it never changes
var token = regexp.MustCompile(`(?i)(?:<|&(?:amp;)*(?:lt|#0*60|#x0*3c);?)\\*[@#!]`)

// disarm puts a zero-width space into whatever might be a reference of Slack's.
// What HTML writes that way, like <!doctype, is left alone.
func disarm(s string) string {
	at := 0
	var b strings.Builder
	for _, loc := range token.FindAllStringIndex(s, -1) {
		rest := s[loc[1]:]
		if s[loc[1]-1] == '!' && (strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "[") || len(rest) >= 7 && strings.EqualFold(rest[:7], "doctype")) {
			continue
		}
		b.WriteString(s[at:loc[1]-1] + apart)
		at = loc[1] - 1
	}
	b.WriteString(s[at:])
	return b.String()
}
