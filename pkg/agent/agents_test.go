package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/tools/spawn"
)

// party lets tools that are made before the agent start agents.
type party struct{ w *world }

func (p *party) StartAgent(ctx context.Context, name, task string, limit time.Duration) (string, error) {
	return p.w.agent.Calls().StartAgent(ctx, name, task, limit)
}

func (p *party) AskAgent(ctx context.Context, name, task string, limit time.Duration) (string, error) {
	return p.w.agent.Calls().AskAgent(ctx, name, task, limit)
}

// newParty is a world with spawn and subagent.
func newParty(t *testing.T, model script, registry []tools.Tool, opts ...option) *world {
	t.Helper()
	p := &party{}
	p.w = newWorld(t, model, append(registry, spawn.New(p, time.Hour)...), opts...)
	return p.w
}

// isAgent says whether a request is one of a background agent.
func isAgent(msgs []providers.Message) bool {
	return strings.Contains(msgs[0].Content, "You are a background agent.")
}

// isReport says whether a request is about the end of an agent.
func isReport(msgs []providers.Message) bool {
	return strings.HasPrefix(last(msgs).Content, "[background task]")
}

// report is the text of an agent's report in a message.
func report(m providers.Message) string {
	_, text, _ := strings.Cut(m.Content, "Report:\n")
	return text
}

// calls is an answer with several calls; their arguments alternate with names.
func calls(namesAndArgs ...string) (*providers.LLMResponse, error) {
	out := &providers.LLMResponse{FinishReason: providers.FinishToolCalls}
	for i := 0; i < len(namesAndArgs); i += 2 {
		one, err := call(namesAndArgs[i], namesAndArgs[i+1])
		if err != nil {
			return nil, err
		}
		c := one.ToolCalls[0]
		c.ID = fmt.Sprintf("call_%d", i)
		out.ToolCalls = append(out.ToolCalls, c)
	}
	return out, nil
}

// order is the arguments of spawn.
func order(task string) string { return fmt.Sprintf(`{"task":%q,"name":"the work"}`, task) }

// delegates is a home that spawns one agent for its message, and repeats its report.
func delegates(agents script) script {
	return func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case isAgent(msgs):
			return agents(ctx, msgs, defs)
		case m.Role == providers.RoleTool:
			return say("started")
		case isReport(msgs):
			return say("it says: " + report(m))
		default:
			return call("spawn", order(m.Content))
		}
	}
}

// quietly is for failures that are wanted.
func quietly(w *world) { w.opts.Log = zerolog.Nop() }

// task is the one task there is.
func (w *world) task() session.Task {
	w.t.Helper()
	all, err := w.eng.Tasks().TaskList(w.t.Context(), "")
	if err != nil || len(all) != 1 {
		w.t.Fatalf("%d tasks, %v", len(all), err)
	}
	return all[0]
}

func TestAnAgentReportsToItsChat(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []providers.Message
	w := newParty(t, delegates(func(
		_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		mu.Lock()
		defer mu.Unlock()
		seen = slices.DeleteFunc(slices.Clone(msgs), func(m providers.Message) bool { return m.Aside })
		return say("forty-two")
	}), nil, withOptions(func(o *agent.Options) { o.Files.AgentFile = func() string { return "Be kind." } }))
	w.write("1", "1", "find the answer")
	w.expectText("started")
	w.expectText("it says: forty-two")
	w.settled()

	if len(seen) != 2 || !strings.HasPrefix(seen[0].Content, "Be kind.") || seen[1].Content != "find the answer" {
		t.Errorf("the agent read %+v", seen)
	}
	tr := strings.Join(w.transcript("1"), "\n")
	if strings.Count(tr, "Report:\nforty-two") != 1 {
		t.Errorf("history:\n%s", tr)
	}
	got := w.task()
	if got.State != session.TaskDone || got.Result != "forty-two" || !got.Agent || got.Depth != 1 || got.Tainted ||
		got.Principal.Level != "write" || got.Tool != "spawn" {
		t.Errorf("task %+v", got)
	}
	var said struct{ Task, Name, Note string }
	_, result, _ := strings.Cut(tr, "tool: ")
	if err := json.Unmarshal([]byte(strings.SplitN(result, "\n", 2)[0]), &said); err != nil ||
		said.Task != got.Short() || said.Name != "the work" || said.Note == "" {
		t.Errorf("spawn said %q, %v", result, err)
	}
	w.restart()
	w.settled()
}

