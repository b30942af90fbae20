package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/pkg/channels/markdown"
)

// neighbours are the code points around byte i of s, of which the one there takes
// size; a space stands for a missing one.
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

// Plain text in Markdown continues with text.
func (d *document) escaped(text string, at place) {
	at.start = at.line
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case at.start && (r == ' ' || r == '\t'):
		case r == '\n' || r == markdown.HardBreak:
			d.trim()
			if r == markdown.HardBreak {
				d.out = append(d.out, "  "...)
			}
			d.newline()
			at.start = true
		case at.start && ordinal(text[i:]) > 0:
			size = ordinal(text[i:])
			d.out = append(d.out, text[i:i+size]+`\`+text[i+size:i+size+1]...)
			size++
			at.start = false
		default:
			at.look(text, i, size)
			d.out = append(d.out, at.written(r, text[i:])...)
			at.start = false
		}
		i += size
	}
}

// place is where a text or a character of it stands.
type place struct {
	line           bool // a line of a paragraph begins
	heading, table bool // in one
	more, next     bool // something stands before and behind it on its line
	start          bool // the first of a line
	address        bool // the mark of an address that was not read as a link
	before, after  rune
}

// look notes the surroundings of the character at byte i of text. More text on its
// line, before or behind, counts as a character that is not white space.
func (p *place) look(text string, i, size int) {
	p.before, p.after = neighbours(text, i, size)
	if i == 0 && p.more {
		p.before = '.'
	}
	if i+size == len(text) && p.next {
		p.after = '.'
	}
	p.address = strings.HasPrefix(text[i:], "://") || text[i] == '.' && strings.EqualFold(text[max(0, i-len("www")):i], "www")
}

// written is r in Markdown; rest begins with it.
func (p *place) written(r rune, rest string) string {
	switch r {
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '&':
		if loc := entity.FindStringIndex(rest[:min(len(rest), 40)]); len(loc) > 0 && loc[0] == 0 {
			return "&amp;"
		}
	case '@':
		if calls(rest[1:], p.before) {
			return "@" + apart
		}
	case '!':
		if len(rest) == 1 && p.next { // of a link, it would make an image
			return `\!`
		}
	}
	if p.address || p.isMark(r) {
		return `\` + string(r)
	}
	return string(r)
}

// isMark says whether Markdown might read r as a mark there.
func (p *place) isMark(r rune) bool {
	loose := unicode.IsSpace(p.before) && unicode.IsSpace(p.after) && !p.start
	switch r {
	case '\\', '`', '[', ']':
		return true
	case '*', '~':
		return !loose
	case '_':
		return !loose && (!isWord(p.before) || !isWord(p.after))
	case '|':
		return p.table || p.start
	case '#':
		return p.heading || p.start
	case '-', '+', '=', ':':
		return p.start && (unicode.IsSpace(p.after) || strings.ContainsRune("-+=:|", p.after))
	}
	return false
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
	if n+1 == len(s) || strings.ContainsRune(" \t\n", rune(s[n+1])) || strings.HasPrefix(s[n+1:], string(markdown.HardBreak)) {
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
var token = regexp.MustCompile(`(?i)(?:<|&(?:amp;)*(?:lt|#0*60|#x0*3c);?)\\*[@#!]`)

// disarm puts a zero-width space into whatever might be a reference of Slack's.
// What HTML writes that way, like <!doctype, is left alone.
func disarm(s string) string {
	at := 0
	var b strings.Builder
	for _, loc := range token.FindAllStringIndex(s, -1) {
		rest := s[loc[1]:]
		declares := strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "[") || len(rest) >= 7 && strings.EqualFold(rest[:7], "doctype")
		if s[loc[1]-1] == '!' && declares {
			continue
		}
		b.WriteString(s[at:loc[1]-1] + apart)
		at = loc[1] - 1
	}
	b.WriteString(s[at:])
	return b.String()
}
