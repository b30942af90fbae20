package data

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// maxCells bounds a table that is written: more would be longer than a result may be.
const maxCells = maxBytes

// readCSV reads a table with a first row that names the columns: a list of objects of
// texts.
func readCSV(text string, o options) (*value, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = o.delimiter
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, wrong(1, 1, "there is no first row with the names of the columns")
	}
	if err != nil {
		return nil, csvError(err)
	}
	seen := make(map[string]bool, len(head))
	for i, name := range head {
		if seen[name] {
			line, column := r.FieldPos(i)
			return nil, wrong(line, column, "the column %s is there twice", shorten(name))
		}
		seen[name] = true
	}
	var rows []*value
	for count := 0; ; {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return list(rows), nil
		}
		if err != nil {
			return nil, csvError(err)
		}
		if count += len(row) + 1; count > maxValues {
			return nil, wrong(0, 0, "there are more than %d values in it", maxValues)
		}
		fields := make([]field, len(row))
		for i, cell := range row {
			fields[i] = field{head[i], scalar(kindText, cell)}
		}
		rows = append(rows, object(fields))
	}
}

func csvError(err error) error {
	e, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return err
	}
	if errors.Is(e.Err, csv.ErrFieldCount) {
		return wrong(e.Line, e.Column, "this row has more or fewer cells than the first")
	}
	return wrong(e.Line, e.Column, "this is not CSV: %s", e.Err)
}

// writeCSV writes a list of objects as rows under the names of all their keys, a list of lists
// as rows without names, any other list as one column "value". A nested value in a cell is
// JSON.
func writeCSV(v *value, o options) (string, error) {
	if v.kind == kindObject {
		v = list([]*value{v})
	}
	if v.kind != kindList {
		return "", wrong(0, 0, "a table needs a list of objects, not a single value")
	}
	var b output
	rows, err := rowsOf(v.items)
	if err != nil {
		return "", err
	}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			text, err := csvCell(cell)
			if err != nil {
				return "", err
			}
			cells[i] = text
		}
		if err := b.row(cells, o.delimiter); err != nil {
			return "", err
		}
	}
	text, err := b.done()
	return strings.TrimSuffix(text, "\n"), err
}

func (o *output) row(cells []string, delimiter rune) error {
	if len(cells) == 1 && cells[0] == "" { // an empty line would be no row at all
		o.put("\"\"\n")
		return o.full()
	}
	w := csv.NewWriter(o)
	w.Comma = delimiter
	if err := w.Write(cells); err != nil {
		return err
	}
	w.Flush()
	return errors.Join(w.Error(), o.full())
}

func rowsOf(items []*value) ([][]*value, error) {
	all := func(k kind) bool {
		return len(items) > 0 && !slices.ContainsFunc(items, func(v *value) bool { return v.kind != k })
	}
	var rows [][]*value
	switch {
	case all(kindList):
		for _, v := range items {
			rows = append(rows, v.items)
		}
	case all(kindObject):
		var head []*value
		place := map[string]int{}
		for _, v := range items {
			for _, f := range v.fields {
				if _, ok := place[f.name]; !ok {
					place[f.name] = len(head)
					head = append(head, scalar(kindText, f.name))
				}
			}
		}
		rows = append(rows, head)
		if len(head)*len(items) > maxCells { // objects without a common key
			return nil, wrong(0, 0, "the table would have more than %d cells", maxCells)
		}
		for _, v := range items {
			row := make([]*value, len(head))
			for _, f := range v.fields {
				row[place[f.name]] = f.value
			}
			rows = append(rows, row)
		}
	default:
		rows = append(rows, []*value{scalar(kindText, "value")})
		for _, v := range items {
			rows = append(rows, []*value{v})
		}
	}
	return rows, nil
}

func csvCell(v *value) (string, error) {
	switch {
	case v == nil || v.kind == kindNull:
		return "", nil
	case v.plain():
		return v.text, nil
	default:
		return writeJSON(v, options{})
	}
}
