package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"parley/internal/tools/bench/report"
)

// fairness holds the answers of chats that are well against a control run back
// to back: in the other of each pair one chat's sends hang and another's are
// rate-limited.
func fairness(ctx context.Context, p place) ([]report.Figure, error) {
	const pairs = 5
	kinds := [2]func(platform) (over func() error){
		func(platform) func() error { return func() error { return nil } },
		platform.disturb,
	}
	ratios, extra := make([]float64, pairs), make([]float64, pairs)
	for i := range pairs {
		var p95 [len(kinds)]float64
		for half := range kinds {
			kind := (half + i + 1) % len(kinds) // each comes first as often as second, or nearly
			var err error
			if p95[kind], err = p.neighbours(ctx, kinds[kind]); err != nil {
				return nil, err
			}
		}
		ratios[i], extra[i] = p95[1]/p95[0], p95[1]-p95[0]
	}
	ratio, more := report.Percentile(ratios, 50), report.Percentile(extra, 50)
	const most, slack = 1.25, 2 // whichever is kinder
	figures := []report.Figure{
		report.Told("fairness: p95 of the other chats over the control run's", ratio, ""),
		report.AtMost("fairness: p95 above the control run's", more, slack, "ms"),
	}
	if ratio <= most {
		figures[0], figures[1] = report.AtMost(figures[0].Name, ratio, most, ""), report.Told(figures[1].Name, more, "ms")
	}
	return figures, nil
}

const (
	fairChats, fairEach = 20, 15
	// The messages of people in the chats that no answer reaches.
	unheard = "hello nq000000000000"
)

// neighbours is the p95 of the overheads in twenty chats, paced, in milliseconds.
func (p place) neighbours(ctx context.Context, disturb func(platform) (over func() error)) (float64, error) {
	var p95 float64
	err := p.with(ctx, 0, func(ctx context.Context, s *stage) error {
		over := disturb(s.platform)
		overheads, err := s.others(ctx, fairChats, fairEach)
		p95 = report.Percentile(overheads, 95)
		return errors.Join(err, over())
	})
	return p95, err
}

// others asks in several chats side by side, each at its own pace.
func (s *stage) others(ctx context.Context, chats, each int) ([]float64, error) {
	var wg sync.WaitGroup
	all := make([][]*ask, chats)
	errs := make([]error, chats)
	for c := range chats {
		wg.Go(func() { all[c], errs[c] = s.paced(ctx, c, "hello", each, time.Duration(chats)*gap/4) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s.overheads(ctx, slices.Concat(all...))
}

// errUndisturbed says that a run is no measure of fairness.
var errUndisturbed = errors.New("the chats were not disturbed")

// attempt is a send to a chat and the HTTP status of its answer, 0 without one.
type attempt struct {
	chat   string
	status int
}

// disturbed looks at the events in the two chats of [platform.disturb]: sends that
// hung, sends that were refused, messages that arrived all the same.
func disturbed(sends []attempt, hanging, limited string, arrived int) error {
	var hung, refused int
	for _, s := range sends {
		switch {
		case s.chat == hanging && s.status == 0:
			hung++
		case s.chat == limited && s.status == http.StatusTooManyRequests:
			refused++
		}
	}
	if hung < 1 || refused < 2 || arrived > 0 {
		return fmt.Errorf("%w: %d sends hung, %d were refused, %d messages arrived", errUndisturbed, hung, refused, arrived)
	}
	return nil
}
