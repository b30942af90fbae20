package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent/budget"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// told is the answer to /usage behind the line with the end of the day.
func (w *world) told(chat, sender string) string {
	w.t.Helper()
	w.write(chat, sender, "/usage")
	_, got, _ := strings.Cut(w.expect().Text, "\n\n")
	first, rest, _ := strings.Cut(got, "\n")
	if !strings.HasPrefix(first, "Used today, until ") || !strings.HasSuffix(first, " 00:00 UTC:") {
		w.t.Errorf("told %q", first)
	}
	return rest
}

// shares are the parts of a chat's use of the first day, by person and model.
func (w *world) shares(chat string) map[string]session.Usage {
	w.t.Helper()
	got := map[string]session.Usage{}
	info, err := w.eng.Sessions().Lookup(w.t.Context(), chatAddr(chat))
	if err == nil {
		err = w.eng.Chats().Shares(w.t.Context(), info.Chat, "", "9", func(s session.Share) {
			key := strings.TrimSuffix(s.Person+" "+s.Model, " ")
			sum := got[key]
			sum.Add(s.Usage)
			got[key] = sum
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

func TestUsageTellsTheDay(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	w := newWorld(t, counted(&asked), nil, withBudget(budget.Budget{
		All: budget.Limits{Tokens: 5000, Money: 2_000_000},
		For: map[session.Purpose]budget.Limits{session.ForJobs: {Turns: 200}},
	}))
	const before = "- messages: 0 turns, 0 tokens\n" +
		"- total: 0 turns, 0 of 5000 tokens, 0.00 of 2.00 EUR"
	if d := cmp.Diff(before, w.told("1", "1")); d != "" {
		t.Error(d)
	}
	w.write("1", "1", "hello")
	w.expect()
	const want = "- messages: 1 turn, 120 tokens, 0.00 EUR\n" +
		"- total: 1 turn, 120 of 5000 tokens, 0.00 of 2.00 EUR\n" +
		"By model:\n- script: 1 answer, 100 tokens read, 20 written, 0.00 EUR\n" +
		"The last turn: 1 answer, 100 tokens read, 20 written, 0.00 EUR."
	if d := cmp.Diff(want, w.told("1", "1")); d != "" {
		t.Error(d)
	}
}

// billed gives answers of two models: the one that was asked first gave one of no use.
func billed(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
	resp, err := say("done")
	wasted := providers.Usage{PromptTokens: 100, CompletionTokens: 10, Money: 250_000}
	resp.Billed, resp.Others = "other", []providers.BilledUsage{{Model: "main", Usage: wasted}}
	resp.Usage = providers.Usage{PromptTokens: 300, CachedTokens: 150, CompletionTokens: 60, ReasoningTokens: 20, Money: 1_000_000}
	return resp, err
}

// TestUsageByPersonAndModel: each person of a chat has their own part of its use, and each
// model that of its own answers, also where its answer was of no use.
func TestUsageByPersonAndModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(billed), nil, withBudget(budget.Budget{}))
	for _, sender := range []string{"1", "2", "1"} {
		w.write("1", sender, "hello")
		w.expect()
	}
	w.settled()
	useOf := func(n int) map[string]session.Usage {
		return map[string]session.Usage{
			"": {Turns: n}, "main": {Answers: n, Input: 100 * n, Output: 10 * n, Money: int64(250_000 * n)},
			"other": {Answers: n, Input: 200 * n, Cached: 150 * n, Output: 50 * n, Reasoning: 20 * n, Money: int64(750_000 * n)},
		}
	}
	want := map[string]session.Usage{}
	for person, n := range map[string]int{"1": 2, "2": 1} {
		for model, u := range useOf(n) {
			want[strings.TrimSuffix(person+" "+model, " ")] = u
		}
	}
	if d := cmp.Diff(want, w.shares("1")); d != "" {
		t.Error(d)
	}
	const told = "- messages: 3 turns, 1080 tokens, 3.00 EUR\n" +
		"- total: 3 turns, 1080 tokens, 3.00 EUR\n- for you, of this: 2 turns, 720 tokens, 2.00 EUR\n" +
		"Of these tokens, 450 came from the cache of a model's server, and 60 were reasoning.\nBy model:\n" +
		"- other: 3 answers, 600 tokens read (450 cached), 150 written (60 reasoning), 2.25 EUR\n" +
		"- main: 3 answers, 300 tokens read, 30 written, 0.75 EUR\n" +
		"The last turn: 2 answers, 300 tokens read (150 cached), 60 written (20 reasoning), 1.00 EUR."
	if d := cmp.Diff(told, w.told("1", "1")); d != "" {
		t.Error(d)
	}
	w.write("2", "2", "/usage") // no text crosses
	if got := w.expect().Text; strings.Contains(got, "answer") || !strings.Contains(got, "total: 0 turns, 0 tokens") {
		t.Errorf("another chat is told %q", got)
	}
}

// agentsUses are the uses of the turns of background agents.
func (w *world) agentsUses() (all []session.Spent) {
	w.t.Helper()
	list, err := w.eng.Sessions().List(w.t.Context(), "", 100)
	for i := range list {
		if err != nil || list[i].Address.Channel != session.AgentChannel {
			continue
		}
		err = w.eng.Chats().TurnUses(w.t.Context(), list[i].Chat, func(u session.TurnUse) bool { all = append(all, u.Spent); return true })
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// TestTheUseOfATurn is known, with its person and its models, also that of a background
// agent, whose end counts before its turn is committed.
func TestTheUseOfATurn(t *testing.T) {
	t.Parallel()
	w := newParty(t, delegates(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return priced(say("report"))
	}), nil, quietly)
	w.write("1", "1", "do it")
	w.expectText("started")
	w.expectText("it says: report")
	w.settled()
	got := w.agentsUses()
	if len(got) == 0 {
		t.Fatal("no use of an agent's turn is known")
	}
	use := session.Usage{Answers: 1, Input: 100, Output: 20, Money: 30}
	all := use
	all.Turns = 1
	want := []session.Spent{{
		Day: got[0].Day, Purpose: session.ForBackground, Person: "1", Usage: all, Models: []session.ModelUsage{{Model: "script", Usage: use}},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := w.spending("1", want[0].Day)[session.ForBackground]; got.Money != 30 {
		t.Errorf("counted %+v, want the agent once", got)
	}
	if got := w.shares("1")["1 script"]; got.Money != 30 {
		t.Errorf("the person used %+v, want the agent once", got)
	}
}
