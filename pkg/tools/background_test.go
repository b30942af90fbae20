package tools_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/tools"
)

// backTool leaves its callback with the test.
type backTool struct {
	name string
	cb   tools.AsyncCallback
	out  chan tools.AsyncCallback
	ctx  chan context.Context
}

func (b *backTool) Name() string                       { return b.name }
func (b *backTool) Description() string                { return "works on" }
func (b *backTool) Parameters() map[string]any         { return nil }
func (b *backTool) SetCallback(cb tools.AsyncCallback) { b.cb = cb }
func (b *backTool) Execute(ctx context.Context, _ map[string]any) *tools.ToolResult {
	b.out <- b.cb
	b.ctx <- ctx
	return tools.AsyncResult("started")
}

func newBackTool() *backTool {
	return &backTool{name: "works", out: make(chan tools.AsyncCallback, 4), ctx: make(chan context.Context, 4)}
}

func TestCallback(t *testing.T) {
	t.Parallel()
	// The channels make the tool a held one, so both sides are tested.
	t.Run("the first one counts, and ends the context and the hold", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r, tool := tools.NewToolRegistry(), newBackTool()
			r.Register(tool)
			turn, endTurn := context.WithCancelCause(tools.WithInvocation(t.Context(), tools.Invocation{Chat: "A", Key: "k"}))
			told := 0
			r.ExecuteWithContext(turn, "works", nil, "", "", func(context.Context, *tools.ToolResult) { told++ })
			cb, ctx := <-tool.out, <-tool.ctx
			endTurn(context.DeadlineExceeded)
			if ctx.Err() != nil || context.Cause(ctx) != nil || tools.InvocationFrom(ctx).Key != "k" {
				t.Error("background work ended with its turn, or lost its invocation")
			}
			busy := r.ExecuteWithContext(t.Context(), "works", nil, "", "", func(context.Context, *tools.ToolResult) {})
			wantFailure(t, busy, tools.ErrBusy)
			cb(ctx, tools.NewToolResult("done"))
			cb(ctx, tools.NewToolResult("done again"))
			if told != 1 || ctx.Err() == nil {
				t.Errorf("told %d times; context: %v", told, ctx.Err())
			}
			next := r.ExecuteWithContext(t.Context(), "works", nil, "", "", func(context.Context, *tools.ToolResult) {})
			if !next.Async {
				t.Errorf("after the callback: %+v", next)
			}
			(<-tool.out)(<-tool.ctx, nil)
		})
	})
	t.Run("a late one is dropped and logged", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			logs := &logBuffer{}
			r, tool := tools.NewToolRegistryWith(tools.Options{Log: logs.logger(zerolog.InfoLevel)}), newBackTool()
			r.Register(tool)
			told := 0
			r.ExecuteWithContext(t.Context(), "works", nil, "", "", func(context.Context, *tools.ToolResult) { told++ })
			cb, ctx := <-tool.out, <-tool.ctx
			<-ctx.Done()
			if ctx.Err() != context.DeadlineExceeded {
				t.Errorf("the work's context ended with %v", ctx.Err())
			}
			// At its deadline a held tool is free again.
			synctest.Wait()
			r.ExecuteWithContext(t.Context(), "works", nil, "", "", func(context.Context, *tools.ToolResult) { told += 10 })
			second := <-tool.out
			time.AfterFunc(time.Second, func() { cb(ctx, tools.NewToolResult("late")) })
			r.ExecuteWithContext(t.Context(), "works", nil, "", "", nil) // waits and is busy
			if told != 0 || !strings.Contains(logs.String(), "after its deadline") {
				t.Errorf("told %d times; log: %s", told, logs)
			}
			second(<-tool.ctx, nil)
			if told != 10 {
				t.Errorf("told %d", told)
			}
		})
	})
	t.Run("one of a call that was given up is dropped", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := tools.NewToolRegistry()
			told := 0
			release := make(chan struct{})
			// Its output has no receiver, so Execute does not return.
			tool := &backTool{name: "works", out: make(chan tools.AsyncCallback), ctx: make(chan context.Context)}
			r.Register(tool)
			go func() {
				<-release
				cb, ctx := <-tool.out, <-tool.ctx
				if ctx.Err() == nil {
					t.Error("the work's context goes on")
				}
				cb(ctx, tools.NewToolResult("late"))
			}()
			res := r.ExecuteWithContext(t.Context(), "works", nil, "", "", func(context.Context, *tools.ToolResult) { told++ })
			wantFailure(t, res, tools.ErrTimeout)
			close(release)
			synctest.Wait()
			if told != 0 {
				t.Error("a call ended twice")
			}
		})
	})
	t.Run("a panic stays inside", func(t *testing.T) {
		t.Parallel()
		logs := &logBuffer{}
		r, tool := tools.NewToolRegistryWith(tools.Options{Log: logs.logger(zerolog.InfoLevel)}), newBackTool()
		r.Register(tool)
		r.ExecuteWithContext(t.Context(), "works", nil, "", "", func(context.Context, *tools.ToolResult) { panic("owner") })
		(<-tool.out)(nil, nil)
		if !strings.Contains(logs.String(), "a callback panicked") {
			t.Error(logs)
		}
	})
	t.Run("nothing to tell is no output", func(t *testing.T) {
		t.Parallel()
		r, tool := tools.NewToolRegistry(), newBackTool()
		r.Register(tool)
		got := ""
		r.ExecuteWithContext(t.Context(), "works", nil, "", "", func(_ context.Context, res *tools.ToolResult) { got = res.ForLLM })
		(<-tool.out)(<-tool.ctx, nil)
		if got != "(no output)" {
			t.Errorf("told %q", got)
		}
	})
}

