package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// busyAgents is a model with chats that start as many agents as the message says. The
// agents of the crowd take steps of four seconds until over; the one called quick
// reports at once.
func busyAgents(over *atomic.Bool) script {
	return func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case isAgent(msgs) && users(msgs)[0] == "quick":
			return say("forty-two")
		case isAgent(msgs):
			<-time.After(4 * time.Second)
			if over.Load() {
				return say("done")
			}
			return call("look", fmt.Sprintf(`{"step":%d}`, len(msgs)))
		case isReport(msgs) && strings.Contains(m.Content, "forty-two"):
			return say("it says: " + report(m))
		case isReport(msgs):
			return say("NO_REPLY")
		case m.Role == providers.RoleTool:
			return say("started")
		case m.Content == "crowd":
			return calls("spawn", order("1"), "spawn", order("2"), "spawn", order("3"), "spawn", order("4"))
		default:
			return call("spawn", order(m.Content))
		}
	}
}

// TestAgentsOfAFewChatsKeepNoOtherWaiting: where agents of some chats have all places and
// go on for long, the agent of another chat works after their next step, again and again;
// until then its person reads in /tasks that it waits.
func TestAgentsOfAFewChatsKeepNoOtherWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var over atomic.Bool
		w := newParty(t, busyAgents(&over), []tools.Tool{fn{name: "look", an: readOnly()}}, withOptions(func(o *agent.Options) {
			o.Background.Agents, o.Limits.Iterations = 4, 1000
		}))
		for n := range 4 {
			w.write(fmt.Sprint("crowd", n), "1", "crowd")
			w.expectText("started")
		}
		for n := range 3 {
			<-time.After(time.Second) // in the middle of a step
			chat, asked := fmt.Sprint("late", n), time.Now()
			w.write(chat, "1", "quick")
			w.expectText("started")
			synctest.Wait() // the agent stands in line
			w.write(chat, "1", "/tasks")
			if o := w.expect(); !strings.Contains(o.Text, "waiting for a place") {
				t.Errorf("while its agent waits the person reads %q", o.Text)
			}
			w.expectText("it says: forty-two")
			if waited := time.Since(asked); waited > 5*time.Second {
				t.Errorf("the agent of chat %s waited %v", chat, waited)
			}
		}
		over.Store(true)
		w.settled()
	})
}

// TestAnAgentThatIsCancelledWhileItWaits ends at once, with the notice of its end.
func TestAnAgentThatIsCancelledWhileItWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var over atomic.Bool
		w := newParty(t, busyAgents(&over), []tools.Tool{fn{name: "look", an: readOnly()}}, withOptions(func(o *agent.Options) {
			o.Background.Agents, o.Limits.Iterations = 1, 1000
		}))
		w.write("crowd", "1", "crowd")
		w.expectText("started")
		w.write("late", "1", "quick")
		w.expectText("started")
		synctest.Wait() // the agent stands in line
		began := time.Now()
		w.write("late", "1", "/cancel the work")
		if o := w.expect(); !strings.Contains(o.Text, "cancelled") {
			t.Errorf("the person reads %q", o.Text)
		}
		synctest.Wait()
		if st, err := w.eng.Status(t.Context()); err != nil || st.OpenTasks != 4 || st.Waiting != 4 {
			t.Errorf("%v after it was cancelled: %+v, %v", time.Since(began), st, err)
		}
		over.Store(true)
		w.settled()
	})
}
