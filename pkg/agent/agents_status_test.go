package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/pkg/agent/budget"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/tools/spawn"
)

// pacing is an agent that takes a step every four seconds, and reports after so many.
func pacing(steps int, end func() (*providers.LLMResponse, error)) script {
	return func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		select {
		case <-time.After(4 * time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		n := 0
		for i := range msgs {
			if msgs[i].Role == providers.RoleTool {
				n++
			}
		}
		if n == steps {
			return priced(end())
		}
		return priced(call("look", fmt.Sprintf(`{"n":%d}`, n)))
	}
}

// TestWhatShowsAnAgentsProgressIsFinishedByItsEnd, whichever that is: the chat has two
// messages then, and no one is left open.
func TestWhatShowsAnAgentsProgressIsFinishedByItsEnd(t *testing.T) {
	t.Parallel()
	fine := func() (*providers.LLMResponse, error) { return say("forty-two") }
	type state struct {
		w     *world
		s     *slate
		short string
		gone  *atomic.Bool
	}
	for name, c := range map[string]struct {
		steps  int
		end    func() (*providers.LLMResponse, error)
		answer string // of the home's model, "": it says: and the report
		order  string
		budget budget.Limits
		// during happens after 13 seconds of work.
		during func(s state)
		want   string
		state  session.TaskState
	}{
		"done":     {want: "it says: forty-two"},
		"no reply": {answer: "NO_REPLY", want: "has ended (done)"},
		"empty":    {answer: " ", want: "Report of task "},
		"failed": {
			end:   func() (*providers.LLMResponse, error) { return nil, &providers.Error{Kind: providers.KindAuth} },
			want:  "failed. ",
			state: session.TaskFailed,
		},
		"no report":  {end: func() (*providers.LLMResponse, error) { return say("") }, want: "wrote no report", state: session.TaskFailed},
		"step limit": {steps: 100, want: "failed. It stopped after 40 steps", state: session.TaskFailed},
		"too late":   {steps: 100, order: `{"task":"x","name":"the work","deadline_minutes":1}`, want: "did not end within", state: session.TaskTimedOut},
		"at the limit": {
			budget: budget.Limits{Tokens: 400},
			want:   "failed. I stopped before I was done. Today's limit of this chat for background tasks is used up: 480 of 400 tokens",
			state:  session.TaskFailed,
		},
		"the report is at the limit": {budget: budget.Limits{Tokens: 700}, want: "Report of task "},
		"cancelled by chat": {
			during: func(s state) { s.w.write("1", "1", "/cancel "+s.short) },
			want:   "was cancelled by the person who asked", state: session.TaskCancelled,
		},
		"cancelled by the operator": {during: func(s state) {
			if _, err := s.w.agent.Tasks().CancelByOperator(s.w.t.Context(), s.short); err != nil {
				s.w.t.Error(err)
			}
		}, want: "was cancelled by the operator", state: session.TaskCancelled},
		"after a restart": {steps: 6, during: func(s state) {
			s.w.restart()
			<-time.After(9 * time.Second)
			if all := s.s.all(); len(all) != 2 || !strings.Contains(all[1].text(), "step 5") {
				s.w.t.Errorf("after the restart the chat has %+v", all)
			}
		}, want: "it says: forty-two"},
		"killed in the third attempt": {during: func(s state) {
			for range 3 {
				s.w.restart()
				<-time.After(time.Second)
			}
		}, want: "it says: forty-two"},
		"after a restart, by somebody who may not any more": {during: func(s state) {
			s.gone.Store(true)
			s.w.restart()
		}, want: "its creator no longer has access", state: session.TaskFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.steps == 0 {
				c.steps = 5
			}
			if c.end == nil {
				c.end = fine
			}
			if c.order == "" {
				c.order = order("x")
			}
			if c.state == "" {
				c.state = session.TaskDone
			}
			works := pacing(c.steps, c.end)
			p, gone := &party{}, &atomic.Bool{}
			model := script(func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
				switch m := last(msgs); {
				case isAgent(msgs):
					return works(ctx, msgs, defs)
				case m.Role == providers.RoleTool:
					return say("started")
				case isReport(msgs) && c.answer != "":
					return priced(say(c.answer))
				case isReport(msgs):
					return priced(say("it says: " + report(m)))
				}
				return call("spawn", c.order)
			})
			look := fn{
				name: "look",
				an:   readOnly(),
				run:  func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("seen") },
			}
			onSlate(t, model, append(spawn.New(p, time.Hour), look), func(w *world, s *slate) {
				p.w = w
				w.write("1", "1", "go")
				<-time.After(13 * time.Second)
				if all := s.all(); len(all) != 2 || !all[1].opened || all[1].done || !strings.Contains(all[1].text(), "using look") {
					t.Fatalf("while it works the chat has %+v", all)
				}
				if c.during != nil {
					c.during(state{w, s, shortOf(w), gone})
				}
				<-time.After(5 * time.Minute)
				w.settled()
				all := s.all()
				if len(all) != 2 || !all[1].done || !strings.Contains(all[1].text(), c.want) {
					t.Errorf("the chat has %+v", all)
				}
				if got := w.task(); got.State != c.state {
					t.Errorf("ended as %s", got.State)
				}
				w.restart()
				<-time.After(5 * time.Minute)
				w.settled()
				if n := len(s.all()); n != 2 {
					t.Errorf("after a restart the chat has %d messages", n)
				}
			}, withBudget(forOne(session.ForBackground, c.budget)), func(w *world) {
				w.opts.Limits.Iterations = 40
				authorize := w.opts.Authorize
				w.opts.Authorize = func(ctx context.Context, e policy.Event) policy.Verdict {
					if gone.Load() {
						return policy.Verdict{Reason: "nobody we know"}
					}
					return authorize(ctx, e)
				}
			})
		})
	}
}
