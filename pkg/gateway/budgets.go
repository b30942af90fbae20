package gateway

import (
	"cmp"
	"math"
	"slices"

	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/gateway/toolset"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// budgetOf is the budget of each chat, under any of the addresses that it is known
// by. Of several places that speak of a chat the one that names it most exactly counts,
// block by block.
func budgetOf(b config.Budgets, known toolset.Addresses) func(channels.Address) budget.Budget {
	type rule struct {
		place  policy.Place
		budget config.ChatBudget
	}
	var rules []rule
	for s, own := range b.Chats {
		if place, err := policy.ParsePlace(s); err == nil { // the configuration was checked
			rules = append(rules, rule{place, own})
		}
	}
	slices.SortFunc(rules, func(x, y rule) int {
		return cmp.Or(cmp.Compare(x.place.Weight(), y.place.Weight()), cmp.Compare(x.place.String(), y.place.String()))
	})
	if len(rules) == 0 { // one budget for all chats, which read it
		one := budgetFor(b.All, b.People, b.Jobs, b.Background)
		return func(channels.Address) budget.Budget { return one }
	}
	return func(a channels.Address) budget.Budget {
		all, people, jobs, background := b.All, b.People, b.Jobs, b.Background
		at := known(a)
		for _, r := range rules { // the most exact one comes last
			if slices.ContainsFunc(at, r.place.Governs) {
				override(&all, r.budget.All)
				override(&people, r.budget.People)
				override(&jobs, r.budget.Jobs)
				override(&background, r.budget.Background)
			}
		}
		return budgetFor(all, people, jobs, background)
	}
}

func budgetFor(all, people, jobs, background config.Limits) budget.Budget {
	return budget.Budget{All: limits(all), For: map[session.Purpose]budget.Limits{
		session.ForPeople: limits(people), session.ForJobs: limits(jobs), session.ForBackground: limits(background),
	}}
}

func override(l, by *config.Limits) {
	if by != nil {
		*l = *by
	}
}

func limits(l config.Limits) budget.Limits {
	const million = 1e6
	money := int64(math.Round(l.Money * million))
	if l.Money > 0 {
		money = max(money, 1) // zero would be no limit
	}
	return budget.Limits{Turns: l.Turns, Tokens: l.Tokens, Money: money}
}
