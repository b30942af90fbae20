package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/tools"
)

// TestWaitingIsNotTheCallsTime lets calls of a second wait for a place for an hour,
// before and after work that takes its time.
func TestWaitingIsNotTheCallsTime(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	work := func(ctx context.Context, d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	wait := func(ctx context.Context) {
		over := tools.Waiting(ctx)
		work(ctx, time.Hour)
		over()
	}
	for name, c := range map[string]struct {
		run  func(ctx context.Context)
		want string // of the result, or timeout
	}{
		"waits":                 {wait, "done"},
		"works in its time":     {func(ctx context.Context) { work(ctx, limit-1); wait(ctx) }, "done"},
		"works, waits, works":   {func(ctx context.Context) { work(ctx, limit/2); wait(ctx); work(ctx, limit/2-1) }, "done"},
		"works too long before": {func(ctx context.Context) { work(ctx, 2*limit); wait(ctx) }, string(tools.ErrTimeout)},
		"works too long after":  {func(ctx context.Context) { work(ctx, limit/2); wait(ctx); work(ctx, limit) }, string(tools.ErrTimeout)},
		"two waits at a time": {func(ctx context.Context) {
			over := tools.Waiting(ctx)
			wait(ctx)
			work(ctx, time.Hour)
			over()
		}, "done"},
	} {
		for _, nested := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					r := tools.NewToolRegistry()
					r.Register(fn{
						name: "inner", annotations: tools.Annotations{Timeout: limit},
						run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
							if d, ok := ctx.Deadline(); !ok || time.Until(d) != limit {
								t.Errorf("the call's deadline is in %v", time.Until(d))
							}
							c.run(ctx)
							if err := ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
								t.Errorf("the call's context ends with %v", err)
							}
							return tools.NewToolResult("done").WithError(ctx.Err())
						},
					})
					r.Register(fn{
						name: "outer", annotations: tools.Annotations{Timeout: limit + 1, Composed: true},
						run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
							return tools.CallTool(ctx, "inner", nil)
						},
					})
					tool := "inner"
					if nested {
						tool = "outer"
					}
					if res := r.Execute(t.Context(), tool, nil); !strings.Contains(res.ForLLM, c.want) {
						t.Errorf("nested %v: got %s", nested, res.ForLLM)
					}
				})
			})
		}
	}
}
