package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// several are the models a and b, which answer by one script. They remember which of
// them was asked.
type several struct {
	script script

	mu    sync.Mutex
	asked []string
}

func (s *several) For(role turn.Role, _ channels.Address, chosen string) turn.Model {
	name := "a"
	if chosen == "b" {
		name = "b"
	}
	if role == turn.RoleTool {
		return turn.Model{}
	}
	return turn.Model{Provider: s, Name: name, Choice: name}
}

func (*several) Choices() []turn.Choice { return []turn.Choice{{Name: "a"}, {Name: "b"}} }

func (s *several) Chat(
	ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition, model string, _ map[string]any,
) (*providers.LLMResponse, error) {
	s.mu.Lock()
	s.asked = append(s.asked, model)
	s.mu.Unlock()
	return s.script(ctx, msgs, defs)
}

// take gives the models that were asked since the last time, and forgets them.
func (s *several) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := strings.Join(s.asked, " ")
	s.asked = nil
	return all
}

// TestAWishForAModel holds for all that the message makes the gateway ask: its turn, the
// agents of that, their reports, and a summary. No other message has it.
func TestAWishForAModel(t *testing.T) {
	t.Parallel()
	s := &several{script: delegates(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("forty-two")
	})}
	w := newParty(t, nil, nil, withOptions(func(o *agent.Options) { o.Models = s }))
	for _, c := range []struct {
		text  string
		wish  *channels.Wish
		asked string
	}{
		{"do it", &channels.Wish{Model: "b"}, "b b b b"}, // the call, the answer, the agent, the report
		{"/compact", &channels.Wish{Model: "b"}, "b"},
		{"do it", nil, "a a a a"},
		{"do it", &channels.Wish{Model: "gone"}, "a a a a"},
	} {
		w.wishing(c.text, c.wish)
		w.expect()
		if c.text == "do it" {
			w.expectText("it says: forty-two")
		}
		w.settled()
		if got := s.take(); got != c.asked {
			t.Errorf("%s with %+v: asked %q, want %q", c.text, c.wish, got, c.asked)
		}
	}
}

// TestAWishForAModelHoldsBehindAnApproval and a restart.
func TestAWishForAModelHoldsBehindAnApproval(t *testing.T) {
	t.Parallel()
	b, s := &book{edition: "1"}, &several{script: writer}
	w := newWorld(t, nil, []tools.Tool{b.tool()}, withOptions(asking), withOptions(func(o *agent.Options) { o.Models = s }))
	w.wishing("page one", &channels.Wish{Model: "b"})
	q := w.question("page one")
	w.settled()
	w.restart()
	w.press("1", "1", q, "Allow once")
	w.expect()
	w.expectText("result: written")
	w.settled()
	if got := s.take(); got != "b b" {
		t.Errorf("asked %q", got)
	}
}

// token is a credential that may end, or lose a part of its level.
type token struct {
	level atomic.Value
	gone  atomic.Bool
}

func (k *token) holds(string) (policy.Level, bool) {
	level, _ := k.level.Load().(policy.Level)
	return level, !k.gone.Load()
}

func withToken(k *token) option {
	return withOptions(func(o *agent.Options) { o.Credential = k.holds })
}

func byToken() *channels.Wish { return &channels.Wish{Level: "read", Credential: "token/1"} }

// TestAQueuedMessageOfARevokedTokenIsNotAnswered, nor is it once the gateway is back; those
// who read along are told.
func TestAQueuedMessageOfARevokedTokenIsNotAnswered(t *testing.T) {
	t.Parallel()
	for name, restarts := range map[string]bool{"while it waits": false, "over a restart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, began := &token{}, make(chan struct{}, 2)
			var runs atomic.Int64
			slow := fn{name: "slow", an: readOnly(), run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
				if runs.Add(1); runs.Load() > 1 {
					return tools.NewToolResult("done")
				}
				began <- struct{}{}
				<-ctx.Done()
				return tools.ErrorResult("cut off")
			}}
			w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
				if last(msgs).Content == "go" {
					return call("slow", "{}")
				}
				return say("answered " + last(msgs).Content)
			}), []tools.Tool{slow}, withToken(k), withGrace(time.Millisecond), readable)
			reader := w.follow()
			defer reader.Close()
			if restarts {
				w.wishing("go", byToken())
			} else {
				w.write("1", "1", "go")
			}
			<-began
			w.wishing("later", byToken())
			k.gone.Store(true)
			if restarts {
				w.restart()
			} else {
				w.write("1", "1", "/stop")
				w.expectText("Stopped.")
			}
			w.settled()
			if n := runs.Load(); n != 1 {
				t.Errorf("the tool ran %d times", n)
			}
			if !tells(t, reader, "not let in any more") {
				t.Error("nobody is told")
			}
		})
	}
}

// tells reads the events, which may wait for a message on its way, and finds an error with a
// text.
func tells(t *testing.T, r *events.Reader, text string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		batch, err := r.Next(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(batch, func(e events.Event) bool {
			f, ok := e.Data.(events.Failure)
			return ok && strings.Contains(f.Message, text)
		}) {
			return true
		}
	}
}

// TestATokenHasItsLevelOfNow: the lower one of what its message was stored with and of now.
func TestATokenHasItsLevelOfNow(t *testing.T) {
	t.Parallel()
	k := &token{}
	w := newWorld(t, offers{}, []tools.Tool{tool("a", tools.LevelChat), tool("b", tools.LevelRead)}, withToken(k))
	for level, want := range map[policy.Level]string{policy.LevelExec: "offered: a b", policy.LevelChat: "offered: a"} {
		k.level.Store(level)
		w.wishing("go", byToken())
		w.expectText(want)
	}
	w.settled()
}

// TestARevokedTokenEndsItsQuestionsAndAgents: a call that it asked for does not run, an agent
// that it started calls no tool, and the result of its work comes without tools.
func TestARevokedTokenEndsItsQuestionsAndAgents(t *testing.T) {
	t.Parallel()
	t.Run("question", func(t *testing.T) {
		t.Parallel()
		k, b := &token{}, &book{edition: "1"}
		w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking), withToken(k))
		w.wishing("page one", &channels.Wish{Credential: "token/1"})
		q := w.question("page one")
		k.gone.Store(true)
		w.press("1", "1", q, "Allow once")
		if got := w.expect().Text; !strings.Contains(got, "may no longer use") || len(b.texts()) > 0 {
			t.Errorf("told %q, written %q", got, b.texts())
		}
		w.settled()
	})
	t.Run("agent", func(t *testing.T) {
		t.Parallel()
		k, asked, goOn := &token{}, make(chan struct{}, 1), make(chan struct{})
		var refused atomic.Value
		w := newParty(t, func(_ context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
			switch m := last(msgs); {
			case isAgent(msgs) && m.Role == providers.RoleTool:
				refused.Store(m.Content)
				return say("forty-two")
			case isAgent(msgs):
				asked <- struct{}{}
				<-goOn
				return call("a", "{}")
			case isReport(msgs):
				return say("report with" + namesOf(defs))
			case m.Role == providers.RoleTool:
				return say("started")
			}
			return call("spawn", order("think"))
		}, []tools.Tool{tool("a", tools.LevelChat)}, withToken(k))
		w.wishing("do it", byToken())
		<-asked
		w.expectText("started")
		k.gone.Store(true)
		close(goOn)
		w.expectText("report with")
		w.settled()
		if text, _ := refused.Load().(string); !strings.Contains(text, "may not use") {
			t.Errorf("the agent's call: %q", text)
		}
		if task := w.task(); task.State != session.TaskDone {
			t.Errorf("%+v", task)
		}
	})
}
