package terminal_test

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/test/terminal"
)

// TestAResizeLeavesNothingBehind: at each width there is one line, and one of each row.
func TestAResizeLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	s := newWorld(t, m).chat(terminal.Options{Width: 120, Height: 30})
	s.Say("hello")
	r := m.next()
	r.says("| a | table |\n|---|---|\n| " + strings.Repeat("word ", 18) + "| " + strings.Repeat("cell ", 18) + "|\n\nand words behind it")
	s.Shows("and words behind it")
	const typed = "a line with 你好 that is rather long, as it has to be for rows that become too long"
	s.Type(typed)
	for range 3 { // each of its lines becomes several rows
		s.Keys("M-Enter")
		s.Type("one more of them that is as long as that, for rows which a narrower terminal wraps")
	}
	s.Shows("as it has to be")
	for _, width := range []int{90, 61, 40, 47, 80, 200, 120, 41, 160} {
		s.Resize(width, 30)
		s.Until("not drawn anew", s.Screen, func(screen string) bool {
			return strings.Contains(joined(screen), typed) && strings.Count(joined(screen), "one more") == 3 && fits(screen, width) &&
				once(screen, "Ctrl-C stops", "> a line with", "and words behind it")
		})
	}
	r.says(" - the end")
	r.ends()
	s.Shows("and words behind it - the end")
	s.Keys("C-c", "C-d")
	s.Code(0)
}

// once says whether each of the texts is on a screen one time.
func once(screen string, texts ...string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return strings.Count(screen, text) != 1 })
}

// fits says whether no line of a screen is longer than a width.
func fits(screen string, width int) bool {
	for line := range strings.SplitSeq(screen, "\n") {
		if len([]rune(line)) > width {
			return false
		}
	}
	return true
}

// joined is a screen in which the rows of the line are one.
func joined(screen string) string {
	_, typed, _ := strings.Cut(screen, "\n> a line")
	return "a line " + strings.Join(strings.Fields(typed), " ")
}

// TestALongAnswerStaysInTheScrollback, each line once and in order, while it is longer than the
// screen.
func TestALongAnswerStaysInTheScrollback(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	s := newWorld(t, m).chat(terminal.Options{Width: 80, Height: 15})
	s.Say("hello")
	r := m.next()
	var want strings.Builder
	for _, part := range []string{"a", "b", "c"} {
		text := "Part " + part + ":\n\n```go\n"
		for i := range 30 {
			line := "return " + strings.Repeat(part, i+1)
			text += line + "\n"
			want.WriteString("  " + line + "\n")
		}
		r.says(text + "```\n\n")
		s.Shows("return " + strings.Repeat(part, 30))
	}
	r.says("The end.")
	r.ends()
	s.Ends("The end.\n\n>")
	all := s.Scrollback()
	got := ""
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, "  return ") {
			got += line
		}
	}
	if got != want.String() {
		t.Errorf("the scrollback is\n%s", all)
	}
	s.Keys("C-d")
	s.Code(0)
}
