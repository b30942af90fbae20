package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// gate is a read-only tool that says when it runs and waits to be let on.
type gate struct{ entered, open chan struct{} }

func newGate() *gate { return &gate{entered: make(chan struct{}, 10), open: make(chan struct{})} }

func (g *gate) tool() tools.Tool {
	return fn{name: "gate", an: readOnly(), run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		g.entered <- struct{}{}
		select {
		case <-g.open:
			return tools.NewToolResult("opened")
		case <-ctx.Done():
			return tools.ErrorResult("cancelled").WithError(ctx.Err())
		}
	}}
}

// gated asks for the gate once and then answers with the user messages it sees.
func gated(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
	if last(msgs).Role == providers.RoleUser && last(msgs).Content == "go" {
		return call("gate", "{}")
	}
	return say("seen: " + strings.Join(users(msgs), ", "))
}

func TestSteerJoinsWhatArrivesToTheRunningTurn(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()})
	w.write("1", "1", "go")
	<-g.entered
	w.write("1", "1", "and this")
	w.write("1", "1", "and that")
	close(g.open)
	w.expectText("seen: go, and this, and that")
	w.settled()
	want := []string{
		"user: go", "assistant: [gate]", "tool: opened", "user: and this",
		"user: and that", "assistant: seen: go, and this, and that",
	}
	if got := w.transcript("1"); !slices.Equal(got, want) {
		t.Errorf("history %q", got)
	}
}

func TestQueueLeavesWhatArrivesForTheNextTurn(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()}, withOptions(func(o *agent.Options) { o.WhileBusy = turn.Queue }))
	w.write("1", "1", "go")
	<-g.entered
	w.write("1", "1", "later")
	close(g.open)
	w.expectText("seen: go")
	w.expectText("seen: go, later")
	w.settled()
}

func TestInterruptEndsTheTurnInFavourOfTheNewerMessage(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()}, withOptions(func(o *agent.Options) { o.WhileBusy = turn.Interrupt }))
	w.write("1", "1", "go")
	<-g.entered
	w.write("1", "1", "rather this")
	w.expectText("seen: go, rather this")
	w.settled()
}

// byUser gives everybody a level: 1 may write, others read.
func byUser(o *agent.Options) {
	o.Authorize = func(_ context.Context, e policy.Event) policy.Verdict {
		if e.Sender.ID == "1" {
			return policy.Verdict{Allow: true, Level: policy.LevelWrite}
		}
		return policy.Verdict{Allow: true, Level: policy.LevelRead}
	}
}

func TestASenderWithLowerRightsIsQueuedNotJoined(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()}, withOptions(byUser))
	w.write("group", "1", "go")
	<-g.entered
	w.write("group", "2", "let me in")
	close(g.open)
	w.expectText("seen: go")
	w.expectText("seen: go, let me in")
	w.settled()
}

func TestASenderWithHigherRightsJoins(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()}, withOptions(byUser))
	w.write("group", "2", "go")
	<-g.entered
	w.write("group", "1", "me too")
	close(g.open)
	w.expectText("seen: go, me too")
	w.settled()
}

func TestATurnHasTheLowestRightsOfItsSenders(t *testing.T) {
	t.Parallel()
	g := newGate()
	var offered atomic.Value
	writes := fn{name: "writes", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("written") }}
	look := fn{name: "look", an: tools.Annotations{ReadOnly: true}, run: writes.run}
	w := newWorld(t, script(func(
		ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		names := make([]string, 0, len(defs))
		for _, d := range defs {
			names = append(names, d.Function.Name)
		}
		offered.Store(strings.Join(names, ","))
		return gated(ctx, msgs, defs)
	}), []tools.Tool{g.tool(), look, writes}, withOptions(byUser), withOptions(func(o *agent.Options) { o.WhileBusy = turn.Queue }))
	for _, c := range []struct {
		senders []string
		want    string
	}{
		{[]string{"1"}, "gate,look,writes"},
		{[]string{"2"}, "gate,look"},
		{[]string{"1", "2"}, "gate,look"},
		{[]string{"2", "1"}, "gate,look"},
	} {
		w.write("group", "1", "go")
		<-g.entered
		for _, user := range c.senders { // they wait together and are one turn
			w.write("group", user, "hi")
		}
		g.open <- struct{}{}
		w.expect()
		w.expect()
		if got := offered.Load(); got != c.want {
			t.Errorf("to %v is offered %q, want %q", c.senders, got, c.want)
		}
	}
	w.settled()
}

func TestAMessageToAnotherChatIsRefused(t *testing.T) {
	t.Parallel()
	queue := &lateQueue{}
	stray := fn{name: "stray", run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		if err := queue.QueueMessage(ctx, "test", "2", "for another chat"); err != nil {
			return tools.NewToolResult("refused")
		}
		return tools.NewToolResult("queued")
	}}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleTool {
			return say(last(msgs).Content)
		}
		return call("stray", "{}")
	}), []tools.Tool{stray})
	queue.agent.Store(w.agent)
	w.write("1", "1", "go")
	w.expectText("refused")
	w.settled()
}

func TestStopEndsAHangingModelAndSaysSoOnce(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	w := newWorld(t, script(func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Content == "hang" {
			return hang(ctx, asked)
		}
		return say("fine")
	}), nil)
	w.write("1", "1", "hang")
	<-asked
	w.write("1", "1", "/stop")
	w.expectText("Stopped.")
	w.settled()
	w.write("1", "1", "/stop")
	w.expectText("No answer is in progress.")
	w.write("1", "1", "go on")
	w.expectText("fine")
	w.settled()
	info, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
	if err != nil || len(info.Failed) != 1 || info.Failed[0].Outcome != session.OutcomeStopped {
		t.Errorf("items %+v, %v", info.Failed, err)
	}
}

func TestOneHangingChatDoesNotHoldTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Content == "hang" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return say("fine")
	}), nil)
	w.write("stuck", "9", "hang")
	for range 20 {
		w.write("other", "1", "hi")
		w.expectText("fine")
	}
	w.write("stuck", "9", "/stop")
	w.expectText("Stopped.")
	w.settled()
}

// TestAReportIsNotInterrupted by a newer message where those interrupt: nobody would be told of the work again.
func TestAReportIsNotInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, answer := make(chan struct{}, 1), make(chan struct{})
		w := newParty(t, func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			switch m := last(msgs); {
			case isAgent(msgs):
				return say("found it")
			case isReport(msgs):
				asked <- struct{}{}
				select {
				case <-answer:
					return say("it says: " + report(m))
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			case m.Role == providers.RoleTool:
				return say("started")
			case m.Content == "hello":
				return say("hello yourself")
			}
			return call("spawn", order("look"))
		}, nil, withOptions(func(o *agent.Options) { o.WhileBusy = turn.Interrupt }))
		w.write("1", "1", "go")
		w.expectText("started")
		<-asked
		w.write("1", "1", "hello")
		synctest.Wait()
		close(answer)
		w.expectText("it says: found it")
		w.expectText("hello yourself")
		w.settled()
	})
}
