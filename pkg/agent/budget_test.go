package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// priced gives an answer the same cost each time: 100 tokens read, 20 written, 30 millionths.
func priced(resp *providers.LLMResponse, err error) (*providers.LLMResponse, error) {
	if resp != nil {
		resp.Usage = providers.Usage{PromptTokens: 100, CompletionTokens: 20, TotalTokens: 120, Money: 30}
	}
	return resp, err
}

func withBudget(b budget.Budget) option {
	return withOptions(func(o *agent.Options) {
		o.Budgets.Currency = "EUR"
		o.Budgets.Of = func(channels.Address) budget.Budget { return b }
	})
}

func forOne(p session.Purpose, l budget.Limits) budget.Budget {
	return budget.Budget{For: map[session.Purpose]budget.Limits{p: l}}
}

// counted answers everything and counts how often it was asked.
func counted(asked *atomic.Int64) script {
	return func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return priced(say(fmt.Sprint("answer ", asked.Add(1))))
	}
}

// spending is the use of a chat on a day.
func (w *world) spending(chat, day string) map[session.Purpose]session.Usage {
	w.t.Helper()
	info, err := w.eng.Sessions().Lookup(w.t.Context(), chatAddr(chat))
	if err != nil {
		w.t.Fatal(err)
	}
	got, err := w.eng.Chats().Spending(w.t.Context(), info.Chat, day)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// failures are the reasons of the items in chat 1 that ended without an answer.
func (w *world) failures() []string {
	w.t.Helper()
	info, err := w.eng.Sessions().Lookup(w.t.Context(), chatAddr("1"))
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, f := range info.Failed {
		out = append(out, string(f.Outcome)+": "+f.Reason)
	}
	return out
}

func TestPeopleAreToldOfALimitEachTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		w := newWorld(t, counted(&asked), nil, withBudget(budget.Budget{All: budget.Limits{Turns: 2}}))
		for i := range 2 {
			w.write("1", "1", "hello")
			w.expectText(fmt.Sprint("answer ", i+1))
		}
		const told = "Today's limit of this chat is used up: 2 of 2 turns. It starts again in 1 day, at 2000-01-02 00:00 UTC. " +
			"The operator can raise it (budgets in the configuration)."
		for range 3 {
			w.write("1", "1", "hello")
			w.expectText(told)
		}
		w.write("2", "2", "hello") // another chat has a budget of its own
		w.expectText("answer 3")
		w.settled()
		if asked.Load() != 3 {
			t.Errorf("the model was asked %d times, want 3", asked.Load())
		}
		want := map[session.Purpose]session.Usage{session.ForPeople: {Turns: 2, Input: 200, Output: 40, Money: 60}}
		if d := cmp.Diff(want, w.spending("1", "2000-01-01")); d != "" {
			t.Error(d)
		}
		if other := w.spending("2", "2000-01-01")[session.ForPeople]; other.Turns != 1 {
			t.Errorf("the other chat used %+v", other)
		}
		if got := w.failures(); !slices.Equal(got, slices.Repeat([]string{"failed: budget: 2 of 2 turns"}, 3)) {
			t.Errorf("listed %q", got)
		}
		if tr := w.transcript("1"); len(tr) != 10 || tr[9] != "assistant: "+told {
			t.Errorf("history %q", tr)
		}
	})
}

func TestADayEndsAtMidnightWhereTheChatIs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kept, config string
		midnight     time.Duration // after midnight in Greenwich, when the clock of the test begins
		told         string
	}{
		"of the chat":              {"America/New_York", "Asia/Tokyo", 5 * time.Hour, "at 2000-01-01 00:00 EST"},
		"of the configuration":     {"", "Asia/Tokyo", 15 * time.Hour, "at 2000-01-02 00:00 JST"},
		"none is known":            {"", "", 24 * time.Hour, "at 2000-01-02 00:00 UTC"},
		"what is kept has no name": {"No/Where", "", 24 * time.Hour, "at 2000-01-02 00:00 UTC"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var asked atomic.Int64
				w := newWorld(t, counted(&asked), nil, withBudget(forOne(session.ForPeople, budget.Limits{Tokens: 100})),
					withOptions(func(o *agent.Options) {
						o.Zone = func(channels.Address) string { return tc.config }
					}))
				w.write("1", "1", "/new")
				w.expect()
				info, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
				if err != nil {
					t.Fatal(err)
				}
				if err := w.eng.Chats().SetZone(t.Context(), info.Chat, tc.kept); err != nil {
					t.Fatal(err)
				}
				w.write("1", "1", "hello")
				w.expectText("answer 1")
				<-time.After(time.Until(began.Add(tc.midnight - time.Minute)))
				w.write("1", "1", "hello")
				if got := w.expect().Text; !strings.Contains(got, "for messages is used up: 120 of 100 tokens. It starts again in 1 minute, "+tc.told) {
					t.Errorf("told %q", got)
				}
				<-time.After(time.Until(began.Add(tc.midnight + time.Second)))
				w.write("1", "1", "hello")
				w.expectText("answer 2")
				w.settled()
			})
		})
	}
}

