package check

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Print writes the reports as one table of Markdown with columns of even width, and
// below it a line for each model whose check met an error.
func Print(w io.Writer, reports []Report) error {
	head := []string{textModel}
	for _, a := range Abilities() {
		head = append(head, string(a))
	}
	rows := [][]string{head}
	for i := range reports {
		row := []string{reports[i].Name}
		for _, a := range Abilities() {
			row = append(row, string(reports[i].Verdicts[a]))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	widths := widthsOf(rows)
	for i, row := range rows {
		writeRow(&b, row, widths)
		if i == 0 {
			for _, n := range widths {
				b.WriteString("|" + strings.Repeat("-", n+2))
			}
			b.WriteString("|\n")
		}
	}
	for i := range reports {
		if r := &reports[i]; r.Err != nil {
			fmt.Fprintf(&b, textFailed, r.Name, r.Err)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func widthsOf(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func writeRow(b *strings.Builder, row []string, widths []int) {
	for i, cell := range row {
		b.WriteString("| " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1))
	}
	b.WriteString("|\n")
}
