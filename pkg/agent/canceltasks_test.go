package agent_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// ways are those by which a task is cancelled: by chat, by the tool, by the operator.
var ways = map[string]func(w *world, short string){
	"by chat": func(w *world, short string) { w.write("1", "1", "/cancel "+short) },
	"by tool": func(w *world, short string) { w.write("1", "1", "please cancel "+short) },
	"by the operator": func(w *world, short string) {
		if _, err := w.agent.Tasks().CancelByOperator(w.t.Context(), short); err != nil {
			w.t.Error(err)
		}
	},
}

// canceller is the tool that cancels the task that it is told.
func canceller(w **world) fn {
	return fn{name: "cancel", an: readOnly(), run: func(ctx context.Context, args map[string]any) *tools.ToolResult {
		id, _ := args["id"].(string)
		text, err := (*w).agent.Calls().CancelHere(ctx, id)
		if err != nil {
			return tools.ErrorResult(err.Error())
		}
		return tools.NewToolResult(text)
	}}
}

// cancelling lets a home use the canceller, and repeat its result.
func cancelling(model script) script {
	return func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		m := last(msgs)
		if id, ok := strings.CutPrefix(m.Content, "please cancel "); ok && !isAgent(msgs) {
			return call("cancel", `{"id":"`+id+`"}`)
		}
		if m.Role == providers.RoleTool && !isAgent(msgs) &&
			len(msgs[len(msgs)-2].ToolCalls) > 0 && msgs[len(msgs)-2].ToolCalls[0].Name == "cancel" {
			return say("the tool said: " + m.Content)
		}
		return model(ctx, msgs, defs)
	}
}

// TestACancelledAgentEndsAndIsToldOnce also where it waits for a person or for an agent
// of its own; its later steps do not happen.
func TestACancelledAgentEndsAndIsToldOnce(t *testing.T) {
	t.Parallel()
	for way, cancel := range ways {
		for _, at := range []string{"at work", "asking", "waiting for another"} {
			t.Run(way+" "+at, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var w *world
					b := &book{}
					asked := make(chan struct{}, 1)
					agents := script(func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
						switch m := last(msgs); {
						case isAgent(msgs) && m.Content == "deepest", isAgent(msgs) && at == "at work":
							return hang(ctx, asked)
						case isAgent(msgs) && at == "waiting for another":
							return call("subagent", order("deepest"))
						}
						return overwrites("spawn")(ctx, msgs, defs)
					})
					w = newParty(t, cancelling(agents), []tools.Tool{b.tool(), canceller(&w)}, quietly,
						withOptions(asking), withGrace(time.Second))
					w.write("1", "1", "page one")
					n := 1
					if at == "asking" {
						n = 2
					} else {
						<-asked
					}
					var question string
					for range n {
						if o := w.expect(); len(o.Buttons) > 0 {
							question = o.ID
						}
					}
					<-time.After(time.Minute)
					all, err := w.eng.Tasks().TaskList(t.Context(), "")
					if err != nil || len(all) == 0 {
						t.Fatal(all, err)
					}
					cancel(w, all[0].Short())
					want := map[bool]string{true: "the tool said: cancelled", false: "was cancelled by"}[way == "by tool"]
					for range n {
						switch o := w.expect(); {
						case o.Finishes == question && question != "" && strings.Contains(o.Text, "has ended. The call was not run"):
						case strings.Contains(o.Text, want):
							want = "nothing more"
						default:
							t.Errorf("told %q", o.Text)
						}
					}
					<-time.After(time.Minute)
					w.settled()
					if all, err = w.eng.Tasks().TaskList(t.Context(), ""); err != nil || all[0].State != session.TaskCancelled {
						t.Errorf("ended as %s, %v", all[0].State, err)
					}
					if open, err := w.eng.Tasks().OpenTasks(t.Context()); err != nil || len(open) > 0 {
						t.Errorf("open tasks %v, %v", open, err)
					}
					if question != "" {
						if q := w.approval(); q.State != session.ApprovalVoid {
							t.Errorf("the question is %s", q.State)
						}
					}
					w.restart()
					<-time.After(2 * time.Hour)
					w.settled()
					if len(b.texts()) > 0 {
						t.Errorf("written %q", b.texts())
					}
				})
			})
		}
	}
}

// TestASubagentOfAnAgentIsCancelled: the person who cancels is told, and the agent that
// waits goes on without its report.
func TestASubagentOfAnAgentIsCancelled(t *testing.T) {
	t.Parallel()
	for way, cancel := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var w *world
				asked := make(chan struct{}, 1)
				w = newParty(t, cancelling(func(
					ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition,
				) (*providers.LLMResponse, error) {
					switch m := last(msgs); {
					case isAgent(msgs) && m.Content == "deepest":
						return hang(ctx, asked)
					case isAgent(msgs) && m.Role == providers.RoleTool:
						return say("without: " + m.Content)
					case isAgent(msgs):
						return call("subagent", order("deepest"))
					case m.Role == providers.RoleTool:
						return say("started")
					case isReport(msgs):
						return say("it says: " + report(m))
					}
					return call("spawn", order("deep"))
				}), []tools.Tool{canceller(&w)}, quietly, withGrace(time.Second))
				w.write("1", "1", "go")
				w.expectText("started")
				<-asked
				all, err := w.eng.Tasks().TaskList(t.Context(), "")
				if err != nil || len(all) != 2 || !all[1].Waited {
					t.Fatal(all, err)
				}
				cancel(w, all[1].Short())
				want := map[string]int{"it says: without: ": 1}
				switch way {
				case "by chat":
					want["was cancelled by the person who asked"] = 1
				case "by tool":
					want["the tool said: cancelled"] = 1
				}
				<-time.After(time.Minute)
				got := ""
				for range want {
					got += w.expect().Text + "\n"
				}
				for text, n := range want {
					if strings.Count(got, text) != n {
						t.Errorf("told %q, want %q", got, text)
					}
				}
				w.settled()
			})
		})
	}
}

// TestAQuestionWhoseTaskEndedUnseenIsClosedAtTheStart of the next process.
func TestAQuestionWhoseTaskEndedUnseenIsClosedAtTheStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		w := newParty(t, overwrites("spawn"), []tools.Tool{b.tool()}, quietly, withOptions(asking), func(w *world) {
			w.wrap = func(e session.Engine) session.Engine { return unlapsed{e} }
		})
		w.write("1", "1", "page one")
		q := w.started("page one")[0]
		if _, err := w.agent.Tasks().CancelByOperator(t.Context(), shortOf(w)); err != nil {
			t.Fatal(err)
		}
		if got := w.expect().Text; !strings.Contains(got, "was cancelled by the operator") {
			t.Errorf("told %q", got)
		}
		w.settled()
		w.wrap = nil
		w.restart()
		if o := w.expect(); o.Finishes != q.ID || !strings.Contains(o.Text, "has ended. The call was not run") {
			t.Errorf("the question became %q", o.Text)
		}
		w.settled()
		w.restart()
		w.settled()
		if got := w.approval(); got.State != session.ApprovalVoid || len(b.texts()) > 0 {
			t.Errorf("stored %+v, wrote %q", got, b.texts())
		}
	})
}
