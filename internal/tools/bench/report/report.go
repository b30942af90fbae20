package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// ErrMissed says that not every figure holds.
var ErrMissed = errors.New("not every figure holds")

type bound int

const (
	none bound = iota
	most
	least
)

// Figure is one number with its bound.
type Figure struct {
	Name  string
	Value float64
	unit  string
	bound bound
	limit float64
}

// AtMost is a figure that must not be above limit.
func AtMost(name string, value, limit float64, unit string) Figure {
	return Figure{Name: name, Value: value, unit: unit, bound: most, limit: limit}
}

// AtLeast is a figure that must not be below limit.
func AtLeast(name string, value, limit float64, unit string) Figure {
	return Figure{Name: name, Value: value, unit: unit, bound: least, limit: limit}
}

// Told is a figure that is told and not judged.
func Told(name string, value float64, unit string) Figure {
	return Figure{Name: name, Value: value, unit: unit}
}

// Holds says whether the figure is within its bound, if it has one.
func (f Figure) Holds() bool {
	switch f.bound {
	case most:
		return f.Value <= f.limit
	case least:
		return f.Value >= f.limit
	default:
		return true
	}
}

// Must gives the bound in words, Got the value, Verdict whether it holds.
func (f Figure) Must() string {
	switch f.bound {
	case most:
		return "≤ " + f.show(f.limit)
	case least:
		return "≥ " + f.show(f.limit)
	default:
		return ""
	}
}

// Got gives the value with its unit.
func (f Figure) Got() string { return f.show(f.Value) }

// Verdict gives one word, or "" for a figure that is not judged.
func (f Figure) Verdict() string {
	switch {
	case f.bound == none:
		return ""
	case f.Holds():
		return "holds"
	default:
		return "**misses**"
	}
}

func (f Figure) show(v float64) string {
	digits := 2
	if v >= 100 || v <= -100 || v == float64(int(v)) {
		digits = 0
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if f.unit != "" {
		s += " " + f.unit
	}
	return s
}

// Table collects figures. The zero value is empty.
type Table struct {
	figures []Figure
	broken  []string
}

// Add puts in the median of each figure over all repetitions, which measured the same figures.
func (t *Table) Add(repetitions [][]Figure) {
	if len(repetitions) == 0 {
		return
	}
	for i, f := range repetitions[0] {
		values := make([]float64, 0, len(repetitions))
		for _, figures := range repetitions {
			values = append(values, figures[i].Value)
		}
		f.Value = Percentile(values, 50)
		t.figures = append(t.figures, f)
	}
}

// Failed puts in a row that could not be measured.
func (t *Table) Failed(name string, err error) {
	t.broken = append(t.broken, fmt.Sprintf("| %s | | %v | **failed** |", name, err))
}

// Print writes the table.
func (t *Table) Print(w io.Writer) error {
	missed := len(t.broken) > 0
	_, err := fmt.Fprintln(w, "| figure | must | got | verdict |\n|---|---|---|---|")
	for _, f := range t.figures {
		missed = missed || !f.Holds()
		_, lineErr := fmt.Fprintf(w, "| %s | %s | %s | %s |\n", f.Name, f.Must(), f.Got(), f.Verdict())
		err = cmp.Or(err, lineErr)
	}
	for _, line := range t.broken {
		_, lineErr := fmt.Fprintln(w, line)
		err = cmp.Or(err, lineErr)
	}
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if missed {
		return ErrMissed
	}
	return nil
}

// Percentile is the nearest-rank percentile; 0 for no values.
func Percentile(v []float64, p int) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[max(0, (len(v)*p+99)/100-1)]
}
