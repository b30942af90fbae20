package config

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
)

// control finds the first control character that no file of text has, in values and
// comments alike: one reader may end there, another may hide what follows.
func control(file string, raw []byte) *Problem {
	line, column := 1, 1
	for _, r := range string(raw) {
		switch {
		case r == '\n':
			line, column = line+1, 0
		case r == '\t' || r == '\r':
		case unicode.IsControl(r):
			return &Problem{File: file, Line: line, Column: column, Message: character(r)}
		}
		column++
	}
	return nil
}

// character says of a character that it must go.
func character(r rune) string {
	return fmt.Sprintf("holds the character %U, which nobody sees: take it out", r)
}

// visible reports a text that holds more than it shows. A text of one line has no
// line breaks, nothing invisible and no blanks at its ends; one with the tag
// text:"lines" is prose, of which only control characters are refused.
func (w *walker) visible(node ast.Node, s, path string, tag reflect.StructTag) bool {
	prose := tag.Get("text") == "lines"
	hidden := func(r rune) bool {
		if prose {
			return unicode.IsControl(r) && r != '\n' && r != '\t'
		}
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	switch i := strings.IndexFunc(s, hidden); {
	case i >= 0:
		r, _ := utf8.DecodeRuneInString(s[i:])
		w.problem(node, path, "%s", character(r))
	case !prose && strings.TrimSpace(s) != s:
		w.problem(node, path, "begins or ends with a blank: take it out")
	default:
		return true
	}
	return false
}
