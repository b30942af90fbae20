package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/internal/test/rig"
	"parley/internal/tools/bench/report"
)

// limit bounds the whole command.
const limit = 30 * time.Minute

// released are the flags with which `make build` compiles the gateway.
func released() []string {
	return []string{"-trimpath", "-ldflags", "-s -w -funcalign=16", "-pgo", "cmd/gateway/release.pgo"}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) //nolint:forbidigo // main
	ctx, cancel := context.WithTimeout(ctx, limit)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:forbidigo // main
	}
}

// collectAt lets the platform and the model, which share the machine with the gateway,
// collect their garbage seldom: the measurement is not about them.
const collectAt = 400

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	debug.SetGCPercent(collectAt)
	if len(args) > 0 {
		switch args[0] {
		case "model":
			return serveModel(ctx, args[1:], out)
		case "fill":
			return fill(ctx, args[1:])
		}
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	only := flags.String("only", "", "names of rows, separated by commas")
	reps := flags.Int("reps", 3, "repetitions of each row")
	list := flags.Bool("list", false, "list the rows")
	keep := flags.String("keep", "", "keep all files in this folder")
	profile := flags.String("profile", "", "write CPU profiles of the gateway to this folder")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("flags: %w", err)
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	if *list {
		for _, r := range chosen {
			fmt.Fprintln(out, r.name)
		}
		return nil
	}
	b, err := newBench(ctx, *keep, *profile)
	if err != nil {
		return err
	}
	defer b.close()
	var t report.Table
	for _, r := range chosen {
		if err := b.measure(ctx, r, *reps, &t, progress); err != nil {
			t.Failed(r.name, err)
		}
	}
	return t.Print(out)
}

// row is one measurement on one platform; it gives one or several figures.
type row struct {
	name    string
	once    bool // repetitions are its own business
	measure func(ctx context.Context, p place) ([]report.Figure, error)
	on      place
}

// rows are all measurements: those that need a platform on each of them.
func rows() []row {
	all := []row{
		{name: "latency", measure: latency},
		{name: "latency-tool", measure: latencyTool},
		{name: "turns", measure: turns},
		{name: "burst", measure: burst},
		{name: "burst-1000", measure: burst1000},
		{name: "burst-1s", measure: burst1s},
		{name: "start", measure: startup},
		{name: "idle", measure: idle},
		{name: "known-chats", measure: knownChats},
		{name: "fairness", once: true, measure: fairness},
	}
	platforms := []struct {
		prefix string
		on     place
	}{
		{"telegram-", place{prefix: "Telegram: ", connect: connectTelegram}},
		{"slack-", place{prefix: "Slack: ", connect: connectSlack}},
	}
	measured := slices.Clone(all)
	for i := range all {
		all[i].on = place{connect: connectLoop}
	}
	for _, p := range platforms {
		for _, r := range measured {
			r.name, r.on = p.prefix+r.name, p.on
			all = append(all, r)
		}
	}
	all = append(all, webRows()...)
	return append(all, row{name: "running-tasks", measure: runningTasks, on: place{connect: connectLoop}},
		row{name: "hi", once: true, measure: hi},
		row{name: "stable-prefix", once: true, measure: stablePrefix},
		row{name: "binary", once: true, measure: binary}, row{name: "registry", once: true, measure: registry})
}

func choose(only string) ([]row, error) {
	if only == "" {
		return rows(), nil
	}
	var chosen []row
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(rows(), func(r row) bool { return r.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no row %q; -list shows them", name)
		}
		chosen = append(chosen, rows()[i])
	}
	return chosen, nil
}

// bench holds the state that all rows share.
type bench struct {
	dir, self, gateway string
	keep               bool
	profile            string
	runs               int
}

func newBench(ctx context.Context, keep, profile string) (*bench, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find myself: %w", err)
	}
	b := &bench{dir: keep, self: self, keep: keep != "", profile: profile}
	if b.keep {
		err = os.MkdirAll(keep, 0o700)
	} else {
		b.dir, err = os.MkdirTemp("", "parley-bench")
	}
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	b.gateway, err = rig.Build(ctx, b.dir, "gateway-test", append([]string{"-tags", "testchannel"}, released()...)...)
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() {
	if !b.keep {
		_ = os.RemoveAll(b.dir) // a folder of the system's own for such files
	}
}

// measure repeats a row and puts the medians of its figures into the table.
func (b *bench) measure(ctx context.Context, r row, reps int, t *report.Table, progress io.Writer) error {
	if r.once {
		reps = 1
	}
	r.on.bench = b
	var all [][]report.Figure
	for rep := range reps {
		started := time.Now()
		figures, err := r.measure(ctx, r.on)
		if err != nil {
			return fmt.Errorf("repetition %d: %w", rep+1, err)
		}
		for i := range figures {
			figures[i].Name = r.on.prefix + figures[i].Name
		}
		all = append(all, figures)
		fmt.Fprintf(progress, "%s %d/%d (%.1f s):", r.name, rep+1, reps, time.Since(started).Seconds())
		for _, f := range figures {
			fmt.Fprintf(progress, " %s %s;", f.Name, f.Got())
		}
		fmt.Fprintln(progress)
	}
	t.Add(all)
	return nil
}
