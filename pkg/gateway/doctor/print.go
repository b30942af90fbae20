package doctor

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"parley/pkg/channels/console"
)

// Printer writes findings for people: a line each, and the cure below it.
type Printer struct {
	W io.Writer
	// Colour marks the verdicts with the colours of a terminal.
	Colour bool
}

// column is the width of the names, so that the findings begin below each other.
const column = 16

// The codes of the colours of verdicts, and the end of a colour.
const (
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
	grey   = "\x1b[90m"
	plain  = "\x1b[0m"
)

// Finding writes a finding. Texts from outside cannot control the terminal.
func (p Printer) Finding(f Finding) error {
	name := console.Sanitize(f.Check)
	if room := column - utf8.RuneCountInString(name); room > 0 {
		name += strings.Repeat(" ", room)
	}
	line := fmt.Sprintf("%s  %s  %s\n", p.mark(f.Verdict), name, console.Sanitize(f.Found))
	if f.Cure != "" {
		line += fmt.Sprintf("      %s %s\n", textCure, console.Sanitize(f.Cure))
	}
	_, err := io.WriteString(p.W, line)
	return err
}

// Summary writes the counts.
func (p Printer) Summary(s Summary) error {
	_, err := fmt.Fprintf(p.W, textSummary, s.OK, s.Warn, s.Fail, s.Skip)
	return err
}

func (p Printer) mark(v Verdict) string {
	mark := fmt.Sprintf("%-4s", v)
	if !p.Colour {
		return mark
	}
	return map[Verdict]string{OK: green, Warn: yellow, Fail: red, Skip: grey}[v] + mark + plain
}