func TestHeldTool(t *testing.T) {
	t.Parallel()
	t.Run("a nested call is an error, not a deadlock", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := tools.NewToolRegistry()
			var inner *tools.ToolResult
			began := time.Now()
			nested := &nestingTool{lockedTool: lockedTool{seen: map[string]int{}}, run: func(ctx context.Context) {
				// The invocation is rewritten on the way, as a composed tool does.
				inner = r.Execute(tools.WithInvocation(ctx, tools.Invocation{Chat: "A"}), "report", nil)
			}}
			r.Register(nested)
			if res := r.ExecuteWithContext(t.Context(), "report", nil, "telegram", "A", nil); res.IsError {
				t.Errorf("outer %+v", res)
			}
			f := wantFailure(t, inner, tools.ErrBusy)
			if !strings.Contains(f.Message, "within its own call") || time.Since(began) > 0 {
				t.Errorf("after %v: %s", time.Since(began), f.Message)
			}
		})
	})
	t.Run("a nested call that hides its context is busy in time", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := tools.NewToolRegistry()
			var inner *tools.ToolResult
			began := time.Now()
			r.Register(&nestingTool{lockedTool: lockedTool{seen: map[string]int{}}, run: func(context.Context) {
				inner = r.Execute(context.Background(), "report", nil) //nolint:contextcheck // a lost context is the case
			}})
			r.Execute(t.Context(), "report", nil)
			wantFailure(t, inner, tools.ErrBusy)
			if took := time.Since(began); took != 30*time.Second {
				t.Errorf("after %v", took)
			}
		})
	})
	t.Run("a waiting call ends with its context", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := tools.NewToolRegistry()
			release := make(chan struct{})
			r.Register(&nestingTool{lockedTool: lockedTool{seen: map[string]int{}}, run: func(context.Context) { <-release }})
			go r.Execute(t.Context(), "report", nil)
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			wantFailure(t, r.Execute(ctx, "report", nil), tools.ErrInterrupted)
			close(release)
			synctest.Wait()
		})
	})
}

type nestingTool struct {
	lockedTool
	run func(ctx context.Context)
}

func (n *nestingTool) Execute(ctx context.Context, _ map[string]any) *tools.ToolResult {
	n.run(ctx)
	return tools.NewToolResult("done")
}
