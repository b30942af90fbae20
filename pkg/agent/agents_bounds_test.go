package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/pkg/agent"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// results are the texts of the tool messages of a request.
func results(msgs []providers.Message) []string {
	var out []string
	for i := range msgs {
		if msgs[i].Role == providers.RoleTool {
			out = append(out, msgs[i].Content)
		}
	}
	return out
}

// names are the tools of a request.
func names(defs []providers.ToolDefinition) string {
	var out []string
	for i := range defs {
		out = append(out, defs[i].Function.Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// starters are the offered tools as a gateway has it.
func starters(o *agent.Options) {
	o.Background.Offered = func(tool string, depth int) bool {
		return tool != "message" && (depth < 2 || tool != "spawn" && tool != "subagent")
	}
}

// TestAgentsStartEachOtherTwoDeep and no deeper, each attempt being one clear error;
// the agent's share of its chat's tools follows.
func TestAgentsStartEachOtherTwoDeep(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	offered := map[string]string{}
	var refused []string
	tool := fn{name: "message", an: tools.Annotations{Speaks: true, Level: tools.LevelChat}}
	w := newParty(t, func(_ context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		mu.Lock()
		defer mu.Unlock()
		m := last(msgs)
		if m.Role == providers.RoleUser && !isReport(msgs) {
			offered[m.Content] = names(defs)
		}
		switch {
		case isReport(msgs):
			return say("NO_REPLY")
		case m.Role == providers.RoleTool && m.Content != "" && isAgent(msgs) && users(msgs)[0] == "2":
			refused = results(msgs)
			return say("it cannot be done")
		case m.Role == providers.RoleTool:
			return say("started")
		case m.Content == "2":
			var all []string
			for i := range 20 {
				all = append(all, "spawn", order(fmt.Sprint(i)))
			}
			return calls(all...)
		}
		return call("spawn", order(map[string]string{"0": "1", "1": "2"}[m.Content]))
	}, []tools.Tool{tool}, withOptions(func(o *agent.Options) { o.Background.PerTurn = 100 }), withOptions(func(o *agent.Options) {
		o.Background.Offered = func(tool string, _ int) bool { return tool != "message" }
	}))
	w.write("1", "1", "0")
	w.expectText("started")
	w.settled()
	all, err := w.eng.Tasks().TaskList(t.Context(), "")
	if err != nil || len(all) != 2 || all[0].Depth+all[1].Depth != 3 || all[0].Address != chatAddr("1") || all[1].Address != chatAddr("1") {
		t.Errorf("tasks %+v, %v", all, err)
	}
	if len(refused) != 20 {
		t.Errorf("%d results", len(refused))
	}
	for _, text := range refused {
		if !strings.Contains(text, `"permission_denied"`) || !strings.Contains(text, "2 deep") {
			t.Errorf("an agent of an agent was told %q", text)
		}
	}
	if offered["0"] != "message spawn subagent" || offered["1"] != "spawn subagent" {
		t.Errorf("offered %q", offered)
	}
}

func TestAnAgentHasTheToolsOfItsDepth(t *testing.T) {
	t.Parallel()
	var deepest atomic.Value
	w := newParty(t, func(_ context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case m.Role == providers.RoleTool:
			return say(m.Content)
		case m.Content == "2":
			deepest.Store(names(defs))
			return say("done")
		case m.Content == "1":
			return call("subagent", order("2"))
		}
		return call("subagent", order("1"))
	}, []tools.Tool{fn{name: "look", an: readOnly()}}, withOptions(starters))
	w.write("1", "1", "0")
	w.expectText("done")
	w.settled()
	if got := deepest.Load(); got != "look" {
		t.Errorf("an agent of an agent is offered %q", got)
	}
}

// TestReportsDoNotStartAgentsForEver: a turn that starts one because of a report is as
// deep as the agent that reported.
func TestReportsDoNotStartAgentsForEver(t *testing.T) {
	t.Parallel()
	var agents atomic.Int64
	w := newParty(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch {
		case isAgent(msgs):
			return say(fmt.Sprint("report ", agents.Add(1)))
		case last(msgs).Role == providers.RoleTool && strings.Contains(last(msgs).Content, "permission_denied"):
			return say("no more")
		case last(msgs).Role == providers.RoleTool:
			return say("started")
		}
		return call("spawn", order("and another"))
	}, nil)
	w.write("1", "1", "go")
	for _, want := range []string{"started", "started", "no more"} {
		w.expectText(want)
	}
	w.settled()
	if n := agents.Load(); n != 2 {
		t.Errorf("%d agents", n)
	}
}

// TestHowManyAgentsThereAre: so many by turn, and so many at a time by chat.
func TestHowManyAgentsThereAre(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	var mu sync.Mutex
	told := map[string][]string{}
	w := newParty(t, func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case isAgent(msgs):
			select {
			case <-held:
			case <-ctx.Done():
			}
			return say("done")
		case isReport(msgs):
			return say("NO_REPLY")
		case m.Role == providers.RoleTool:
			mu.Lock()
			defer mu.Unlock()
			u := users(msgs)
			told[u[len(u)-1]] = results(msgs)
			return say("ok")
		}
		var all []string
		for i := range 4 {
			all = append(all, "spawn", order(fmt.Sprint(last(msgs).Content, i)))
		}
		return calls(all...)
	}, nil, withOptions(func(o *agent.Options) { o.Background.PerTurn, o.Background.PerChat = 3, 5 }))
	for _, text := range []string{"a", "b"} {
		w.write("1", "1", text)
		w.expectText("ok")
	}
	w.write("2", "1", "c") // another chat has bounds of its own
	w.expectText("ok")
	close(held)
	w.settled()
	count := func(turn, what string) (n int) {
		for _, text := range told[turn][len(told[turn])-4:] {
			if strings.Contains(text, what) {
				n++
			}
		}
		return n
	}
	if got := []int{
		count("a", `"task"`), count("a", "per_turn"), count("b", `"task"`),
		count("b", "per_chat"), count("c", `"task"`), count("c", "per_turn"),
	}; !slices.Equal(got, []int{3, 1, 2, 2, 3, 1}) {
		t.Errorf("got %v: %q", got, told)
	}
}

