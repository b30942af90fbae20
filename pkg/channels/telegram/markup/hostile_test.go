package markup_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/pkg/channels/telegram/markup"
)

func hostile() map[string]func(n int) string {
	grow := func(n int, piece func(i int) string) string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString(piece(i))
		}
		return b.String()
	}
	repeat := func(s string) func(int) string {
		return func(n int) string { return strings.Repeat(s, n/len(s)) }
	}
	return map[string]func(n int) string{
		"quotation marks":       repeat(">"),
		"quotation, lazy lines": func(n int) string { return strings.Repeat(">", n/2) + strings.Repeat("\na", n/4) },
		"quotations that grow":  func(n int) string { return grow(n, func(i int) string { return strings.Repeat(">", i) + "a\n" }) },
		"stars":                 repeat("*"),
		"stars and letters":     repeat("*a"),
		"strong and weak":       repeat("*a **a "),
		"openers":               repeat("*a_ "),
		"openers then closers":  func(n int) string { return strings.Repeat("_a ", n/6) + strings.Repeat("a* ", n/6) },
		"spoilers":              repeat("||a "),
		"tildes":                repeat("a~~ ~~~b "),
		"brackets":              repeat("["),
		"open links":            repeat("[a]("),
		"open link targets":     repeat("[a](<b"),
		"images in images":      repeat("![[]()"),
		"nested brackets":       func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
		"nested images":         func(n int) string { return strings.Repeat("![", n/7) + strings.Repeat("](/a)", n/7) },
		"backticks that grow":   func(n int) string { return grow(n, func(i int) string { return strings.Repeat("`", i) + " " }) },
		"open tags":             repeat("<a "),
		"open tags on lines":    repeat("<x\n"),
		"open comments":         repeat("a <!--"),
		"character references":  repeat("&#"),
		"nested lists":          repeat("- "),
		"nested numbers":        repeat("1. "),
		"lists in quotations":   repeat("> - "),
		"lists that grow":       func(n int) string { return grow(n, func(i int) string { return strings.Repeat("  ", i) + "- a\n" }) },
		"list":                  repeat("- a\n"),
		"table without cells": func(n int) string {
			return strings.Repeat("|a", n/6) + "|\n" + strings.Repeat("|-", n/6) + "|\n" + strings.Repeat("|\n", n/6)
		},
		"tables without cells": repeat(strings.Repeat("|", 100) + "\n" + strings.Repeat("|-", 99) + "|\n" + strings.Repeat("|\n", 50) + "\n"),
		"table, one wide cell": func(n int) string {
			return "|a|\n|-:|\n|" + strings.Repeat("a", n/2) + "\n" + strings.Repeat("|x\n", n/6)
		},
		"escaped pipes": func(n int) string { return "|a|\n|-|\n" + strings.Repeat("|`\\|`|\n", n/7) },
		"half tables":   repeat("-|-\n"),
		"definitions":   func(n int) string { return grow(n, func(i int) string { return fmt.Sprintf("[a%d]: b\n", i) }) },
		"one long target": func(n int) string {
			return "[a]: http://a.b/" + strings.Repeat("c", 2000) + "\n\n" + strings.Repeat("[a]\n\n", n/5)
		},
		"open definitions": repeat("[a]: b 'c\n\n"),
		"lines":            repeat("a\n"),
		"paragraphs":       repeat("a\n\n"),
		"words":            repeat("word "),
		"addresses":        repeat(" http://a.bc"),
		"live addresses":   repeat("*tg*://a. "),
		"schemes":          repeat("tg://"),
		"mail":             repeat(" a@a.a"),
		"spaces":           func(n int) string { return "a" + strings.Repeat(" ", n) + "b" },
		"tabs":             func(n int) string { return strings.Repeat("\t", n) + "b" },
		"closing hashes":   func(n int) string { return "# a" + strings.Repeat(" #", n/2) },
		"underlined":       repeat("a\n=\n"),
		"indented code":    repeat("    a\n\n"),
		"blank lines":      func(n int) string { return "- a\n" + strings.Repeat("\n", n) + "  b" },
		"code without end": func(n int) string { return "```go\n" + strings.Repeat("x\n", n/2) },
		"one line of code": func(n int) string { return "```\n" + strings.Repeat("x", n) },
		"backslashes":      repeat("\\"),
		"one grapheme":     repeat("\u0301"),
		"one emoji":        repeat("👩\u200d"),
		"invisible":        repeat("\u200b"),
		"ampersands":       repeat("& "),
		"bold words":       repeat("**a** "),
		"not UTF-8":        repeat("\xff"),
		"NUL":              repeat("\x00"),
	}
}

// TestHostile renders what would take a parser, or a stack, that is not bounded
// for hours: with time that grows with the square of the length these cases do not end.
func TestHostile(t *testing.T) {
	t.Parallel()
	const length = 1 << 17
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			md := text(length)
			total := 0
			for _, part := range markup.Render(md, 0) {
				total += len(part)
			}
			if most := 8 * len(md); total > most {
				t.Errorf("%d bytes became %d", len(md), total)
			}
		})
	}
}

// TestHostileSmall holds the same texts, shorter, against the rules.
func TestHostileSmall(t *testing.T) {
	t.Parallel()
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			md := text(5000)
			check(t, md, 300)
			if shown := squeeze(check(t, md, 4096)); shown == "" && squeeze(md) != "" && name != "NUL" {
				t.Error("nothing is shown")
			}
		})
	}
}
