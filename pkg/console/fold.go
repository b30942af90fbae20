package console

import (
	"os"
	"strings"

	"golang.org/x/term"

	"parley/pkg/console/ansi"
)

// Fold breaks the lines of a text between words, so that a terminal has no need to part one. A word
// that is wider than the terminal stays whole: it can be copied. Where out is no terminal, the text
// is as it was.
func Fold(out *os.File, text string) string {
	width, _, err := term.GetSize(int(out.Fd()))
	if err != nil {
		return text
	}
	return fold(text, width)
}

func fold(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Split(text, " ") {
		first, _, _ := strings.Cut(word, "\n")
		switch {
		case i == 0:
		case column+1+ansi.Columns(first) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		if at := strings.LastIndexByte(word, '\n'); at >= 0 {
			column, word = 0, word[at+1:]
		}
		column += ansi.Columns(word)
	}
	return b.String()
}
