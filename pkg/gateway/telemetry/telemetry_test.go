package telemetry_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/pkg/gateway/telemetry"
	"parley/pkg/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// process is one process with counts of its own.
type process struct {
	*telemetry.Log

	stats []tools.Stats
	at    time.Time
}

func newProcess(dir string) *process {
	p := &process{at: time.Date(2026, 11, 23, 23, 59, 0, 0, time.UTC)}
	p.Log = telemetry.New(telemetry.Options{
		Dir: dir, Counts: func() []tools.Stats { return p.stats }, Now: func() time.Time { return p.at }, Log: zerolog.Nop(),
	})
	return p
}

// calls are counts of a tool with a model.
func calls(tool, model string, n uint64) tools.Stats {
	return tools.Stats{
		Tool: tool, Model: model, Offered: 2 * n, Picks: n, Runs: n, Total: time.Duration(n) * time.Second,
		Errors: map[tools.ErrorType]uint64{tools.ErrTimeout: n},
	}
}

// short are the rows on one line each.
func short(rows []telemetry.Row) (all []string) {
	for i := range rows {
		r := &rows[i]
		all = append(all, fmt.Sprint(r.Day, " ", r.Tool, " ", r.Model, " ", r.Runs, " ", r.Errors["timeout"], " ", r.Total))
	}
	return all
}

// TestCountsOutlastTheProcess: two processes count on the days at which they run, and each call once.
func TestCountsOutlastTheProcess(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "telemetry")
	p := newProcess(dir)
	if rows := p.Days(7); len(rows) != 0 {
		t.Errorf("%v", rows)
	}
	p.stats = []tools.Stats{calls("read", "m", 3), calls("", "n", 1)}
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	p.at = p.at.Add(time.Hour) // the next day
	p.stats[0] = calls("read", "m", 5)
	want := []string{"2026-11-23  n 1 1 1s", "2026-11-23 read m 3 3 3s", "2026-11-24 read m 2 2 2s"}
	for range 2 {
		if diff := cmp.Diff(want, short(p.Days(7))); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
	p = newProcess(dir)
	p.at = p.at.Add(2 * time.Hour)
	p.stats = []tools.Stats{calls("read", "m", 1)}
	want[2] = "2026-11-24 read m 3 3 3s"
	if diff := cmp.Diff(want, short(p.Days(2))); diff != "" {
		t.Errorf("a second process: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(want[2:], short(p.Days(1))); diff != "" {
		t.Errorf("today: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"  n 1 1 1s", " read m 6 6 6s"}, short(telemetry.Sum(p.Days(90)))); diff != "" {
		t.Errorf("the sum: -want +got\n%s", diff)
	}
}

// TestAFailedWriteIsMadeUpFor by the next one, and counts nothing twice.
func TestAFailedWriteIsMadeUpFor(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "telemetry")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // no folder can be made here
		t.Fatal(err)
	}
	p := newProcess(dir)
	p.stats = []tools.Stats{calls("read", "m", 3)}
	if err := p.Flush(); err == nil {
		t.Fatal("it is written")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	p.stats[0] = calls("read", "m", 4)
	for range 2 {
		if diff := cmp.Diff([]string{"2026-11-23 read m 4 4 4s"}, short(p.Days(1))); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

// TestADamagedDay is set aside, and costs that day alone.
func TestADamagedDay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, day := range []string{"2026-11-22", "2026-11-23"} {
		if err := os.WriteFile(filepath.Join(dir, day+".json"), []byte(`[{"day":`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := newProcess(dir)
	p.stats = []tools.Stats{calls("read", "m", 1)}
	if diff := cmp.Diff([]string{"2026-11-23 read m 1 1 1s"}, short(p.Days(3))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "2026-11-23.json.damaged")); err != nil {
		t.Error(err)
	}
}

// TestTelemetryIsBounded: days end after 90, and the rows of a day at 2,000, behind which calls count together.
func TestTelemetryIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"2026-08-25.json", "2026-08-26.json", "2026-08-25.json.damaged"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("[]"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := newProcess(dir)
	const more = 7
	for i := range 2000 + more {
		p.stats = append(p.stats, calls(fmt.Sprint("tool", i), "m", 1))
	}
	rows := p.Days(1)
	if len(rows) != 2001 || rows[0].Tool != telemetry.Others || rows[0].Runs != more {
		t.Errorf("%d rows, the first one %+v", len(rows), rows[0])
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 || files[0].Name() != "2026-08-26.json" {
		t.Errorf("%v %v", files, err)
	}
}

// TestItWritesEachMinuteAndAtTheEnd on fake time.
func TestItWritesEachMinuteAndAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(dir)
		p.stats = []tools.Stats{calls("read", "m", 1)}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); p.Run(ctx) }()
		file := func() string {
			raw, err := os.ReadFile(filepath.Join(dir, "2026-11-23.json"))
			if err != nil {
				return ""
			}
			return string(raw)
		}
		if <-time.After(59 * time.Second); file() != "" {
			t.Errorf("it is written at once: %s", file())
		}
		if <-time.After(2 * time.Second); !strings.Contains(file(), `"runs":1,`) {
			t.Errorf("after a minute it has %s", file())
		}
		p.stats = []tools.Stats{calls("read", "m", 2)}
		stop()
		if <-ended; !strings.Contains(file(), `"runs":2,`) {
			t.Errorf("at the end it has %s", file())
		}
	})
}
