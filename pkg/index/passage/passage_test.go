package passage_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/index/passage"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []passage.Passage
	}{
		"nothing":     {"", nil},
		"blank":       {"\n \n\t\n", nil},
		"heads alone": {"# A\n\n## B\n", []passage.Passage{{Heading: "A > B", First: 3, Last: 3, Text: "B"}}},
		"heads without text": {"# Plan\n\n## Monday\n## Tuesday\nAt nine.\n### Telephone 4711\n## \n# End", []passage.Passage{
			{Heading: "Plan > Monday", First: 3, Last: 3, Text: "Monday"},
			{Heading: "Plan > Tuesday", First: 5, Last: 5, Text: "At nine."},
			{Heading: "Plan > Tuesday > Telephone 4711", First: 6, Last: 6, Text: "Telephone 4711"},
			{Heading: "End", First: 8, Last: 8, Text: "End"},
		}},
		"plain": {"one\ntwo\n\n\n\nthree", []passage.Passage{{First: 1, Last: 6, Text: "one\ntwo\n\nthree"}}},
		"headings": {"before\n# A #\nin A\n\n## B\nin B\r\n## C\n\nin C\n# D\nin D\n", []passage.Passage{
			{First: 1, Last: 1, Text: "before"},
			{Heading: "A", First: 3, Last: 3, Text: "in A"},
			{Heading: "A > B", First: 6, Last: 6, Text: "in B"},
			{Heading: "A > C", First: 9, Last: 9, Text: "in C"},
			{Heading: "D", First: 11, Last: 11, Text: "in D"},
		}},
		"a level is left out": {"# A\n### C\nx\n## B\ny", []passage.Passage{
			{Heading: "A > C", First: 3, Last: 3, Text: "x"}, {Heading: "A > B", First: 5, Last: 5, Text: "y"},
		}},
		"no headings": {"#include <stdio.h>\n####### seven\n    # code\n#", []passage.Passage{
			{First: 1, Last: 3, Text: "#include <stdio.h>\n####### seven\n    # code"},
		}},
		"code": {"# A\n```sh\n# a comment\n```\n~~~\n```\n# another\n~~~\n# B\nx", []passage.Passage{
			{Heading: "A", First: 2, Last: 8, Text: "```sh\n# a comment\n```\n~~~\n```\n# another\n~~~"},
			{Heading: "B", First: 10, Last: 10, Text: "x"},
		}},
		"code within a line": {"```make install```\n# B\nx", []passage.Passage{
			{First: 1, Last: 1, Text: "```make install```"}, {Heading: "B", First: 3, Last: 3, Text: "x"},
		}},
		"code in code": {"```\n```sh\n# a comment\n````\n# B\nx\n~~~ a`b\n# no\n~~~", []passage.Passage{
			{First: 1, Last: 4, Text: "```\n```sh\n# a comment\n````"}, {Heading: "B", First: 6, Last: 9, Text: "x\n~~~ a`b\n# no\n~~~"},
		}},
		"C#": {"# About C#\nx", []passage.Passage{{Heading: "About C#", First: 2, Last: 2, Text: "x"}}},
	} {
		if d := cmp.Diff(c.want, slices.Collect(passage.Markdown(c.text))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestTextKnowsNoHeadings(t *testing.T) {
	t.Parallel()
	want := []passage.Passage{{First: 1, Last: 2, Text: "# A\n```"}}
	if d := cmp.Diff(want, slices.Collect(passage.Text("# A\n```"))); d != "" {
		t.Error(d)
	}
}

// TestLongTexts are split between paragraphs, between lines or between words.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	paragraph := strings.Repeat("some words ", 30) // 330 bytes
	for name, c := range map[string]struct {
		text  string
		lines [][2]int
	}{
		"paragraphs":                     {strings.Repeat(paragraph+"\n\n", 8), [][2]int{{1, 7}, {9, 15}}},
		"lines":                          {strings.Repeat(paragraph+"\n", 8), [][2]int{{1, 6}, {7, 8}}},
		"words":                          {strings.Repeat(paragraph, 8), [][2]int{{1, 1}, {1, 1}}},
		"letters":                        {strings.Repeat("語", 1500), [][2]int{{1, 1}, {1, 1}, {1, 1}}},
		"a long line behind a short one": {"short\n" + strings.Repeat("x", 3000) + "\nshort", [][2]int{{1, 1}, {2, 2}, {2, 3}}},
	} {
		var lines [][2]int
		for p := range passage.Markdown(c.text) {
			lines = append(lines, [2]int{p.First, p.Last})
			if strings.TrimSpace(p.Text) != p.Text || strings.HasSuffix(p.Text, "wor") {
				t.Errorf("%s: cut at %q", name, p.Text[len(p.Text)-10:])
			}
		}
		if d := cmp.Diff(c.lines, lines); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestLongLinesWithoutSpaces are cut behind a sign, so that no word is cut.
func TestLongLinesWithoutSpaces(t *testing.T) {
	t.Parallel()
	for _, sign := range []string{"。", "！", "？", "；", "，", "、"} {
		sentence := strings.Repeat("語", 29) + sign
		for p := range passage.Text(strings.Repeat(sentence, 100)) {
			if strings.Trim(p.Text, "語"+sign) != "" || len(p.Text)%len(sentence) != 0 {
				t.Errorf("a passage of %d bytes ends with %q", len(p.Text), p.Text[len(p.Text)-9:])
			}
		}
	}
}

// TestLinesOfEachLength come out whole, or cut, behind any number of blank lines.
func TestLinesOfEachLength(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 1998, 1999, 2000, 2001} {
		for _, blank := range []int{0, 1, 2, 2000} {
			for _, begin := range []string{"", "# H\n", "short\n"} {
				line := strings.Repeat("x", size)
				passages := slices.Collect(passage.Markdown(begin + strings.Repeat("\n", blank) + line))
				n := 0
				for i := range passages {
					n += strings.Count(passages[i].Text, "x")
					if len(passages[i].Text) > passage.Most {
						t.Errorf("a passage of %d bytes", len(passages[i].Text))
					}
				}
				if n != size || begin != "short\n" && size <= passage.Most && len(passages) != 1 {
					t.Errorf("%q, %d blank lines, a line of %d bytes: %d bytes in %d passages", begin, blank, size, n, len(passages))
				}
			}
		}
	}
}

// TestHeadingsAreBounded: of many long headings the lowest are told.
func TestHeadingsAreBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for level := 1; level <= 6; level++ {
		fmt.Fprintf(&text, "%s level%d %s\n", strings.Repeat("#", level), level, strings.Repeat("é", 80))
	}
	text.WriteString("x\n# " + strings.Repeat("é", 1000) + "\ny")
	got := slices.Collect(passage.Markdown(text.String()))
	if len(got) != 2 || !strings.Contains(got[0].Heading, "level6") || strings.Contains(got[0].Heading, "level1") ||
		len(got[0].Heading) > 400 || len(got[1].Heading) > 400 || !utf8.ValidString(got[1].Heading) {
		t.Errorf("%+v", got)
	}
}

func TestStops(t *testing.T) {
	t.Parallel()
	n := 0
	for range passage.Markdown(strings.Repeat("# A\nx\n", 10) + strings.Repeat("word ", 2000)) {
		if n++; n == 2 {
			break
		}
	}
	for range passage.Text(strings.Repeat("word ", 2000)) {
		break
	}
	for range passage.Markdown("# A\n# B\n") {
		break
	}
}

// FuzzSplit: the passages hold all words outside of headings, in order, within the bounds.
func FuzzSplit(f *testing.F) {
	f.Add("# A\nx\n\n```\n# code\n```\n## B\n"+strings.Repeat("word ", 900), true)
	f.Add(strings.Repeat("語", 1000)+"\xff\n\n"+strings.Repeat("x\n\n", 600), false)
	for _, size := range []int{1998, 1999, 2000, 2001} {
		for _, blank := range []int{0, 1, 2000} {
			f.Add("# H\n"+strings.Repeat("\n", blank)+strings.Repeat("x", size), true)
			f.Add(strings.Repeat("\n", blank)+strings.Repeat("x", size), false)
		}
	}
	f.Fuzz(func(t *testing.T, text string, markdown bool) {
		split := map[bool]func(string) iter.Seq[passage.Passage]{true: passage.Markdown, false: passage.Text}[markdown]
		var all []string
		last := 1
		for p := range split(text) {
			if len(p.Text) > passage.Most || len(p.Text) == 0 || len(p.Heading) > 400 {
				t.Errorf("a passage of %d bytes, its heading of %d", len(p.Text), len(p.Heading))
			}
			if p.First < last || p.Last < p.First {
				t.Errorf("lines %d to %d behind %d", p.First, p.Last, last)
			}
			last = p.Last
			all = append(all, p.Text)
		}
		squeeze := strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "")
		if got, want := squeeze.Replace(strings.Join(all, "")), squeeze.Replace(text); !markdown && got != want {
			t.Errorf("the passages have %q of %q", got, want)
		}
		if n := strings.Count(text, "\n") + 1; last > n {
			t.Errorf("line %d of %d", last, n)
		}
	})
}
