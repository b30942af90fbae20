package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"parley/internal/test/fakemodel"
	"parley/internal/test/prefix"
	"parley/internal/test/rig"
	"parley/internal/tools/bench/report"
)

// hi measures the request of "hi" on the fresh chat of an owner, the console, by part.
func hi(ctx context.Context, p place) ([]report.Figure, error) {
	dir, err := os.MkdirTemp(p.dir, "hi")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	answer := func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("hello") }
	requests, err := prefix.Talk(ctx, p.gateway, dir, nil, answer, func(gw *rig.Gateway) error {
		cmd := gw.Command(ctx, nil, "chat")
		cmd.Stdin = strings.NewReader("hi\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("hi: %w: %s", err, out)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(requests) != 1 {
		return nil, fmt.Errorf("hi: %d requests", len(requests))
	}
	parts := requests[0].Parts()
	figures := []report.Figure{report.AtMost(`request of "hi"`, float64(parts.All()), 7700, "bytes")}
	for _, part := range []struct {
		name  string
		bytes int
	}{{"tools", parts.Tools}, {"system message", parts.System}, {"messages", parts.Messages}, {"rest", parts.Rest}} {
		figures = append(figures, report.Told(`request of "hi": `+part.name, float64(part.bytes), "bytes"))
	}
	return append(figures, report.Told(`request of "hi", estimated`, float64(prefix.Tokens(parts.All())), "tokens")), nil
}

// stablePrefix measures how much of a request the one before had, over a month of turns.
func stablePrefix(ctx context.Context, p place) ([]report.Figure, error) {
	dir, err := os.MkdirTemp(p.dir, "month")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	requests, err := prefix.Month(ctx, p.gateway, dir, nil)
	if err != nil {
		return nil, err
	}
	const percent, middle, low = 100, 50, 10
	var shares []float64
	for _, s := range prefix.Shares(requests) {
		shares = append(shares, s*percent)
	}
	return []report.Figure{
		report.AtLeast("stable prefix, median", report.Percentile(shares, middle), 90, "%"),
		report.AtLeast("stable prefix, 10th percentile", report.Percentile(shares, low), 60, "%"),
	}, nil
}
