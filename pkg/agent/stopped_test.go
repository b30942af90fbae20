package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// TestAStopBetweenTheDecisionAndItsCall: the call runs once after the next start,
// while the question is good, and not at all after that.
func TestAStopBetweenTheDecisionAndItsCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		down  time.Duration
		told  string
		ran   int32
		state session.ApprovalState
	}{
		"a short one":                  {time.Minute, "result: done", 1, session.ApprovalAllowed},
		"until the question has ended": {10 * time.Minute, "expired at ", 0, session.ApprovalVoid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var looks, ran atomic.Int32
				reached := make(chan struct{})
				type in struct {
					Text string `json:"text"`
				}
				w := newWorld(t, script(writer), []tools.Tool{tools.NewExamined("overwrite", "", tools.Annotations{Destructive: true},
					func(ctx context.Context, _ in) (tools.Examination, error) {
						if looks.Add(1) == 3 { // when it was asked for, when it was allowed, before it runs
							close(reached)
							<-ctx.Done()
							return tools.Examination{}, ctx.Err()
						}
						return tools.Examination{Destructive: true, Text: "overwrite"}, nil
					},
					func(context.Context, in) (any, error) { ran.Add(1); return "done", nil })},
					withOptions(asking), withGrace(time.Millisecond))
				w.write("1", "1", "one")
				w.press("1", "1", w.question("overwrite"), "Allow once")
				if got := w.expect().Text; !strings.Contains(got, "Allowed once") {
					t.Errorf("told %q", got)
				}
				<-reached
				w.stop()
				pass(c.down)
				w.start()
				if got := w.expect().Text; !strings.Contains(got, c.told) {
					t.Errorf("told %q", got)
				}
				w.settled()
				if ran.Load() != c.ran || w.approval().State != c.state {
					t.Errorf("ran %d times, and the question is %s", ran.Load(), w.approval().State)
				}
			})
		})
	}
}

// TestADecisionIsHeldAgainstThePresentAddress of a chat that has moved.
func TestADecisionIsHeldAgainstThePresentAddress(t *testing.T) {
	t.Parallel()
	b := &book{}
	var refused atomic.Bool
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking), withOptions(func(o *agent.Options) {
		o.Authorize = func(_ context.Context, e policy.Event) policy.Verdict {
			level := policy.LevelWrite
			if e.Address.Chat == "group2" && e.Kind == policy.KindDecision {
				refused.Store(true)
				level = policy.LevelChat
			}
			return policy.Verdict{Allow: true, Level: level}
		}
	}))
	w.write("group1", "7", "one")
	q := w.question("one")
	w.settled()
	if err := w.eng.Chats().Move(t.Context(), chatAddr("group1"), chatAddr("group2")); err != nil {
		t.Fatal(err)
	}
	w.press("group2", "7", q, "Allow once")
	if got := w.expect(); !strings.Contains(got.Text, "may no longer") || got.Address != chatAddr("group2") {
		t.Errorf("told %q", got.Text)
	}
	w.settled()
	if !refused.Load() || len(b.texts()) > 0 {
		t.Error("it ran")
	}
}

// lostEngine hands out turns as if three processes had died of them.
type lostEngine struct{ session.Engine }

type lostTurn struct{ session.Turn }

// Inbox implements [session.Engine].
func (l lostEngine) Inbox() session.Inbox { return lostEngineInbox{l.Engine.Inbox()} }

type lostEngineInbox struct{ session.Inbox }

func (l lostEngineInbox) Run(ctx context.Context, h func(context.Context, session.Turn) error) error {
	return l.Inbox.Run(ctx, func(ctx context.Context, t session.Turn) error { return h(ctx, lostTurn{t}) })
}

func (l lostTurn) Info() session.TurnInfo {
	info := l.Turn.Info()
	info.Lost = 3
	return info
}

// TestAnAllowedCallThatKillsTheGateway is not run again, and the chat and its history
// are told the known facts.
func TestAnAllowedCallThatKillsTheGateway(t *testing.T) {
	t.Parallel()
	b := &book{began: make(chan struct{}, 1)}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking),
		withGrace(time.Millisecond))
	w.write("1", "1", "one")
	w.press("1", "1", w.question("one"), "Allow once")
	<-b.began
	w.expect()
	w.wrap = func(e session.Engine) session.Engine { return lostEngine{e} }
	w.restart()
	if got := w.expect().Text; !strings.Contains(got, "It is unknown whether `overwrite` took effect") {
		t.Errorf("told %q", got)
	}
	w.settled()
	all := strings.Join(w.transcript("1"), "\n")
	if !strings.Contains(all, "[approval "+w.approval().ID+"]") || !strings.Contains(all, `"type":"interrupted"`) || len(b.began) > 0 {
		t.Errorf("the history is\n%s", all)
	}
}

// TestEveryMessageOfATurnThatIsSetAsideIsNamed: a message that joined it goes with it, and its author has to know.
func TestEveryMessageOfATurnThatIsSetAsideIsNamed(t *testing.T) {
	t.Parallel()
	g, asked := newGate(), make(chan struct{}, 10)
	w := newWorld(t, script(func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Content == "go" {
			return call("gate", "{}")
		}
		return hang(ctx, asked)
	}), []tools.Tool{g.tool()}, withGrace(time.Millisecond))
	w.write("1", "1", "go")
	<-g.entered
	w.write("1", "1", "and this")
	close(g.open)
	<-asked
	w.wrap = func(e session.Engine) session.Engine { return lostEngine{e} }
	w.restart()
	contains(t, w.expect().Text, "2 messages were set aside", "“go”", "“and this”")
	w.settled()
	contains(t, strings.Join(w.transcript("1"), "\n"), "user: go", "user: and this")
}

// TestAReportThatKillsTheGatewayIsToldAsItIs: it is no message of the person, and no later turn has it.
func TestAReportThatKillsTheGatewayIsToldAsItIs(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	w := newParty(t, func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case isAgent(msgs):
			return say("found it")
		case isReport(msgs):
			return hang(ctx, asked)
		case m.Role == providers.RoleTool:
			return say("started")
		}
		return call("spawn", order("look"))
	}, nil, withGrace(time.Millisecond))
	w.write("1", "1", "go")
	w.expectText("started")
	<-asked
	w.wrap = func(e session.Engine) session.Engine { return lostEngine{e} }
	w.restart()
	contains(t, w.expect().Text, "stopped three times while it read the result of task “the work”", "found it")
	w.settled()
}
