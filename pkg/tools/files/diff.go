package files

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The marks of lines in the text of a change.
const (
	markLost   = "-"
	markGained = "+"
	markKept   = "="
)

// The bounds of what is shown of a present content: a question has to fit into one message of each
// platform.
const (
	maxLostLines = 30
	maxLostBytes = 1200
	maxCompared  = 250_000 // pairs of lines
)

// replaced shows how a content takes the place of another one: each line of the new one, as kept or
// gained, with the lost ones between them. Where much is lost, it tells how many lines.
func replaced(before []byte, after string) string {
	if !utf8.Valid(before) || len(before) == 0 {
		return marked(markGained, after)
	}
	was, now := strings.Split(string(before), "\n"), strings.Split(after, "\n")
	lines, lost := compared(was, now)
	size := 0
	for _, line := range lost {
		size += len(line)
	}
	if len(lost) > maxLostLines || size > maxLostBytes {
		return fmt.Sprintf("%s %d lines of now are lost\n", markLost, len(lost)) + marked(markGained, after)
	}
	return strings.Join(lines, "\n")
}

// compared are the lines of two texts with their marks, and the lost ones alone.
func compared(was, now []string) (lines, lost []string) {
	head := 0
	for head < len(was) && head < len(now) && was[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(now)-head && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	put := func(mark string, all []string) {
		for _, line := range all {
			lines = append(lines, marked(mark, line))
			if mark == markLost {
				lost = append(lost, line)
			}
		}
	}
	put(markKept, now[:head])
	a, b := was[head:len(was)-tail], now[head:len(now)-tail]
	for _, pair := range common(a, b) {
		put(markLost, a[:pair[0]])
		put(markGained, b[:pair[1]])
		put(markKept, b[pair[1]:pair[1]+1])
		a, b = a[pair[0]+1:], b[pair[1]+1:]
	}
	put(markLost, a)
	put(markGained, b)
	put(markKept, now[len(now)-tail:])
	return lines, lost
}

// common are the lines that two texts have in common, in their order: each as its place in both,
// counted from behind the one before. Texts of too many lines have none.
func common(a, b []string) [][2]int {
	if len(a)*len(b) > maxCompared {
		return nil
	}
	longest := make([][]int, len(a)+1) // of the rests
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i, line := range slices.Backward(a) {
		for j, other := range slices.Backward(b) {
			if line == other {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var pairs [][2]int
	from := [2]int{}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs = append(pairs, [2]int{i - from[0], j - from[1]})
			i, j = i+1, j+1
			from = [2]int{i, j}
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
