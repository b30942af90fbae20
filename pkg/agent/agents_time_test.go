package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// TestAnAgentIsGivenUpAtItsDeadline: it is absolute, and no restart extends it.
func TestAnAgentIsGivenUpAtItsDeadline(t *testing.T) {
	t.Parallel()
	for _, down := range []time.Duration{0, time.Minute, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			asked := make(chan struct{}, 10)
			w := newParty(t, func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
				switch {
				case isAgent(msgs):
					return hang(ctx, asked)
				case last(msgs).Role == providers.RoleTool:
					return say("started")
				}
				return call("spawn", `{"task":"think","name":"thought","deadline_minutes":5}`)
			}, nil, quietly)
			began := time.Now()
			w.write("1", "1", "go")
			w.expectText("started")
			<-asked
			if down > 0 {
				w.stop()
				<-time.After(down)
				w.start()
			}
			o := <-w.sent
			after := time.Since(began)
			if want := max(5*time.Minute, down); after < want || after > want+time.Minute {
				t.Errorf("down for %v: told after %v", down, after)
			}
			if !strings.Contains(o.Text, "did not end within 5 minutes") {
				t.Errorf("told %q", o.Text)
			}
			w.settled()
			if got := w.task(); got.State != session.TaskTimedOut {
				t.Errorf("task %+v", got)
			}
			w.restart()
			w.settled()
		})
	}
}

// TestAnAgentGoesOnAfterARestart: answers that were recorded are not asked for again,
// and calls that ended are not run again.
func TestAnAgentGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var looked, asked atomic.Int64
		hangs := make(chan struct{}, 10)
		down := atomic.Bool{}
		look := fn{name: "look", run: func(context.Context, map[string]any) *tools.ToolResult {
			looked.Add(1)
			return tools.NewToolResult("seen")
		}}
		w := newParty(t, delegates(func(
			ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition,
		) (*providers.LLMResponse, error) {
			if last(msgs).Role != providers.RoleTool {
				asked.Add(1)
				return call("look", "{}")
			}
			if !down.Load() {
				return hang(ctx, hangs)
			}
			return say("report: " + last(msgs).Content)
		}), []tools.Tool{look})
		w.write("1", "1", "do it")
		w.expectText("started")
		<-hangs
		w.stop()
		down.Store(true)
		w.start()
		w.expectText("it says: report: seen")
		w.settled()
		if looked.Load() != 1 || asked.Load() != 1 {
			t.Errorf("looked %d times, asked %d times", looked.Load(), asked.Load())
		}
	})
}

// unstored is an engine that dies between the record of an agent's task and the item
// that begins the agent.
type unstored struct {
	session.Engine

	fails atomic.Bool
	met   chan struct{}
}

// Inbox implements [session.Engine].
func (u *unstored) Inbox() session.Inbox { return unstoredInbox{u.Engine.Inbox(), u} }

type unstoredInbox struct {
	session.Inbox

	of *unstored
}

func (u unstoredInbox) Append(ctx context.Context, items []session.Item, cursor *channels.Cursor) error {
	if len(items) == 1 && items[0].Kind == session.ItemSpawn && u.of.fails.Load() {
		u.of.met <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	return u.Inbox.Append(ctx, items, cursor)
}

// Tasks implements [session.Engine].
func (u *unstored) Tasks() session.Tasks { return unstoredTasks{u.Engine.Tasks(), u} }

type unstoredTasks struct {
	session.Tasks

	of *unstored
}

func (u unstoredTasks) Complete(ctx context.Context, id string, c session.Completion) (bool, error) {
	if u.of.fails.Load() {
		return false, session.ErrStore // the process is dead
	}
	return u.Tasks.Complete(ctx, id, c)
}

// TestAnAgentThatIsRecordedBegins also where the process died before its first item was stored.
func TestAnAgentThatIsRecordedBegins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &unstored{met: make(chan struct{}, 1)}
		u.fails.Store(true)
		var agents atomic.Int64
		w := newParty(t, delegates(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
			agents.Add(1)
			return say("forty-two")
		}), nil, func(w *world) {
			w.wrap = func(e session.Engine) session.Engine { u.Engine = e; return u }
			quietly(w)
		})
		w.write("1", "1", "do it")
		<-u.met
		w.stop()
		u.fails.Store(false)
		w.start()
		got := []string{w.expect().Text, w.expect().Text} // the agent may be quicker than the turn that goes on
		w.settled()
		if got[0] != "started" || got[1] != "it says: forty-two" || agents.Load() != 1 {
			t.Errorf("told %q, asked an agent %d times", got, agents.Load())
		}
	})
}

