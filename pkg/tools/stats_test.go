package tools_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
)

func statsOf(r *tools.ToolRegistry, name string) tools.Stats {
	for _, s := range r.Stats() {
		if s.Tool == name {
			return s
		}
	}
	return tools.Stats{}
}

func TestStats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := registry(
			fn{name: "slow", run: func(_ context.Context, args map[string]any) *tools.ToolResult {
				ms, _ := args["ms"].(float64)
				<-time.After(time.Duration(ms) * time.Millisecond)
				return nil
			}, parameters: map[string]any{"type": "object", "required": []any{"ms"}}},
			fn{name: "fails", run: func(context.Context, map[string]any) *tools.ToolResult {
				return tools.Fail(tools.ErrBusy, "busy", nil).Result()
			}},
			fn{name: "plain", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.ErrorResult("no") }},
			fn{name: "idle"},
		)
		for _, ms := range []float64{10, 30, 20} {
			r.Execute(t.Context(), "slow", map[string]any{"ms": ms})
		}
		r.Execute(t.Context(), "slow", nil)
		r.Execute(t.Context(), "fails", nil)
		r.Execute(t.Context(), "fails", nil)
		r.Execute(t.Context(), "plain", nil)
		r.Execute(t.Context(), "nothing", nil)
		told(t, tools.ToolLoopConfig{Tools: r}, call("1", "nothing", nil), call("2", "fails", nil))
		r.Register(fn{name: "fails"}) // keeps its numbers
		r.Execute(t.Context(), "fails", nil)

		none := map[tools.ErrorType]uint64{}
		want := []tools.Stats{
			{Picks: 1, Errors: none, Refused: map[tools.ErrorType]uint64{tools.ErrNotFound: 2}},
			{Tool: "fails", Offered: 3, Picks: 1, Runs: 4, Errors: map[tools.ErrorType]uint64{tools.ErrBusy: 3}, Refused: none},
			{Tool: "plain", Offered: 3, Runs: 1, Errors: map[tools.ErrorType]uint64{tools.ErrExecutionFailed: 1}, Refused: none},
			{
				Tool: "slow", Offered: 3, Runs: 3, Errors: none, Refused: map[tools.ErrorType]uint64{tools.ErrInvalidArguments: 1},
				Total: 60 * time.Millisecond, Longest: 30 * time.Millisecond,
			},
		}
		if diff := cmp.Diff(want, r.Stats()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		seen := r.Filter(func(name string, _ tools.Annotations) bool { return name == "slow" }).Stats()
		if len(seen) != 2 || seen[1].String() != "3 calls, 1 refused (1 invalid_arguments), 20ms on average, 30ms at most" {
			t.Errorf("a view: %v", seen)
		}
	})
}

func TestStatsText(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]tools.Stats{
		"0 calls": {Picks: 1},
		"1 call, 2 from memory, 1.23s on average, 1.23s at most": {
			Runs: 1, Memo: 2, Total: 1234567890, Longest: 1234567890,
		},
		"2 calls, 3 failed (2 timeout, 1 execution_failed), 450ns on average, 1.5µs at most": {
			Runs: 2, Errors: map[tools.ErrorType]uint64{tools.ErrExecutionFailed: 1, tools.ErrTimeout: 2}, Total: 900, Longest: 1500,
		},
	} {
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestStatsFromManyCalls counts all of them.
func TestStatsFromManyCalls(t *testing.T) {
	t.Parallel()
	r := registry(fn{name: "a"})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				r.Execute(t.Context(), "a", nil)
				_ = r.Stats()
			}
		})
	}
	wg.Wait()
	if s := statsOf(r, "a"); s.Runs != 1600 || s.Longest > s.Total {
		t.Errorf("%+v", s)
	}
}

// book is an auditor that keeps its reports.
type book struct {
	mu    sync.Mutex
	lines []string
	fail  error
}

func (b *book) add(words ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, strings.TrimSpace(strings.Join(words, " ")))
}

func (b *book) Begins(ctx context.Context, c tools.Call) error {
	b.add("begins", c.Name, tools.InvocationFrom(ctx).Chat)
	return b.fail
}

func (b *book) Ended(ctx context.Context, c tools.Call, e tools.Ending) {
	flags := ""
	for flag, on := range map[string]bool{"ran": e.Ran, "memory": e.Memory, "async": e.Async, "background": e.Background} {
		if on && (flag != "ran" || !e.Background && !e.Async) {
			flags += flag
		}
	}
	b.add("ended", c.Name, tools.InvocationFrom(ctx).Chat, flags, string(e.Failure), e.Reason)
}

// TestAuditor: a call that does harm is written down before it runs, or does not run.
func TestAuditor(t *testing.T) {
	t.Parallel()
	b := &book{}
	ran := 0
	r := tools.NewToolRegistryWith(tools.Options{Auditor: b})
	run := func(context.Context, map[string]any) *tools.ToolResult { ran++; return nil }
	r.Register(fn{name: "deletes", annotations: tools.Annotations{Destructive: true}, run: run})
	r.Register(fn{name: "executes", annotations: tools.Annotations{Executes: true}, run: run})
	r.Register(fn{name: "writes", run: run})
	r.Register(fn{name: "high", annotations: tools.Annotations{Level: tools.LevelExec}})
	r.Register(fn{name: "picky", parameters: map[string]any{"type": "object", "required": []any{"secret"}}})
	r.Register(&benchTool{})
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Chat: "7", Level: tools.LevelWrite})
	for _, name := range []string{"deletes", "executes", "writes", "high", "picky", "nothing"} {
		r.Execute(ctx, name, nil)
	}
	back := make(chan struct{})
	r.ExecuteWithContext(ctx, "bench", nil, "c", "8", func(context.Context, *tools.ToolResult) { close(back) })
	<-back
	b.fail = errors.New("the disk is full")
	for _, name := range []string{"deletes", "executes"} {
		f := wantFailure(t, r.Execute(ctx, name, nil), tools.ErrExecutionFailed)
		if f.Message != "the call was not run because the audit log cannot be written" {
			t.Errorf("%s: %s", name, f.Message)
		}
	}
	r.Execute(ctx, "writes", nil)
	if ran != 4 {
		t.Errorf("%d calls ran", ran)
	}
	want := []string{
		"begins deletes 7", "ended deletes 7 ran", "begins executes 7", "ended executes 7 ran", "ended writes 7 ran",
		"ended high 7  permission_denied the tool high needs the level exec; this chat has write",
		"ended picky 7  invalid_arguments", "ended nothing 7  not_found",
		"ended bench 8 background", "ended bench 8 async",
		"begins deletes 7", "ended deletes 7  execution_failed", "begins executes 7", "ended executes 7  execution_failed",
		"ended writes 7 ran",
	}
	if diff := cmp.Diff(want, b.lines); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
