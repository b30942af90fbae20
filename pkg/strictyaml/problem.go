package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"parley/pkg/text"
)

// maxPath is the longest path that is shown whole.
const maxPath = 200

// Problem is one mistake, its place, and the text to write instead.
type Problem struct {
	File         string
	Line, Column int
	// Path names the key, such as models.main.temperature.
	Path    string
	Message string
}

// String gives one line: file:line:column: path: message.
func (p Problem) String() string {
	where := p.File
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	if p.Path == "" {
		return where + ": " + p.Message
	}
	path := p.Path
	if strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) || len(path) > maxPath {
		path = text.Quote(path, maxPath)
	}
	return where + ": " + path + ": " + p.Message
}

// Error lists all problems of a file.
type Error struct{ Problems []Problem }

// Error gives a line for each problem, in the order of the file.
func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// NewError lists problems in the order of the file; nil for none.
func NewError(problems ...Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return &Error{Problems: inOrder(problems)}
}

// inOrder sorts problems by their places and drops repetitions.
func inOrder(problems []Problem) []Problem {
	sorted := slices.SortedStableFunc(slices.Values(problems), func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(sorted)
}

// nearest finds the known word that was probably meant; "" for none.
func nearest(word string, known []string) string {
	best, distance := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := text.Distance(strings.ToLower(word), k); d < distance {
			best, distance = k, d
		}
	}
	return best
}
