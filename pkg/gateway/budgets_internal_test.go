package gateway

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/session"
)

// TestBudgetOf: of several places the most exact one counts, block by block, also under
// an id that the chat had before.
func TestBudgetOf(t *testing.T) {
	t.Parallel()
	turns := func(n int) *config.Limits { return &config.Limits{Turns: n} }
	known := func(a channels.Address) []channels.Address {
		if a.Chat != "new" {
			return []channels.Address{a}
		}
		before := a
		before.Chat = "old"
		return []channels.Address{a, before}
	}
	of := budgetOf(config.Budgets{
		All: config.Limits{Turns: 1, Money: 0.25}, Jobs: config.Limits{Tokens: 2},
		Chats: map[string]config.ChatBudget{
			"telegram:7":       {All: turns(10), People: turns(11)},
			"telegram:7#3":     {People: turns(20)},
			"telegram:bot/7#3": {Jobs: turns(0)},
			"telegram:old":     {Background: turns(30)},
			"telegram:little":  {All: &config.Limits{Money: 1e-9}},
		},
	}, known)
	allowed := func(all, people, jobs, background budget.Limits) budget.Budget {
		return budget.Budget{All: all, For: map[session.Purpose]budget.Limits{
			session.ForPeople: people, session.ForJobs: jobs, session.ForBackground: background,
		}}
	}
	n := func(turns int) budget.Limits { return budget.Limits{Turns: turns} }
	general, jobs := budget.Limits{Turns: 1, Money: 250_000}, budget.Limits{Tokens: 2}
	for name, tc := range map[string]struct {
		at   channels.Address
		want budget.Budget
	}{
		"elsewhere":       {channels.Address{Channel: "telegram", Chat: "8"}, allowed(general, n(0), jobs, n(0))},
		"a chat":          {channels.Address{Channel: "telegram", Account: "x", Chat: "7"}, allowed(n(10), n(11), jobs, n(0))},
		"a thread":        {channels.Address{Channel: "telegram", Account: "x", Chat: "7", Thread: "3"}, allowed(n(10), n(20), jobs, n(0))},
		"of one account":  {channels.Address{Channel: "telegram", Account: "bot", Chat: "7", Thread: "3"}, allowed(n(10), n(20), n(0), n(0))},
		"one that moved":  {channels.Address{Channel: "telegram", Chat: "new"}, allowed(general, n(0), jobs, n(30))},
		"hardly anything": {channels.Address{Channel: "telegram", Chat: "little"}, allowed(budget.Limits{Money: 1}, n(0), jobs, n(0))},
		"another channel": {channels.Address{Channel: "slack", Chat: "7"}, allowed(general, n(0), jobs, n(0))},
	} {
		if d := cmp.Diff(tc.want, of(tc.at)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
