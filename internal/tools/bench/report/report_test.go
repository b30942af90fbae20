package report_test

import (
	"errors"
	"strings"
	"testing"

	"parley/internal/tools/bench/report"
)

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	tests := map[string]struct {
		values []float64
		p      int
		want   float64
	}{
		"nothing":        {nil, 50, 0},
		"one":            {[]float64{7}, 99, 7},
		"median of odd":  {[]float64{9, 1, 5}, 50, 5},
		"p50 of hundred": {hundred, 50, 50},
		"p99 of hundred": {hundred, 99, 99},
		"p95 of hundred": {hundred, 95, 95},
		"p99 of sixty":   {hundred[:60], 99, 100},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := report.Percentile(tc.values, tc.p); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	most := func(v float64) report.Figure { return report.AtMost("size", v, 10, "MB") }
	least := func(v float64) report.Figure { return report.AtLeast("speed", v, 1200, "") }
	tests := map[string]struct {
		reps   [][]report.Figure
		broken error
		line   string
		missed bool
	}{
		"at the upper bound":    {reps: [][]report.Figure{{most(10)}}, line: "| size | ≤ 10 MB | 10 MB | holds |"},
		"above it":              {reps: [][]report.Figure{{most(10.5)}}, line: "| size | ≤ 10 MB | 10.50 MB | **misses** |", missed: true},
		"at the lower bound":    {reps: [][]report.Figure{{least(1200)}}, line: "| speed | ≥ 1200 | 1200 | holds |"},
		"below it":              {reps: [][]report.Figure{{least(1199.6)}}, line: "| speed | ≥ 1200 | 1200 | **misses** |", missed: true},
		"nothing measured":      {reps: [][]report.Figure{{least(0)}}, line: "| speed | ≥ 1200 | 0 | **misses** |", missed: true},
		"told only":             {reps: [][]report.Figure{{report.Told("x", 3, "")}}, line: "| x |  | 3 |  |"},
		"the median counts":     {reps: [][]report.Figure{{most(99)}, {most(1)}, {most(2)}}, line: "| size | ≤ 10 MB | 2 MB | holds |"},
		"could not be measured": {broken: errors.New("no disk"), line: "| row | | no disk | **failed** |", missed: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var table report.Table
			table.Add(tc.reps)
			if tc.broken != nil {
				table.Failed("row", tc.broken)
			}
			var b strings.Builder
			if err := table.Print(&b); errors.Is(err, report.ErrMissed) != tc.missed {
				t.Errorf("Print: %v, want missed %v", err, tc.missed)
			}
			if !strings.Contains(b.String(), tc.line+"\n") {
				t.Errorf("got\n%s\nwant the line\n%s", b.String(), tc.line)
			}
		})
	}
}
