package main

import (
	"context"
	"time"

	"parley/internal/test/rig"
	"parley/internal/tools/bench/report"
)

// gap is the pace of the latency rows.
const gap = 50 * time.Millisecond

func latency(ctx context.Context, p place) ([]report.Figure, error) {
	const n = 60
	var figures []report.Figure
	err := p.with(ctx, 0, func(ctx context.Context, s *stage) error {
		before, err := s.gw.Status(ctx)
		if err != nil {
			return err
		}
		over, cpu, err := s.latency(ctx, "hello", n)
		if err != nil {
			return err
		}
		after, err := s.gw.Status(ctx)
		figures = []report.Figure{
			report.AtMost("own overhead p50, no tool", report.Percentile(over, 50), 2.5, "ms"),
			report.AtMost("own overhead p99, no tool", report.Percentile(over, 99), 10, "ms"),
			p.aim("CPU per ask, paced", cpu, 1.5, "ms"),
			report.Told("transactions per turn, alone", float64(after.Commits-before.Commits)/(n+warm), ""),
		}
		return err
	})
	return figures, err
}

func latencyTool(ctx context.Context, p place) ([]report.Figure, error) {
	const n = 40
	var figures []report.Figure
	err := p.with(ctx, 0, func(ctx context.Context, s *stage) error {
		over, _, err := s.latency(ctx, toolText(), n)
		figures = []report.Figure{report.AtMost("own overhead p50, one read-only call", report.Percentile(over, 50), 4, "ms")}
		return err
	})
	return figures, err
}

// latency gives the overheads of n paced asks and the gateway's CPU time for each, in milliseconds.
func (s *stage) latency(ctx context.Context, text string, n int) ([]float64, float64, error) {
	before, err := s.process.Sample()
	if err != nil {
		return nil, 0, err
	}
	asks, err := s.paced(ctx, 0, text, n, gap)
	if err != nil {
		return nil, 0, err
	}
	after, err := s.process.Sample()
	if err != nil {
		return nil, 0, err
	}
	over, err := s.overheads(ctx, asks)
	return over, ms(after.CPU-before.CPU) / float64(n+warm), err
}

func turns(ctx context.Context, p place) ([]report.Figure, error) {
	const chats, each = 200, 10
	var figures []report.Figure
	err := p.with(ctx, 0, func(ctx context.Context, s *stage) error {
		before, err := s.gw.Status(ctx)
		if err != nil {
			return err
		}
		took, err := s.converse(ctx, chats, each)
		if err != nil {
			return err
		}
		after, err := s.gw.Status(ctx)
		figures = []report.Figure{
			report.AtLeast("committed turns per second, 200 chats × 10, each after the last answer", chats*each/took.Seconds(), 1200, ""),
			report.Told("transactions per turn, shared with the turns beside it", float64(after.Commits-before.Commits)/(chats*each), ""),
		}
		return err
	})
	return figures, err
}

func burst(ctx context.Context, p place) ([]report.Figure, error) {
	const chats, each = 200, 10
	var figures []report.Figure
	err := p.with(ctx, 0, func(ctx context.Context, s *stage) error {
		took, end, err := s.measured(ctx, chats, each)
		figures = []report.Figure{
			report.AtMost("burst 200×10", took.Seconds(), 1, "s"),
			p.aim("CPU per ask, burst", ms(end.CPU)/(chats*each), 0.6, "ms"),
			report.Told("peak memory, burst 200×10", mib(end.Peak), "MB"),
		}
		return err
	})
	return figures, err
}

func burst1000(ctx context.Context, p place) ([]report.Figure, error) {
	const chats, each = 1000, 5
	var figures []report.Figure
	err := p.with(ctx, 0, func(ctx context.Context, s *stage) error {
		took, end, err := s.measured(ctx, chats, each)
		figures = []report.Figure{
			report.AtMost("burst 1000×5", took.Seconds(), 3, "s"),
			report.AtMost("peak memory, burst 1000×5", mib(end.Peak), 60, "MB"),
		}
		return err
	})
	return figures, err
}

func burst1s(ctx context.Context, p place) ([]report.Figure, error) {
	const chats, each = 200, 10
	var figures []report.Figure
	err := p.with(ctx, time.Second, func(ctx context.Context, s *stage) error {
		took, err := s.flood(ctx, chats, each)
		figures = []report.Figure{report.AtMost("burst 200×10, a model of 1 s", took.Seconds(), 4, "s")}
		return err
	})
	return figures, err
}

// measured is flood with a sample of the gateway at its end. The CPU time is that of the load alone.
func (s *stage) measured(ctx context.Context, chats, each int) (time.Duration, rig.Sample, error) {
	before, err := s.process.Sample()
	if err != nil {
		return 0, rig.Sample{}, err
	}
	took, err := s.flood(ctx, chats, each)
	if err != nil {
		return 0, rig.Sample{}, err
	}
	end, err := s.process.Sample()
	end.CPU -= before.CPU
	return took, end, err
}

func mib(kib int64) float64 { return float64(kib) / 1024 }