// half is an engine with a process that dies after an agent's task has ended, and
// before its turn was committed.
type half struct {
	session.Engine

	dies atomic.Bool
	met  chan struct{}
}

// Inbox implements [session.Engine].
func (h *half) Inbox() session.Inbox { return halfInbox{h.Engine.Inbox(), h} }

type halfInbox struct {
	session.Inbox

	of *half
}

func (h halfInbox) Run(ctx context.Context, f func(context.Context, session.Turn) error) error {
	return h.Inbox.Run(ctx, func(ctx context.Context, t session.Turn) error { return f(ctx, &halfTurn{t, h.of}) })
}

type halfTurn struct {
	session.Turn

	h *half
}

func (t *halfTurn) Commit(ctx context.Context, c session.Commit) error {
	if t.Info().Address.Channel == session.AgentChannel && t.h.dies.Load() {
		t.h.met <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	return t.Turn.Commit(ctx, c)
}

// TestAnAgentThatEndedDoesNotRunAgain where the process died before its turn was committed.
func TestAnAgentThatEndedDoesNotRunAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &half{met: make(chan struct{}, 1)}
		h.dies.Store(true)
		var agents atomic.Int64
		w := newParty(t, delegates(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
			return priced(say(fmt.Sprint("report ", agents.Add(1))))
		}), nil, func(w *world) {
			w.wrap = func(e session.Engine) session.Engine { h.Engine = e; return h }
			quietly(w)
		})
		w.write("1", "1", "do it")
		w.expectText("started")
		<-h.met
		w.expectText("it says: report 1")
		w.stop()
		h.dies.Store(false)
		w.start()
		w.settled()
		if agents.Load() != 1 {
			t.Errorf("the agent was asked %d times", agents.Load())
		}
		// Its own turn, and that of its report, which is free.
		if got := w.spending("1", "2000-01-01")[session.ForBackground]; got.Turns != 2 || got.Money != 30 {
			t.Errorf("counted %+v, want two turns and 30", got)
		}
		if got := w.agentsUses(); len(got) != 1 || got[0].Usage.Money != 30 || got[0].Usage.Turns != 1 {
			t.Errorf("its turns used %+v, want one that used 30", got)
		}
	})
}

// TestAnAgentThatWasCancelledWhileItsTurnWasCutOff has the cost of its recorded
// answers.
func TestAnAgentThatWasCancelledWhileItsTurnWasCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{}, 10)
		look := fn{
			name: "look",
			an:   readOnly(),
			run:  func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("seen") },
		}
		w := newParty(t, delegates(func(
			ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition,
		) (*providers.LLMResponse, error) {
			if last(msgs).Role == providers.RoleTool {
				return hang(ctx, asked)
			}
			return priced(call("look", "{}"))
		}), []tools.Tool{look}, quietly)
		w.write("1", "1", "do it")
		w.expectText("started")
		<-asked
		if first, err := w.eng.Tasks().Complete(t.Context(), w.task().ID, session.Completion{
			State: session.TaskCancelled,
		}); err != nil || !first {
			t.Fatal(first, err)
		}
		w.restart() // before the turn has heard of it
		w.settled()
		want := session.Usage{Turns: 1, Input: 100, Output: 20, Money: 30}
		if got := w.spending("1", "2000-01-01")[session.ForBackground]; got != want {
			t.Errorf("counted %+v, want %+v", got, want)
		}
	})
}

// TestAnAgentThatKillsTheGatewayIsSetAside after three processes.
func TestAnAgentThatKillsTheGatewayIsSetAside(t *testing.T) {
	t.Parallel()
	w := newParty(t, delegates(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("never")
	}), nil, func(w *world) {
		w.wrap = func(e session.Engine) session.Engine { return deadly{e} }
		quietly(w)
	})
	w.write("1", "1", "do it")
	w.expectText("started")
	if got := w.expect().Text; !strings.Contains(got, "stopped three times") {
		t.Errorf("told %q", got)
	}
	w.settled()
	if got := w.task(); got.State != session.TaskFailed {
		t.Errorf("task %+v", got)
	}
}