// TestALimitInTheMiddleOfATurn: finished work stays finished, and one sentence says so.
func TestALimitInTheMiddleOfATurn(t *testing.T) {
	t.Parallel()
	var asked, done atomic.Int64
	effect := fn{name: "effect", run: func(context.Context, map[string]any) *tools.ToolResult {
		done.Add(1)
		return tools.NewToolResult("it is done")
	}}
	w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		asked.Add(1)
		return priced(call("effect", "{}"))
	}), []tools.Tool{effect}, withBudget(budget.Budget{All: budget.Limits{Money: 50}}))
	w.write("1", "1", "do it")
	got := w.expect().Text
	if !strings.HasPrefix(got, "I stopped before I was done. Today's limit of this chat is used up: 0.0001 of 0.0001 EUR. ") ||
		!strings.HasSuffix(got, " Everything done so far is kept.") {
		t.Errorf("told %q", got)
	}
	w.settled()
	if asked.Load() != 2 || done.Load() != 2 {
		t.Errorf("asked %d times and did it %d times, want 2 and 2", asked.Load(), done.Load())
	}
	want := []string{"user: do it", "assistant: [effect]", "tool: it is done", "assistant: [effect]", "tool: it is done", "assistant: " + got}
	if d := cmp.Diff(want, w.transcript("1")); d != "" {
		t.Error(d)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	if u := w.spending("1", today)[session.ForPeople]; u != (session.Usage{Turns: 1, Input: 200, Output: 40, Money: 60}) {
		t.Errorf("counted %+v", u)
	}
}

// TestAResumedTurnCountsEachAnswerOnce: those that were recorded too.
func TestAResumedTurnCountsEachAnswerOnce(t *testing.T) {
	t.Parallel()
	blocked := make(chan struct{}, 1)
	effect := fn{name: "effect", run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		blocked <- struct{}{}
		<-ctx.Done()
		return tools.ErrorResult("cut off")
	}}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleUser {
			return priced(call("effect", "{}"))
		}
		return priced(say("done"))
	}), []tools.Tool{effect}, withBudget(budget.Budget{All: budget.Limits{Turns: 1}}),
		withGrace(time.Millisecond))
	w.write("1", "1", "go")
	<-blocked
	w.restart()
	w.expectText("done")
	w.settled()
	today := time.Now().UTC().Format(time.DateOnly)
	if u := w.spending("1", today)[session.ForPeople]; u != (session.Usage{Turns: 1, Input: 200, Output: 40, Money: 60}) {
		t.Errorf("counted %+v", u)
	}
}

// TestEveryRequestCounts: of a failed turn and of /compact too; /tool asks no model.
func TestEveryRequestCounts(t *testing.T) {
	t.Parallel()
	look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("x") }}
	direct := script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return priced(say("direct"))
	})
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case m.Content == "fail":
			return priced(call("look", "{}"))
		case m.Role == providers.RoleTool:
			return nil, &providers.Error{Kind: providers.KindOverloaded}
		default:
			return priced(say("an answer"))
		}
	}), []tools.Tool{look}, withOptions(func(o *agent.Options) { o.Models = withTool{o.Models, direct} }))
	today := time.Now().UTC().Format(time.DateOnly)
	turns := 0
	for i, text := range []string{"hello", "/compact", "/tool look {}", "/status", "fail"} {
		w.write("1", "1", text)
		w.expect()
		w.settled()
		if i < 2 || i == 4 {
			turns++
		}
		want := session.Usage{Turns: turns, Input: 100 * turns, Output: 20 * turns, Money: int64(30 * turns)}
		if u := w.spending("1", today)[session.ForPeople]; u != want {
			t.Errorf("after %q: counted %+v, want %+v", text, u, want)
		}
	}
}

// TestTokensThatNobodyReportsAreEstimated: a limit holds with any server.
func TestTokensThatNobodyReportsAreEstimated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("ok")
	}), nil, withBudget(forOne(session.ForPeople, budget.Limits{Tokens: 1000})))
	w.write("1", "1", strings.Repeat("word ", 1000))
	w.expect()
	w.write("1", "1", "hello")
	if got := w.expect().Text; !strings.Contains(got, "of 1000 tokens") {
		t.Errorf("told %q", got)
	}
}

// TestACompactAtTheLimitIsRefused: it asks the model like anything else.
func TestACompactAtTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	w := newWorld(t, counted(&asked), nil, withBudget(budget.Budget{All: budget.Limits{Turns: 1}}))
	w.write("1", "1", "hello")
	w.expect()
	w.write("1", "1", "/compact")
	if got := w.expect().Text; !strings.Contains(got, "stays as it is. Today's limit of this chat is used up") {
		t.Errorf("told %q", got)
	}
	w.write("1", "1", "/usage")
	if got := w.expect().Text; !strings.Contains(got, "total: 1 of 1 turns") {
		t.Errorf("told %q", got)
	}
}

// journal keeps the log.
type journal struct {
	mu    sync.Mutex
	lines []string
}

// Write implements [io.Writer].
func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, string(line))
	return len(line), nil
}

// TestATurnsCostIsLogged: with numbers, and without a word of the conversation.
func TestATurnsCostIsLogged(t *testing.T) {
	t.Parallel()
	j := &journal{}
	w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		resp, err := priced(say("a canary sings"))
		resp.Usage.Money = 1_250_000
		return resp, err
	}), nil, withBudget(budget.Budget{}), withOptions(func(o *agent.Options) { o.Log = zerolog.New(j).Level(zerolog.InfoLevel) }))
	w.write("1", "1", "where is the canary?")
	w.expect()
	w.write("1", "1", "/compact")
	w.expect()
	w.settled()
	w.stop()
	all := strings.Join(j.lines, "")
	if n := strings.Count(all, `"read":100,"written":20,"money":"1.25 EUR"`); n != 2 || strings.Contains(all, "canary") {
		t.Errorf("logged\n%s", all)
	}
}
