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

// Rows lays the line out in rows of a width.
func (l *Line) Rows(width int, show Show) Layout {
	width = max(width, 2)
	out := Layout{Rows: [][]Cell{nil}, places: []int{0}}
	room := width
	next := func(at int) {
		out.Rows, out.places, room = append(out.Rows, nil), append(out.places, at), width
	}
	for i := range l.items {
		if i == l.at {
			out.Row, out.Cell = len(out.Rows)-1, len(out.Rows[len(out.Rows)-1])
		}
		if l.items[i].endsRow() {
			next(i + 1)
			continue
		}
		c := l.items[i].cell(width, show)
		if c.Columns > room {
			next(i)
			if i == l.at {
				out.Row, out.Cell = len(out.Rows)-1, 0
			}
		}
		room -= c.Columns
		last := len(out.Rows) - 1
		out.Rows[last] = append(out.Rows[last], c)
	}
	if l.at == len(l.items) {
		out.Row, out.Cell = len(out.Rows)-1, len(out.Rows[len(out.Rows)-1])
		if room == 0 { // the cursor stands at the beginning of the next row
			next(l.at)
			out.Row, out.Cell = len(out.Rows)-1, 0
		}
	}
	return out
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
