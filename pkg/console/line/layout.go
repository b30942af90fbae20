package line

// Cell is a character in a row, as it is shown.
type Cell struct {
	Text    string
	Columns int
	// Labelled says that the text is the label of a paste or a file.
	Labelled bool
}

// Layout is a line in rows.
type Layout struct {
	Rows [][]Cell
	// Row and Cell are the place of the cursor: before that cell.
	Row, Cell int
	// places are the places in the line at which the rows begin.
	places []int
}

// Show is a text as it is shown, with its columns.
type Show func(text string) (shown string, columns int)

// Rows lays the line out in rows of a width, between words where it can.
func (l *Line) Rows(width int, show Show) Layout {
	width = max(width, 2)
	cells := make([]Cell, len(l.items))
	for i := range l.items {
		cells[i] = l.items[i].cell(width, show)
	}
	out := Layout{places: starts(l.items, cells, width)}
	for n, from := range out.places {
		to := len(cells)
		if n+1 < len(out.places) {
			to = out.places[n+1]
		}
		if l.at >= from && (l.at < to || n+1 == len(out.places)) {
			out.Row, out.Cell = n, l.at-from
		}
		if to > from && l.items[to-1].endsRow() {
			to--
		}
		out.Rows = append(out.Rows, cells[from:to])
	}
	return out
}

// starts are the places at which the rows of items begin.
func starts(items []Item, cells []Cell, width int) []int {
	places, columns, word := []int{0}, 0, 0
	begin := func(at int) {
		places, columns, word = append(places, at), 0, at
	}
	for i := range cells {
		if items[i].endsRow() {
			begin(i + 1)
			continue
		}
		if columns+cells[i].Columns > width {
			begun := columnsOf(cells[word:i])
			if word == places[len(places)-1] || begun+cells[i].Columns > width { // the word is longer than a row
				word, begun = i, 0
			}
			begin(word)
			columns = begun
		}
		columns += cells[i].Columns
		if items[i].Text == " " {
			word = i + 1
		}
	}
	if columns == width { // the cursor behind all stands in a row of its own
		begin(len(cells))
	}
	return places
}

func columnsOf(cells []Cell) (n int) {
	for i := range cells {
		n += cells[i].Columns
	}
	return n
}

// cell is how a character is shown; a label is cut to the width.
func (i *Item) cell(width int, show Show) Cell {
	text := i.Text
	if i.Label != "" {
		text = i.Label
	}
	c := Cell{Labelled: i.Label != ""}
	c.Text, c.Columns = show(text)
	for runes := []rune(text); c.Columns > width && len(runes) > 0; {
		runes = runes[:len(runes)-1]
		c.Text, c.Columns = show(string(runes))
	}
	return c
}

// Up goes a row up in a layout; false in the first one.
func (l *Line) Up(in *Layout) bool { return l.vertical(in, in.Row-1) }

// Down goes a row down in a layout; false in the last one.
func (l *Line) Down(in *Layout) bool { return l.vertical(in, in.Row+1) }

// vertical goes to the same column of another row.
func (l *Line) vertical(in *Layout, row int) bool {
	if row < 0 || row >= len(in.Rows) {
		return false
	}
	column := 0
	for _, c := range in.Rows[in.Row][:in.Cell] {
		column += c.Columns
	}
	at := in.places[row]
	for _, c := range in.Rows[row] {
		if column -= c.Columns; column < 0 {
			break
		}
		at++
	}
	l.at, l.typing = at, false
	return true
}
