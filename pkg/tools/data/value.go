package data

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"parley/pkg/text"
)

// The limits of input and output.
const (
	maxBytes  = 256 << 10
	maxDepth  = 100
	maxValues = 100_000
)

// SyntaxError is the mistake in a text, and its place: line and column count from 1,
// 0 is unknown.
type SyntaxError struct {
	Line, Column int
	Message      string
}

// Error gives one line.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

func wrong(line, column int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

// wrongAt places a mistake at an offset in bytes.
func wrongAt(source string, offset int64, format string, args ...any) *SyntaxError {
	before := source[:min(max(0, int(offset)), len(source))]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return wrong(line, column, format, args...)
}

// kind is the kind of a [value].
type kind int

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindText
	kindList
	kindObject
)

// value is data of any format. It is not changed once it is made, so that an alias
// of YAML may share it.
type value struct {
	kind kind
	// text is the content of a scalar: a number's digits as JSON writes them (or .inf,
	// -.inf, .nan), true or false, a text.
	text   string
	items  []*value
	fields []field
	// size counts the value and all within, height its levels.
	size, height int
}

type field struct {
	name  string
	value *value
}

func scalar(k kind, written string) *value { return &value{kind: k, text: written, size: 1, height: 1} }

func list(items []*value) *value {
	v := &value{kind: kindList, items: items, size: 1, height: 1}
	for _, i := range items {
		v.holds(i)
	}
	return v
}

func object(fields []field) *value {
	v := &value{kind: kindObject, fields: fields, size: 1, height: 1}
	for _, f := range fields {
		v.holds(f.value)
	}
	return v
}

func (v *value) holds(w *value) {
	v.size += w.size
	v.height = max(v.height, w.height+1)
}

// check refuses data that is too large to process.
func (v *value) check() error {
	switch {
	case v.size > maxValues:
		return wrong(0, 0, "there are more than %d values in it", maxValues)
	case v.height > maxDepth:
		return wrong(0, 0, "it is nested more than %d levels deep", maxDepth)
	default:
		return nil
	}
}

// plain says whether v is a scalar: not a list and not an object.
func (v *value) plain() bool { return v.kind != kindList && v.kind != kindObject }

// output collects the written text, up to the limit.
type output struct{ b strings.Builder }

func (o *output) put(s string) { o.b.WriteString(s) }

// Write lets the writer of CSV write here.
func (o *output) Write(p []byte) (int, error) { return o.b.Write(p) }

// done gives all of it, or says that it is too long.
func (o *output) done() (string, error) { return o.b.String(), o.full() }

func (o *output) full() error {
	if o.b.Len() > maxBytes {
		return wrong(0, 0, "the result would be longer than %d bytes", maxBytes)
	}
	return nil
}

// shorten makes a name of the data fit into a sentence.
func shorten(s string) string { return text.Quote(s, 60) }
