package agent_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/task"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

func TestTasksAreListedInTheirChatAlone(t *testing.T) {
	t.Parallel()
	begin := make(chan struct{})
	w := newWorld(t, script(relay), []tools.Tool{until(begin, tools.ToolResult{ForLLM: "done"})})
	w.write("1", "1", "/tasks")
	w.expectText("This chat has no background tasks.")
	w.write("1", "1", "work")
	w.expectText("it has started")
	open, err := w.eng.Tasks().OpenTasks(w.t.Context())
	if err != nil || len(open) != 1 {
		t.Fatal(open, err)
	}
	w.write("1", "1", "/tasks")
	if got := w.expect().Text; !strings.Contains(got, open[0].Short()+" `work`, since") {
		t.Errorf("told %q", got)
	}
	w.write("2", "1", "/tasks")
	w.expectText("This chat has no background tasks.")
	w.write("2", "1", "/cancel")
	w.expectText("This chat has no background tasks.")
	w.write("2", "1", "/cancel "+open[0].Short())
	if got := w.expect().Text; !strings.Contains(got, "no such") {
		t.Errorf("told %q", got)
	}
	w.write("1", "1", "/cancel")
	if got := w.expect().Text; !strings.Contains(got, open[0].Short()) {
		t.Errorf("told %q", got)
	}
	close(begin)
	w.endOf()
	w.settled()
	w.write("1", "1", "/tasks")
	if got := w.expect().Text; !strings.Contains(got, "Ended tasks:\n- "+open[0].Short()+" `work`: done") {
		t.Errorf("told %q", got)
	}
	w.write("1", "1", "/cancel")
	if got := w.expect().Text; strings.Contains(got, "Which task?") || !strings.Contains(got, "- none") {
		t.Errorf("told %q", got)
	}
	w.settled()
}

// TestTheListOfTasksIsFromOutsideWhereTheirResultsAre: an agent has read a page, and
// its report is listed in a later turn.
func TestTheListOfTasksIsFromOutsideWhereTheirResultsAre(t *testing.T) {
	t.Parallel()
	for page, asks := range map[string]bool{"web": true, "": false} {
		var w *world
		web := fn{
			name: "web", an: tools.Annotations{ReadOnly: true, OpenWorld: true, Level: tools.LevelRead},
			run: func(context.Context, map[string]any) *tools.ToolResult {
				return tools.NewToolResult("a page")
			},
		}
		put := fn{name: "put", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("put") }}
		list := fn{name: "list", an: readOnly(), run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
			_, recent, err := w.agent.Calls().Tasks(ctx)
			if err != nil || len(recent) != 1 {
				return tools.ErrorResult("wrong")
			}
			return tools.NewToolResult(recent[0].Result)
		}}
		w = newParty(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			switch n := len(results(msgs)); {
			case isAgent(msgs) && page != "" && n == 0:
				return call(page, "{}")
			case isAgent(msgs):
				return say("report")
			case isReport(msgs):
				return say("heard")
			}
			switch m := last(msgs); {
			case m.Role == providers.RoleTool && m.Name == "list":
				return call("put", "{}")
			case m.Role == providers.RoleTool:
				return say("said")
			case m.Content == "list":
				return call("list", "{}")
			}
			return call("spawn", order("x"))
		}, []tools.Tool{web, put, list}, withOptions(asking))
		w.write("1", "1", "go")
		for range 2 { // the answer, and the words about the report
			w.expect()
		}
		w.settled()
		w.write("1", "1", "list")
		if o := w.expect(); (len(o.Buttons) > 0) != asks {
			t.Errorf("after %q, sent %q", page, o.Text)
		}
	}
}

// TestTasksAreToldInTheTimeOfTheirChat by the command, to the tool and to the operator,
// and agents by their names.
func TestTasksAreToldInTheTimeOfTheirChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // from 00:00 UTC on 1 January 2000
		var w *world
		list := fn{name: "list", an: readOnly(), run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
			running, recent, err := w.agent.Calls().Tasks(ctx)
			if err != nil || len(running)+len(recent) != 1 {
				return tools.ErrorResult("wrong")
			}
			return tools.NewToolResult(task.AgentName(&running[0]) + " until " + running[0].Deadline.Format("15:04 MST"))
		}}
		asked := make(chan struct{}, 1)
		w = newParty(t, func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			switch m := last(msgs); {
			case isAgent(msgs):
				return hang(ctx, asked)
			case m.Role == providers.RoleTool && strings.Contains(m.Content, "until"):
				return say(m.Content)
			case m.Role == providers.RoleTool:
				return say("started")
			case m.Content == "list":
				return call("list", "{}")
			}
			return call("spawn", order("x"))
		}, []tools.Tool{list}, quietly, withOptions(func(o *agent.Options) {
			o.Zone = func(channels.Address) string { return "Asia/Kolkata" }
			o.Limits.Grace = time.Second
		}))
		w.write("1", "1", "go")
		w.expectText("started")
		<-asked
		w.write("1", "1", "/tasks")
		if got := w.expect().Text; !strings.Contains(got, shortOf(w)+" `spawn` “the work”, since 05:30 IST, until 06:30 IST") {
			t.Errorf("told %q", got)
		}
		w.write("1", "1", "list")
		w.expectText("the work until 06:30 IST")
		all, err := w.agent.Tasks().List(t.Context(), "")
		if err != nil || len(all) != 1 || all[0].Started.Format("15:04 MST") != "05:30 IST" {
			t.Errorf("%+v, %v", all, err)
		}
		got, err := w.agent.Tasks().CancelByOperator(t.Context(), shortOf(w))
		if err != nil || got.Ended.Format("15:04 MST") != "05:30 IST" {
			t.Errorf("%+v, %v", got, err)
		}
		w.expect()
		w.settled()
	})
}