// TestAgentsOfManyChats starts three agents in each of 300 chats at once. Each chat
// reads the reports of its own three, once each, and sends at most two messages for one.
func TestAgentsOfManyChats(t *testing.T) {
	t.Parallel()
	const chats, each = 300, 3
	canary := func(chat string, i int) string { return fmt.Sprintf("canary-%s-%d.", chat, i) }
	w := newParty(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case isAgent(msgs):
			return say("found " + m.Content)
		case m.Role == providers.RoleTool:
			return say("started")
		case isReport(msgs):
			return say("it says: " + report(m))
		default:
			var all []string
			for i := range each {
				all = append(all, "spawn", order(canary(m.Content, i)))
			}
			return calls(all...)
		}
	}, nil)
	for i := range chats {
		w.write(fmt.Sprint(i), "1", fmt.Sprint(i))
	}
	got := map[string][]string{}
	for range chats * (each + 1) {
		o := w.expect()
		got[o.Address.Chat] = append(got[o.Address.Chat], o.Text)
	}
	w.settled()
	for i := range chats {
		chat := fmt.Sprint(i)
		want := []string{"started"}
		for j := range each {
			want = append(want, "it says: found "+canary(chat, j))
		}
		slices.Sort(got[chat][1:])
		if d := cmp.Diff(want, got[chat]); d != "" {
			t.Errorf("chat %s: %s", chat, d)
		}
		tr := strings.Join(w.transcript(chat), "\n")
		for j := range each {
			if n := strings.Count(tr, "Report:\nfound "+canary(chat, j)); n != 1 {
				t.Errorf("chat %s has report %d %d times", chat, j, n)
			}
		}
		if n := strings.Count(tr, "canary-"); n != strings.Count(tr, "canary-"+chat+"-") {
			t.Errorf("chat %s has what is another's:\n%s", chat, tr)
		}
	}
	if open, err := w.eng.Tasks().OpenTasks(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("open tasks %v, %v", open, err)
	}
}

func TestAnAgentThatFailsIsToldOnce(t *testing.T) {
	t.Parallel()
	looks := fn{
		name: "look",
		an:   readOnly(),
		run:  func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("nothing") },
	}
	for _, tt := range []struct {
		name   string
		agents script
		want   string
	}{
		{"model error", func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
			return nil, &providers.Error{Kind: providers.KindAuth, Server: "s", Model: "m", Err: errors.New("bad key")}
		}, "failed. "},
		{"step limit", func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if last(msgs).Content == "iteration limit reached; finalise your answer" {
				return say("")
			}
			return call("look", fmt.Sprintf(`{"n":%d}`, len(msgs)))
		}, "It stopped after 10 steps, the limit for one task."},
		{"no report", func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
			return say("  ")
		}, "It wrote no report."},
		{"panic", func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
			panic("the provider is broken")
		}, "An internal error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newParty(t, delegates(tt.agents), []tools.Tool{looks}, quietly)
			w.write("1", "1", "do it")
			w.expectText("started")
			if got := w.expect().Text; !strings.HasPrefix(got, "Task “the work” (") || !strings.Contains(got, tt.want) {
				t.Errorf("told %q, want %q", got, tt.want)
			}
			w.settled()
			if got := w.task(); got.State != session.TaskFailed {
				t.Errorf("task %+v", got)
			}
			w.restart()
			w.settled()
		})
	}
}

// TestAReportIsNotLostWithTheModel: where the follow-up turn has no words of its own,
// it sends the report as it is.
func TestAReportIsNotLostWithTheModel(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		w := newParty(t, func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
			switch {
			case isReport(msgs) && fails:
				return nil, &providers.Error{Kind: providers.KindAuth, Server: "s", Model: "m"}
			case isReport(msgs):
				return say("")
			}
			return delegates(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
				return say("forty-two")
			})(ctx, msgs, defs)
		}, nil, quietly)
		w.write("1", "1", "do it")
		w.expectText("started")
		if got := w.expect().Text; !strings.HasSuffix(got, "):\n\nforty-two") {
			t.Errorf("told %q", got)
		}
		w.settled()
	}
}
