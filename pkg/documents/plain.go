package documents

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// plain gives a text as it is: Markdown with its headings, CSV, JSON, and text.
func plain(kind Kind, data []byte) (*Document, error) {
	s, err := decode(data)
	if err != nil {
		return nil, &Error{Reason: "The file is damaged: it is no text.", cause: err}
	}
	var b builder
	if kind != Markdown {
		b.add(s)
		return b.done(kind), nil
	}
	fence := ""
	for line := range strings.Lines(s) {
		trimmed := strings.TrimSpace(line)
		switch mark := fenceOf(trimmed); {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && mark != "" && strings.HasPrefix(mark, fence) && strings.Trim(trimmed, fence[:1]) == "":
			fence = ""
		case fence == "":
			if level, heading := headingOf(line); level > 0 {
				b.begin(Section{Heading: heading, Level: level})
				continue
			}
		}
		b.add(line)
	}
	return b.done(kind), nil
}

// decode gives bytes as UTF-8: they are UTF-8, UTF-16 with its mark, or Windows-1252.
func decode(data []byte) (string, error) {
	var from encoding.Encoding
	switch {
	case hasUTF16(data):
		from = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case utf8.Valid(data):
		return string(bytes.TrimPrefix(data, []byte("\uFEFF"))), nil
	default:
		from = charmap.Windows1252
	}
	out, err := from.NewDecoder().Bytes(data)
	return string(out), err
}

// headingOf gives the level and the words of a heading of Markdown.
func headingOf(line string) (int, string) {
	const deepest = 6
	const indent = 3
	line = strings.TrimRight(line, " \t\r\n")
	rest := strings.TrimLeft(line, " ")
	words := strings.TrimLeft(rest, "#")
	level := len(rest) - len(words)
	if len(line)-len(rest) > indent || level == 0 || level > deepest || words != "" && words[0] != ' ' && words[0] != '\t' {
		return 0, ""
	}
	words = strings.TrimSpace(words)
	if closing := strings.TrimRight(words, "#"); closing == "" || strings.HasSuffix(closing, " ") {
		words = strings.TrimSpace(closing)
	}
	if words == "" {
		return 0, ""
	}
	return level, words
}

// fenceOf gives the mark with which a line begins or ends a block of code.
func fenceOf(line string) string {
	const least = 3
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= least {
			return strings.Repeat(c, n)
		}
	}
	return ""
}