// TestAnAgentHasTheRightsOfItsCreator: the lower of those then and those now, at each call.
func TestAnAgentHasTheRightsOfItsCreator(t *testing.T) {
	t.Parallel()
	var lost atomic.Bool
	asked, goOn := make(chan struct{}), make(chan struct{})
	var wrote atomic.Int64
	put := fn{name: "put", run: func(context.Context, map[string]any) *tools.ToolResult {
		wrote.Add(1)
		return tools.NewToolResult("put")
	}}
	w := newParty(t, delegates(func(
		_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		switch len(results(msgs)) {
		case 0:
			return call("put", "{}")
		case 1:
			asked <- struct{}{}
			<-goOn
			return call("put", `{"again":true}`)
		}
		return say(strings.Join(results(msgs), " then "))
	}), []tools.Tool{put}, func(w *world) {
		authorize := w.opts.Authorize
		w.opts.Authorize = func(ctx context.Context, e policy.Event) policy.Verdict {
			v := authorize(ctx, e)
			if lost.Load() {
				v.Level = policy.LevelRead
			}
			return v
		}
	})
	w.write("1", "1", "do it")
	w.expectText("started")
	<-asked
	lost.Store(true)
	close(goOn)
	if got := w.expect().Text; !strings.Contains(got, "put then ") || !strings.Contains(got, "permission_denied") || wrote.Load() != 1 {
		t.Errorf("told %q, wrote %d times", got, wrote.Load())
	}
	w.settled()
}

// TestAnAgentOfSomebodyWhoIsGone does not run, and its chat is told so, once.
func TestAnAgentOfSomebodyWhoIsGone(t *testing.T) {
	t.Parallel()
	var gone atomic.Bool
	reached := make(chan struct{})
	w := newParty(t, delegates(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		t.Error("the agent ran")
		return say("forty-two")
	}), nil, quietly, func(w *world) {
		authorize := w.opts.Authorize
		w.opts.Authorize = func(ctx context.Context, e policy.Event) policy.Verdict {
			if e.Kind == policy.KindTask {
				<-reached
			}
			if gone.Load() {
				return policy.Verdict{Reason: "nobody we know"}
			}
			return authorize(ctx, e)
		}
	})
	w.write("1", "1", "do it")
	w.expectText("started")
	gone.Store(true)
	close(reached)
	if got := w.expect().Text; !strings.Contains(got, "its creator no longer has access") {
		t.Errorf("told %q", got)
	}
	w.settled()
	if got := w.task(); got.State != session.TaskFailed {
		t.Errorf("task %+v", got)
	}
}

