package kill_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"parley/internal/test/rig"
)

// gateway is the binary under test, with failpoints and the test channel.
var gateway *rig.Binary

// seeds is how many runs each point gets.
var seeds = 1

func TestMain(m *testing.M) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	gateway = rig.BuildForTests(ctx, "-tags", "failpoint,testchannel")
	defer gateway.Remove()
	//nolint:forbidigo // how many seeds is asked for from outside, as with any test's settings
	if n, err := strconv.Atoi(os.Getenv("PARLEY_KILL_SEEDS")); err == nil && n > 0 {
		seeds = n
	}
	m.Run() // TestMain passes the result on when it returns
	summary.print()
}

// tally is one row of the summary.
type tally struct {
	channel, point                                      string
	seeds, crashes, asks, lost, window, doubled, reruns int
}

// table collects the findings of the runs, by channel and point.
type table struct {
	mu   sync.Mutex
	rows map[string]*tally
}

var summary = table{rows: map[string]*tally{}}

func (s *table) add(t tally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.rows[t.channel+t.point]
	if row == nil {
		row = &tally{channel: t.channel, point: t.point}
		s.rows[t.channel+t.point] = row
	}
	row.seeds++
	row.crashes += t.crashes
	row.asks += t.asks
	row.lost += t.lost
	row.window += t.window
	row.doubled += t.doubled
	row.reruns += t.reruns
}

func (s *table) print() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rows) == 0 {
		return
	}
	rows := make([]*tally, 0, len(s.rows))
	for _, r := range s.rows {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b *tally) int {
		return cmp.Or(cmp.Compare(a.channel, b.channel), cmp.Compare(len(a.point), len(b.point)), cmp.Compare(a.point, b.point))
	})
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "channel\tpoint\tseeds\tcrashes\tasks\tlost\tin the window twice\tdoubled\teffects again\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", r.channel, r.point,
			r.seeds, r.crashes, r.asks, r.lost, r.window, r.doubled, r.reruns)
	}
	_ = w.Flush()
}
