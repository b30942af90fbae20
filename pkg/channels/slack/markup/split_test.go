package markup_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"parley/pkg/channels/slack/markup"
)

func TestSplitKeepsAShortTextInOnePart(t *testing.T) {
	t.Parallel()
	if parts := markup.Split("# a\n\nb\n\n- c\n"); len(parts) != 1 || parts[0] != "# a\n\nb\n\n- c" {
		t.Errorf("%q", parts)
	}
	if parts := markup.Split(" \n\t\u200b"); len(parts) != 0 {
		t.Errorf("nothing became %q", parts)
	}
}

// TestSplitOpensFencesAgain cuts a block of code between its lines.
func TestSplitOpensFencesAgain(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for i := range 600 {
		fmt.Fprintf(&code, "line %d of the code\n", i)
	}
	parts := markup.Split("Look:\n\n```go\n" + code.String() + "```\n\nEnd.")
	if len(parts) < 3 {
		t.Fatalf("%d parts", len(parts))
	}
	var all strings.Builder
	for i, part := range parts {
		begin := strings.Index(part, "```go\n")
		end := strings.LastIndex(part, "\n```")
		if begin < 0 || end < begin {
			t.Fatalf("part %d has no code: %q", i, part)
		}
		all.WriteString(part[begin+len("```go\n") : end+1])
	}
	if all.String() != code.String() {
		t.Errorf("the code is %d bytes, not %d", all.Len(), code.Len())
	}
}

// TestSplitRepeatsTheHeadOfATable cuts a table between its rows.
func TestSplitRepeatsTheHeadOfATable(t *testing.T) {
	t.Parallel()
	var md strings.Builder
	md.WriteString("| name | value |\n|---|---|\n")
	for i := range 500 {
		fmt.Fprintf(&md, "| row%dx | some value |\n", i)
	}
	parts := markup.Split(md.String())
	row := 0
	for i, part := range parts {
		lines := strings.Split(part, "\n")
		if lines[0] != "| name | value |" || lines[1] != "| --- | --- |" {
			t.Errorf("part %d begins with %q", i, lines[:2])
		}
		for _, line := range lines[2:] {
			if want := fmt.Sprintf("| row%dx | some value |", row); line != want {
				t.Fatalf("part %d: %q instead of %q", i, line, want)
			}
			row++
		}
	}
	if row != 500 || len(parts) < 3 {
		t.Errorf("%d rows in %d parts", row, len(parts))
	}
}

// TestSplitGoesOnCounting cuts a list between its items.
func TestSplitGoesOnCounting(t *testing.T) {
	t.Parallel()
	var md strings.Builder
	for i := range 300 {
		fmt.Fprintf(&md, "%d. the item with the number %d\n     - below it\n", i+1, i+1)
	}
	number := 0
	for i, part := range markup.Split(md.String()) {
		for line := range strings.SplitSeq(part, "\n") {
			if line == "" || strings.TrimSpace(line) == "- below it" {
				continue
			}
			number++
			if want := fmt.Sprintf("%d. the item with the number %d", number, number); line != want {
				t.Fatalf("part %d: %q instead of %q", i, line, want)
			}
		}
	}
	if number != 300 {
		t.Errorf("%d items", number)
	}
}

// TestSplitKeepsBlocksWhole moves a block to the next part rather than cutting it,
// and its heading with it.
func TestSplitKeepsBlocksWhole(t *testing.T) {
	t.Parallel()
	code := "```\n" + strings.Repeat("0123456789\n", 200) + "```"
	parts := markup.Split(strings.Repeat("Some words of a sentence. ", 100) + "\n\n# Code\n\n" + code)
	if len(parts) != 2 || parts[1] != "# Code\n\n"+code {
		t.Errorf("%d parts, the second %q", len(parts), parts[1:])
	}
}

// TestSplitHuge cuts what has no place to cut at.
func TestSplitHuge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		parts int
	}{
		"one word":         {strings.Repeat("x", 100_000), 30},
		"emoji":            {strings.Repeat("😀", 4096), 2},
		"families":         {strings.Repeat("👩‍👩‍👧", 2000), 5},
		"one grapheme":     {"a" + strings.Repeat("\u0301", 9000), 5},
		"ampersands":       {strings.Repeat("&", 4096), 8},
		"backticks":        {strings.Repeat("`", 20_000), 40},
		"code of one line": {"```\n" + strings.Repeat("y<", 10_000) + "\n```", 30},
		"a mebibyte":       {strings.Repeat("Words of a sentence. ", 50_000), 300},
		"a long table":     {"|a|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", 50_000), 400},
		"a wide table":     {"|a|\n|-|\n|" + strings.Repeat("word ", 3000) + "|\n", 6},
		"a long list":      {strings.Repeat("- item\n", 20_000), 80},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts := markup.Split(c.text)
			if len(parts) == 0 || len(parts) > c.parts {
				t.Fatalf("%d parts", len(parts))
			}
			for i, part := range parts {
				block, own := markup.Block(part), markup.Mrkdwn(part)
				if n := max(utf8.RuneCountInString(block), utf8.RuneCountInString(own)); n > most || blank(own) {
					t.Errorf("part %d has %d code points", i, n)
				}
				if name == "families" {
					for g := graphemes.FromString(part); g.Next(); {
						if g.Value() != "👩‍👩‍👧" {
							t.Fatalf("part %d has the grapheme %q", i, g.Value())
						}
					}
				}
			}
			if got, want := len(letters(strings.Join(parts, ""))), len(letters(c.text)); got < want {
				t.Errorf("%d letters of %d", got, want)
			}
		})
	}
}

// TestItemsThatBeginInItemsHaveRoom: all their marks stand before one text.
func TestItemsThatBeginInItemsHaveRoom(t *testing.T) {
	t.Parallel()
	for _, md := range []string{"- \n  - 1. ", "\n  - **\n- ", "1. - 1. - [x] a\n", "> 1. - a\n"} {
		check(t, strings.Repeat(md, 3000))
	}
}