// TestWhereTheReportGoes: where the chat is now, in the conversation that it has now.
func TestWhereTheReportGoes(t *testing.T) {
	t.Parallel()
	asked, goOn := make(chan struct{}), make(chan struct{})
	w := newParty(t, delegates(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		asked <- struct{}{}
		<-goOn
		return say("forty-two")
	}), nil)
	w.write("1", "1", "do it")
	w.expectText("started")
	<-asked
	w.write("1", "1", "/new")
	w.expect()
	w.settledButAgents()
	if err := w.eng.Chats().Move(t.Context(), chatAddr("1"), chatAddr("2")); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	if o := w.expect(); o.Address != chatAddr("2") || o.Text != "it says: forty-two" {
		t.Errorf("sent %q to %v", o.Text, o.Address)
	}
	w.settled()
	tr := w.transcript("2")
	if len(tr) != 2 || !strings.Contains(tr[0], "It was asked: do it") {
		t.Errorf("the new conversation has\n%s", strings.Join(tr, "\n"))
	}
}

// settledButAgents waits until the chats of people are at rest.
func (w *world) settledButAgents() {
	w.t.Helper()
	for {
		st, err := w.eng.Status(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		if st.Waiting <= st.OpenTasks && st.Sending == 0 {
			return
		}
	}
}

// TestTaintIsInheritedBothWays by an agent from the turn that starts it, and by the
// turn that reads its report.
func TestTaintIsInheritedBothWays(t *testing.T) {
	t.Parallel()
	web := fn{
		name: "web", an: tools.Annotations{ReadOnly: true, OpenWorld: true, Level: tools.LevelRead},
		run: func(context.Context, map[string]any) *tools.ToolResult {
			return tools.NewToolResult("a page")
		},
	}
	put := fn{name: "put", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("put") }}
	for _, tt := range []struct {
		name        string
		home, agent []string // the calls that each makes, one after the other; the home's last ones after the report
		asks        string   // where the question is put: "home", "agent", ""
	}{
		{"nothing from outside", []string{"spawn", "put"}, []string{"put"}, ""},
		{"the agent of a tainted turn", []string{"web", "spawn"}, []string{"put"}, "agent"},
		{"the report of a tainted agent", []string{"spawn", "put"}, []string{"web"}, "home"},
		{"a report that was waited for", []string{"subagent", "put"}, []string{"web"}, "home"},
		{"a clean one that was waited for", []string{"subagent", "put"}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			do := func(name string) (*providers.LLMResponse, error) {
				if name == "spawn" || name == "subagent" {
					return call(name, order("work"))
				}
				return call(name, "{}")
			}
			var step atomic.Int64
			w := newParty(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
				if isAgent(msgs) {
					if n := len(results(msgs)); n < len(tt.agent) {
						return do(tt.agent[n])
					}
					return say("report")
				}
				n := int(step.Load())
				if n >= len(tt.home) {
					return say("last")
				}
				if n > 0 && tt.home[n-1] == "spawn" && !isReport(msgs) {
					return say("said")
				}
				step.Add(1)
				return do(tt.home[n])
			}, []tools.Tool{web, put}, withOptions(asking))
			w.write("1", "1", "go")
			question := ""
			for o := w.expect(); ; o = w.expect() {
				if len(o.Buttons) > 0 {
					question = "home"
					if strings.Contains(o.Text, "for task “the work”") {
						question = "agent"
					}
					break
				}
				if o.Text == "last" && tt.asks != "agent" {
					break
				}
			}
			if question != tt.asks {
				t.Errorf("asked %q, want %q", question, tt.asks)
			}
			w.stop()
		})
	}
}
