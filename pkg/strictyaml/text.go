package strictyaml

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
)

// Control finds the first control character that no file of text has, in values and
// comments alike: one reader may end there, another may hide the rest. Nil for none.
func Control(raw []byte) *Problem {
	line, column := 1, 1
	for _, r := range string(raw) {
		switch {
		case r == '\n':
			line, column = line+1, 0
		case r == '\t' || r == '\r':
		case unicode.IsControl(r):
			return &Problem{Line: line, Column: column, Message: character(r)}
		}
		column++
	}
	return nil
}

// character is the problem of an invisible character.
func character(r rune) string {
	return fmt.Sprintf("holds the character %U, which nobody sees: take it out", r)
}

// Visible reports a text that holds more than it shows. A text of one line has no line
// breaks, no invisible characters and no blanks at its ends; one with the tag
// text:"lines" is prose, in which only control characters are problems.
func (w *Walker) Visible(node ast.Node, s, path string, tag reflect.StructTag) bool {
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
		w.Refuse(node, path, "%s", character(r))
	case !prose && strings.TrimSpace(s) != s:
		w.Refuse(node, path, "begins or ends with a blank: take it out")
	default:
		return true
	}
	return false
}
