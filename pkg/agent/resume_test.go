package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// restart ends the process's part of the world in the middle of whatever runs
// and starts it again on the same store.
func (w *world) restart() {
	w.t.Helper()
	w.stop()
	w.start()
}

func TestAnInterruptedTurnGoesOnFromItsLastStep(t *testing.T) {
	t.Parallel()
	var asked, done, effects atomic.Int64
	blocked := make(chan struct{}, 1)
	first := fn{name: "first", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult {
		done.Add(1)
		return tools.NewToolResult("first done")
	}}
	effect := fn{name: "effect", run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		effects.Add(1)
		blocked <- struct{}{}
		<-ctx.Done()
		return tools.ErrorResult("cut off")
	}}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		asked.Add(1)
		switch {
		case last(msgs).Role == providers.RoleUser:
			return call("first", "{}")
		case last(msgs).Content == "first done":
			return call("effect", "{}")
		default:
			return say("the model was told: " + last(msgs).Content)
		}
	}), []tools.Tool{first, effect}, withGrace(time.Millisecond))
	w.write("1", "1", "go")
	<-blocked
	w.restart()
	got := w.expect().Text
	if !strings.Contains(got, `"interrupted"`) || !strings.Contains(got, "unknown whether it took effect") {
		t.Errorf("told %q", got)
	}
	if asked.Load() != 3 || done.Load() != 1 || effects.Load() != 1 {
		t.Errorf("asked %d (want 3), first ran %d, the effect %d times (want 1 each)", asked.Load(), done.Load(), effects.Load())
	}
	w.settled()
}

func TestAReadOnlyCallThatWasBegunRunsAgain(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	blocked := make(chan struct{}, 1)
	look := fn{name: "look", an: readOnly(), run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		if runs.Add(1) == 1 {
			blocked <- struct{}{}
			<-ctx.Done()
			return tools.ErrorResult("cut off")
		}
		return tools.NewToolResult("looked")
	}}
	var asked atomic.Int64
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		asked.Add(1)
		if last(msgs).Role == providers.RoleUser {
			return call("look", "{}")
		}
		return say(last(msgs).Content)
	}), []tools.Tool{look}, withGrace(time.Millisecond))
	w.write("1", "1", "go")
	<-blocked
	w.restart()
	w.expectText("looked")
	if runs.Load() != 2 || asked.Load() != 2 {
		t.Errorf("ran %d times, asked %d times; want 2 and 2", runs.Load(), asked.Load())
	}
	w.settled()
}

func TestWhatAToolShowedIsNotShownAgainAfterARestart(t *testing.T) {
	t.Parallel()
	blocked := make(chan struct{}, 1)
	var hold atomic.Bool
	hold.Store(true)
	show := fn{name: "show", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.UserResult("shown") }}
	w := newWorld(t, script(func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleUser {
			return call("show", "{}")
		}
		if hold.Load() {
			return hang(ctx, blocked)
		}
		return say("shown")
	}), []tools.Tool{show}, withGrace(time.Millisecond))
	w.write("1", "1", "go")
	<-blocked
	w.expectText("shown")
	hold.Store(false)
	w.restart()
	w.settled() // the final answer repeats the shown text and is dropped, so the text leaves once
}

func TestAJoinedMessageSurvivesARestart(t *testing.T) {
	t.Parallel()
	g := newGate()
	blocked := make(chan struct{}, 1)
	var hold atomic.Bool
	hold.Store(true)
	w := newWorld(t, script(func(
		ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		if len(users(msgs)) == 2 && hold.Load() {
			return hang(ctx, blocked)
		}
		return gated(ctx, msgs, defs)
	}), []tools.Tool{g.tool()}, withGrace(time.Millisecond))
	w.write("1", "1", "go")
	<-g.entered
	w.write("1", "1", "and this")
	close(g.open)
	<-blocked
	hold.Store(false)
	w.restart()
	w.expectText("seen: go, and this")
	w.settled()
}
