package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// lateWriter has work that takes no notice of its end at once: it writes a second later. Hung work does so
// when the test lets it.
type lateWriter struct {
	began   chan struct{}
	hung    chan struct{} // nil: a second
	written atomic.Int32
}

func (l *lateWriter) work(ctx context.Context) *tools.ToolResult {
	l.began <- struct{}{}
	<-ctx.Done()
	if l.hung != nil {
		<-l.hung
	}
	<-time.After(time.Second)
	l.written.Add(1)
	return tools.NewToolResult("written")
}

// inTheTurn is a call that its turn waits for, behind is one in the background.
func (l *lateWriter) inTheTurn() tools.Tool {
	an := tools.Annotations{Level: tools.LevelChat, Timeout: time.Hour}
	return fn{name: "work", an: an, run: func(ctx context.Context, _ map[string]any) *tools.ToolResult { return l.work(ctx) }}
}

func (l *lateWriter) behind() tools.Tool {
	return &errand{run: func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
		return tools.Background(ctx, cb, "started", l.work)
	}}
}

// TestForgettingEndsTheWorkOfTheChat: its turn, a call that goes on after it, background work and a background
// agent have ended when EndWork returns; no turn begins meanwhile, and another chat goes on.
func TestForgettingEndsTheWorkOfTheChat(t *testing.T) {
	t.Parallel()
	agents := delegates(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleTool {
			return say("done")
		}
		return call("work", "{}")
	})
	for name, c := range map[string]struct {
		model script
		tool  func(*lateWriter) tools.Tool
	}{
		"a call of its turn":           {relay, (*lateWriter).inTheTurn},
		"background work":              {relay, (*lateWriter).behind},
		"a call of a background agent": {agents, (*lateWriter).inTheTurn},
		"background work of an agent":  {agents, (*lateWriter).behind},
	} {
		for hung, of := range map[string]chan struct{}{"": nil, ", hung": make(chan struct{})} {
			t.Run(name+hung, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					l := &lateWriter{began: make(chan struct{}, 9)}
					if of != nil {
						l.hung = make(chan struct{})
					}
					w := newParty(t, c.model, []tools.Tool{c.tool(l)}, quietly, withGrace(time.Second))
					w.write("1", "1", "work")
					<-l.began
					w.write("2", "1", "work")
					<-l.began
					info, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
					if err != nil {
						t.Fatal(err)
					}
					goOn, err := w.agent.EndWork(t.Context(), info.Chat, "")
					if l.hung != nil {
						if err == nil || !strings.Contains(err.Error(), "turn ") || l.written.Load() != 0 {
							t.Errorf("with work that hangs: %v", err)
						}
						close(l.hung)
						goOn(false)
						goOn, err = w.agent.EndWork(t.Context(), info.Chat, "")
					}
					if err != nil || l.written.Load() != 1 {
						t.Errorf("%d of the calls have ended, %v", l.written.Load(), err)
					}
					w.write("1", "1", "more")
					<-time.After(time.Minute)
					synctest.Wait()
					if len(l.began) != 0 || l.written.Load() != 1 {
						t.Error("work began or ended beside the forget")
					}
					if err := w.eng.Sessions().Forget(t.Context(), info.Session); err != nil {
						t.Fatal(err)
					}
					goOn(false)
					<-time.After(time.Minute)
					if open, err := w.eng.Tasks().TaskList(t.Context(), info.Chat); err != nil || len(open) != 0 {
						t.Errorf("the tasks %v, %v", open, err)
					}
					w.stop()
					<-time.After(time.Minute) // the work of the other chat
				})
			})
		}
	}
}

// TestForgettingOneConversationLeavesTheWorkOfOthers: a turn and background work of the present conversation go
// on where an earlier one is forgotten.
func TestForgettingOneConversationLeavesTheWorkOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lateWriter{began: make(chan struct{}, 9)}
		w := newWorld(t, script(relay), []tools.Tool{l.behind()}, quietly, withGrace(time.Second))
		w.write("1", "1", "work")
		<-l.began
		info, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
		if err != nil {
			t.Fatal(err)
		}
		goOn, err := w.agent.EndWork(t.Context(), info.Chat, "another")
		goOn(false)
		if err != nil || l.written.Load() != 0 || w.task().State != session.TaskRunning {
			t.Errorf("the work of another conversation has ended, %v", err)
		}
		goOn, err = w.agent.EndWork(t.Context(), info.Chat, info.Session)
		goOn(false)
		if err != nil || l.written.Load() != 1 {
			t.Errorf("its own has not, %v", err)
		}
	})
}
