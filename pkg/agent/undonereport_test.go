package agent_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// overheard has the requests to a model of a chat, as texts.
type overheard struct {
	mu  sync.Mutex
	all []string
}

// noted notes a request, and lets a model answer it.
func (r *overheard) noted(model script) script {
	return func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if !isAgent(msgs) {
			var b strings.Builder
			for i := range msgs {
				b.WriteString(msgs[i].Content + "\n")
			}
			r.mu.Lock()
			r.all = append(r.all, b.String())
			r.mu.Unlock()
		}
		return model(ctx, msgs, defs)
	}
}

// take gives the requests since the last call.
func (r *overheard) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := strings.Join(r.all, "\n")
	r.all = nil
	return all
}

// looks is a model that calls a tool for "look", and repeats what it has heard; its agents give a
// report once begin is closed.
func looks(tool, args string, begin <-chan struct{}, report string) script {
	return func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case isAgent(msgs):
			select {
			case <-begin:
				return say(report)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case m.Role == providers.RoleTool:
			return say("it has started")
		case m.Content == "look":
			return call(tool, args)
		default:
			return say("heard " + strings.Join(users(msgs), "|"))
		}
	}
}

// TestAReportOfWhatWasTakenOut comes all the same and says where it belongs; the model reads it
// neither now nor later, and the next /undo takes out the exchange before.
func TestAReportOfWhatWasTakenOut(t *testing.T) {
	t.Parallel()
	const found = "the canary sings"
	for name, c := range map[string]struct {
		tool, args string
		result     tools.ToolResult
		want       []string
		lacks      string
	}{
		"of a background agent": {tool: "spawn", args: order("look for the canary"), want: []string{
			"The question that task “the work” (", "was taken out of the conversation", "The model does not read this", found,
		}},
		"of a tool for the model": {tool: "work", args: "{}", result: *tools.NewToolResult(found), want: []string{
			"The question that task work (", "was taken out of the conversation", found,
		}},
		"of a tool for the person": {tool: "work", args: "{}", result: *tools.UserResult(found), want: []string{
			"The question that task work (", "was taken out of the conversation", found,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := make(chan struct{})
			var heard overheard
			w := newParty(t, heard.noted(looks(c.tool, c.args, begin, found)), []tools.Tool{until(begin, c.result)})
			w.says("1", "before")
			w.write("1", "1", "look")
			w.expectText("it has started")
			contains(t, w.says("1", "/undo"), "“look”")
			heard.take()
			close(begin)
			contains(t, w.expect().Text, c.want...)
			w.settled()
			if said := heard.take(); said != "" {
				t.Errorf("the model was asked about the report: %s", said)
			}
			w.restart()
			if got := w.says("1", "after"); got != "heard before|after" {
				t.Errorf("the model read %q", got)
			}
			lacks(t, heard.take(), "canary", "the work", "look")
			lacks(t, w.says("1", "/history"), "canary", "look")
			contains(t, w.says("1", "/undo"), "“after”")
			contains(t, w.says("1", "/undo"), "“before”")
			w.settled()
		})
	}
}

// TestTheEndOfATaskThatWasTakenOut by a person leaves no words in the conversation either.
func TestTheEndOfATaskThatWasTakenOut(t *testing.T) {
	t.Parallel()
	w := newParty(t, looks("spawn", order("look for the canary"), nil, ""), nil)
	w.says("1", "look")
	w.says("1", "/undo")
	contains(t, w.says("1", "/cancel the work"), "was cancelled by")
	if got := w.says("1", "after"); got != "heard after" {
		t.Errorf("the model read %q", got)
	}
	w.settled()
}
