package main

import (
	"context"
	"fmt"

	"parley/internal/test/rig"
	"parley/internal/tools/bench/report"
)

// runningTasks compares the memory with work in the background of 1,000 chats with that
// of the same chats after a turn each without such work.
func runningTasks(ctx context.Context, p place) ([]report.Figure, error) {
	const chats = 1000
	without, err := p.taskSample(ctx, chats, 0)
	if err != nil {
		return nil, err
	}
	const hour = 3_600_000 // in milliseconds: it runs while it is looked at
	with, err := p.taskSample(ctx, chats, hour-1)
	return []report.Figure{
		report.AtMost("1,000 running tasks: memory over the same chats without", mib(with.RSS-without.RSS), 30, "MB"),
		report.Told("of it anonymous", mib(with.Anon-without.Anon), "MB"),
	}, err
}

// taskSample has the kernel's figures of a gateway in which each of the chats has
// called one tool: the work of n milliseconds, or, for 0, one that ends at once.
func (p place) taskSample(ctx context.Context, chats, n int) (sample rig.Sample, err error) {
	call := rig.ScriptCall{Tool: "lookup", Args: map[string]any{"text": "word"}}
	if n > 0 {
		call = rig.ScriptCall{Tool: "background", Args: map[string]any{"n": n}}
	}
	text := rig.Script{Rounds: [][]rig.ScriptCall{{call}}}.Text()
	err = p.with(ctx, 0, func(ctx context.Context, s *stage) error {
		const atOnce = 100
		for from := 0; from < chats; from += atOnce {
			var numbers []int
			for i := range atOnce {
				numbers = append(numbers, from+i)
			}
			if err := answered(ctx, s.platform.ask(text, numbers...)...); err != nil {
				return err
			}
		}
		if sample, err = s.rest(ctx); err != nil {
			return err
		}
		st, err := s.gw.Status(ctx)
		if want := min(n, 1) * chats; err == nil && st.OpenTasks != want {
			return fmt.Errorf("%w: %d tasks are open, want %d", errLedger, st.OpenTasks, want)
		}
		return err
	})
	return sample, err
}
