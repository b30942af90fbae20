package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"time"

	"parley/internal/tools/mutants"
)

const (
	workers = 2
	limit   = 3 * time.Minute  // of one test, its build aside: tests themselves wait for a minute
	total   = 30 * time.Minute // of everything; the next run goes on
	// Where the verdicts stand between runs.
	verdicts = "bin/mutants.json"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) //nolint:forbidigo // main
	ctx, cancel := context.WithTimeout(ctx, total)
	err := run(ctx, os.Args[1:], os.Stdout)
	cancel()
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "FAIL:", err)
		os.Exit(1) //nolint:forbidigo // main
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	list, err := chosen(args)
	if err != nil {
		return err
	}
	ledger, err := mutants.OpenLedger(verdicts, ".")
	if err != nil {
		return err
	}
	due, before, err := ledger.Due(list)
	if err != nil {
		return err
	}
	if before > 0 {
		_, _ = fmt.Fprintf(out, "%d were killed before and nothing that they name has changed; remove %s to judge them again\n", before, verdicts)
	}
	scratch, err := os.MkdirTemp("", "parley-mutants")
	if err != nil {
		return fmt.Errorf("make a scratch folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	start := time.Now()
	count := map[mutants.Verdict]int{}
	runner := mutants.Runner{Root: ".", Scratch: scratch, Workers: workers, Limit: limit}
	var noteErr error
	err = runner.Run(ctx, due, func(r mutants.Result) {
		if r.Verdict == mutants.Left {
			count[r.Verdict]++
			return
		}
		noteErr = cmp.Or(noteErr, ledger.Note(r))
		count[r.Verdict]++
		_, _ = fmt.Fprintf(out, "%-10s %-20s %-55s %s.%s (%.1fs)\n", r.Verdict,
			r.Mutant.Promise, r.Mutant.Defect, r.Mutant.Dir, r.Mutant.Test, r.Took.Seconds())
		if r.Detail != "" {
			_, _ = fmt.Fprintln(out, "   ", r.Detail)
		}
	})
	_, _ = fmt.Fprintf(out, "mutants: %d killed, %d survived, %d reached the time limit, %d errors in %.0f s; ",
		count[mutants.Killed], count[mutants.Survived], count[mutants.TimedOut], count[mutants.Failed], time.Since(start).Seconds())
	_, _ = fmt.Fprintf(out, "%d killed before, %d left for the next run\n", before, count[mutants.Left])
	if count[mutants.Killed] != len(due) {
		err = errors.Join(err, errors.New("not every mutant was killed"))
	}
	return errors.Join(err, noteErr)
}

func chosen(args []string) ([]mutants.Mutant, error) {
	list := mutants.List()
	for _, arg := range args {
		re, err := regexp.Compile(arg)
		if err != nil {
			return nil, fmt.Errorf("the choice of mutants: %w", err)
		}
		list = slices.DeleteFunc(list, func(m mutants.Mutant) bool {
			return !re.MatchString(m.Promise + " " + m.File + " " + m.Dir + "." + m.Test)
		})
	}
	if len(list) == 0 {
		return nil, errors.New("no mutant fits")
	}
	return list, nil
}
