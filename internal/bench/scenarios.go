package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"parley/internal/bench/report"
	"parley/internal/loopchat"
	"parley/internal/loopchat/server"
	"parley/internal/rig"
)

// gap is the pace of the latency rows.
const gap = 50 * time.Millisecond

func latency(ctx context.Context, b *bench) ([]report.Figure, error) {
	const n = 60
	var figures []report.Figure
	err := b.with(ctx, 0, func(ctx context.Context, s *stage) error {
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
			report.AtMost("CPU per ask, paced", cpu, 1.5, "ms"),
			report.Told("transactions per turn, alone", float64(after.Commits-before.Commits)/(n+warm), ""),
		}
		return err
	})
	return figures, err
}

func latencyTool(ctx context.Context, b *bench) ([]report.Figure, error) {
	const n = 40
	var figures []report.Figure
	err := b.with(ctx, 0, func(ctx context.Context, s *stage) error {
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
	asks, err := s.paced(ctx, chatName(0), text, n, gap)
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

func turns(ctx context.Context, b *bench) ([]report.Figure, error) {
	const chats, each = 200, 10
	var figures []report.Figure
	err := b.with(ctx, 0, func(ctx context.Context, s *stage) error {
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

func burst(ctx context.Context, b *bench) ([]report.Figure, error) {
	const chats, each = 200, 10
	var figures []report.Figure
	err := b.with(ctx, 0, func(ctx context.Context, s *stage) error {
		took, end, err := s.measured(ctx, chats, each)
		figures = []report.Figure{
			report.AtMost("burst 200×10", took.Seconds(), 1, "s"),
			report.AtMost("CPU per ask, burst", ms(end.CPU)/(chats*each), 0.6, "ms"),
			report.Told("peak memory, burst 200×10", mib(end.Peak), "MB"),
		}
		return err
	})
	return figures, err
}

func burst1000(ctx context.Context, b *bench) ([]report.Figure, error) {
	const chats, each = 1000, 5
	var figures []report.Figure
	err := b.with(ctx, 0, func(ctx context.Context, s *stage) error {
		took, end, err := s.measured(ctx, chats, each)
		figures = []report.Figure{
			report.AtMost("burst 1000×5", took.Seconds(), 3, "s"),
			report.AtMost("peak memory, burst 1000×5", mib(end.Peak), 60, "MB"),
		}
		return err
	})
	return figures, err
}

func burst1s(ctx context.Context, b *bench) ([]report.Figure, error) {
	const chats, each = 200, 10
	var figures []report.Figure
	err := b.with(ctx, time.Second, func(ctx context.Context, s *stage) error {
		took, err := s.flood(ctx, chats, each)
		figures = []report.Figure{report.AtMost("burst 200×10, a model of 1 s", took.Seconds(), 4, "s")}
		return err
	})
	return figures, err
}

// fairness holds the answers of chats that are well against a control run back
// to back: in the first of each pair one chat's sends hang and another's are
// rate-limited.
func fairness(ctx context.Context, b *bench) ([]report.Figure, error) {
	const pairs = 5
	ratios, extra := make([]float64, pairs), make([]float64, pairs)
	for i := range pairs {
		var control, disturbed float64
		var err error
		for half := range 2 { // each kind of run comes first as often as second, or nearly
			if half == i%2 {
				disturbed, err = b.neighbours(ctx, (*stage).disturb)
			} else {
				control, err = b.neighbours(ctx, func(*stage, chan struct{}) {})
			}
			if err != nil {
				return nil, err
			}
		}
		ratios[i], extra[i] = disturbed/control, disturbed-control
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

const fairChats, fairEach = 20, 15

// neighbours is the p95 of the overheads in twenty chats, paced, in milliseconds.
func (b *bench) neighbours(ctx context.Context, disturb func(s *stage, release chan struct{})) (float64, error) {
	var p95 float64
	err := b.with(ctx, 0, func(ctx context.Context, s *stage) error {
		release := make(chan struct{})
		disturb(s, release)
		over, err := s.others(ctx, fairChats, fairEach)
		close(release)
		p95 = report.Percentile(over, 95)
		return err
	})
	return p95, err
}

// disturb lets all sends to one chat hang until release and refuses those to
// another; neither chat ever gets anything.
func (s *stage) disturb(release chan struct{}) {
	f := func(req loopchat.SendRequest) server.Fault {
		switch req.Chat {
		case "hanging":
			<-release
			return server.Fault{Status: 500}
		case "limited":
			return server.Fault{Status: 429, RetryAfter: time.Second}
		}
		return server.Fault{}
	}
	s.onSend.Store(&f)
	for range fairEach {
		s.chat.Say("hanging", "hello nq000000000000")
		s.chat.Say("limited", "hello nq000000000000")
	}
}

// others asks in several chats side by side, each at its own pace.
func (s *stage) others(ctx context.Context, chats, each int) ([]float64, error) {
	var wg sync.WaitGroup
	all := make([][]server.Ask, chats)
	errs := make([]error, chats)
	for c := range chats {
		wg.Go(func() { all[c], errs[c] = s.paced(ctx, chatName(c), "hello", each, time.Duration(chats)*gap/4) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s.overheads(ctx, slices.Concat(all...))
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
