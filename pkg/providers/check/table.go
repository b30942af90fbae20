package check

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table writes reports as a table of Markdown with columns of even width, one row at a
// time.
type Table struct {
	w      io.Writer
	widths []int
	below  []string
}

// NewTable writes the head of a table for models of these names.
func NewTable(w io.Writer, names []string) (*Table, error) {
	head := []string{textModel}
	for _, a := range Abilities() {
		head = append(head, string(a))
	}
	t := &Table{w: w, widths: make([]int, len(head))}
	for i, cell := range head {
		t.widths[i] = utf8.RuneCountInString(cell)
	}
	for _, name := range names {
		t.widths[0] = max(t.widths[0], utf8.RuneCountInString(name))
	}
	var rule strings.Builder
	for _, n := range t.widths {
		rule.WriteString("|" + strings.Repeat("-", n+2))
	}
	err := t.write(t.line(head) + rule.String() + "|\n")
	return t, err
}

// Add writes the row of a model.
func (t *Table) Add(r *Report) error {
	row := []string{r.Name}
	for _, a := range Abilities() {
		row = append(row, string(r.Verdicts[a]))
	}
	if r.Err != nil {
		t.Note(fmt.Sprintf(textFailed, r.Name, r.Err))
	}
	return t.write(t.line(row))
}

// Note adds a line below the table.
func (t *Table) Note(line string) { t.below = append(t.below, line) }

// End writes the lines below the table: those of models whose check met an error, and notes.
func (t *Table) End() error { return t.write(strings.Join(t.below, "")) }

func (t *Table) write(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(t.w, text)
	return err
}

func (t *Table) line(row []string) string {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString("| " + cell + strings.Repeat(" ", max(0, t.widths[i]-utf8.RuneCountInString(cell))+1))
	}
	return b.String() + "|\n"
}

// Print writes reports as one table.
func Print(w io.Writer, reports []Report) error {
	names := make([]string, len(reports))
	for i := range reports {
		names[i] = reports[i].Name
	}
	t, err := NewTable(w, names)
	for i := range reports {
		if err == nil {
			err = t.Add(&reports[i])
		}
	}
	if err != nil {
		return err
	}
	return t.End()
}
