package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// onePlace lets one turn of chats and one agent of each depth run at a time.
func onePlace(o *agent.Options) { o.Limits.Turns, o.Background.Agents = 1, 1 }

// TestASubagentIsWaitedFor also where there is one place for each: a chat's turn
// waits for an agent, which waits for another one.
func TestASubagentIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newParty(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case m.Role == providers.RoleTool:
			return say("from below: " + m.Content)
		case isAgent(msgs) && m.Content == "deepest":
			return say("forty-two")
		case isAgent(msgs):
			return call("subagent", order("deepest"))
		default:
			return call("subagent", order("deep"))
		}
	}, nil, withOptions(onePlace))
	for _, chat := range []string{"1", "2", "3"} {
		w.write(chat, "1", "do it")
	}
	for range 3 {
		w.expectText("from below: from below: forty-two")
	}
	w.settled()
	open, err := w.eng.Tasks().OpenTasks(t.Context())
	if err != nil || len(open) > 0 {
		t.Errorf("open tasks %v, %v", open, err)
	}
}

// TestStopEndsTheSubagentToo keeps it silent after that.
func TestStopEndsTheSubagentToo(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	w := newParty(t, func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if isAgent(msgs) {
			return hang(ctx, asked)
		}
		return call("subagent", order("think"))
	}, nil)
	w.write("1", "1", "do it")
	<-asked
	w.write("1", "1", "/stop")
	w.expectText("Stopped.")
	w.settled()
	if got := w.task(); got.State != session.TaskCancelled {
		t.Errorf("task %+v", got)
	}
	w.restart()
	w.settled()
}

// TestASubagentIsWaitedForAfterARestart by the call that was cut off, which finds it again.
func TestASubagentIsWaitedForAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{}, 10)
		up := atomic.Bool{}
		w := newParty(t, func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			switch {
			case isAgent(msgs) && up.Load():
				return say("forty-two")
			case isAgent(msgs):
				return hang(ctx, asked)
			case last(msgs).Role == providers.RoleTool:
				return say(last(msgs).Content)
			}
			return call("subagent", order("think"))
		}, nil)
		w.write("1", "1", "do it")
		<-asked
		w.stop()
		up.Store(true)
		w.start()
		w.expectText("forty-two")
		w.settled()
		if got := w.task(); got.State != session.TaskDone || !got.Waited {
			t.Errorf("task %+v", got)
		}
	})
}

// TestASubagentThatTakesTooLong ends with its deadline, and its call says so.
func TestASubagentThatTakesTooLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{}, 10)
		w := newParty(t, func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			switch {
			case isAgent(msgs):
				return hang(ctx, asked)
			case last(msgs).Role == providers.RoleTool:
				return say(last(msgs).Content)
			}
			return call("subagent", order("think"))
		}, nil)
		began := time.Now()
		w.write("1", "1", "do it")
		o := <-w.sent
		if after := time.Since(began); after < 10*time.Minute || after > 11*time.Minute {
			t.Errorf("told after %v", after)
		}
		if !strings.Contains(o.Text, `"timeout"`) || !strings.Contains(o.Text, "did not end within 10 minutes") {
			t.Errorf("told %q", o.Text)
		}
		w.settled()
	})
}

// TestASubagentsStepsAreSeen as the progress of the call that waits for it.
func TestASubagentsStepsAreSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &board{notes: make(chan string, 100)}
		look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult {
			<-time.After(5 * time.Second)
			return tools.NewToolResult("seen")
		}}
		w := newParty(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			switch {
			case last(msgs).Role == providers.RoleTool:
				return say("done")
			case isAgent(msgs):
				<-time.After(time.Second)
				return call("look", "{}")
			}
			return call("subagent", order("think"))
		}, []tools.Tool{look}, withOptions(func(o *agent.Options) {
			surface(o, func(s *turn.Surface) { s.Status = b })
		}))
		w.write("1", "1", "do it")
		w.expectText("done")
		w.settled()
		close(b.notes)
		var all []string
		for note := range b.notes {
			all = append(all, note)
		}
		if got := strings.Join(all, "\n"); !strings.Contains(got, "the work: step 1: using look") {
			t.Errorf("noted:\n%s", got)
		}
	})
}
