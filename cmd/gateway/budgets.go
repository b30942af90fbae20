package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// prices are what a model costs; nothing where nobody knows.
func prices(m *config.Model) providers.Prices {
	if m.Prices == nil {
		return providers.Prices{}
	}
	return providers.Prices(*m.Prices)
}

// budgetOf is the budget of each chat, under any of the addresses that it is known
// by. Of several places that speak of a chat the one that names it most exactly counts,
// block by block.
func budgetOf(b config.Budgets, known addresses) func(channels.Address) budget.Budget {
	type rule struct {
		place  policy.Place
		budget config.ChatBudget
	}
	var rules []rule
	for s, budget := range b.Chats {
		if place, err := policy.ParsePlace(s); err == nil { // the configuration was checked
			rules = append(rules, rule{place, budget})
		}
	}
	slices.SortFunc(rules, func(x, y rule) int {
		return cmp.Or(cmp.Compare(x.place.Weight(), y.place.Weight()), cmp.Compare(x.place.String(), y.place.String()))
	})
	return func(a channels.Address) budget.Budget {
		all, people, jobs, background := b.All, b.People, b.Jobs, b.Background
		if len(rules) > 0 {
			at := known(a)
			for _, r := range rules { // the most exact one comes last
				if slices.ContainsFunc(at, r.place.Matches) {
					override(&all, r.budget.All)
					override(&people, r.budget.People)
					override(&jobs, r.budget.Jobs)
					override(&background, r.budget.Background)
				}
			}
		}
		return budget.Budget{All: limits(all), For: map[session.Purpose]budget.Limits{
			session.ForPeople: limits(people), session.ForJobs: limits(jobs), session.ForBackground: limits(background),
		}}
	}
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
		money = max(money, 1) // nothing would be no limit
	}
	return budget.Limits{Turns: l.Turns, Tokens: l.Tokens, Money: money}
}

// usageReport is one value of the answer to opUsage: what one chat used on a day.
type usageReport struct {
	Chat string                            `json:"chat"`
	Day  string                            `json:"day"`
	Used map[session.Purpose]session.Usage `json:"used"`
	// Currency is what money is in, in millionths.
	Currency string `json:"currency"`
}

// listUsage tells what every chat used on a day. Chats that used nothing are left out.
func (a *App) listUsage(ctx context.Context, day string, emit emitter) error {
	return a.eachSession(ctx, func(i session.Info) error {
		if !i.Current || i.Address.Channel == session.AgentChannel { // what agents use is their chat's
			return nil
		}
		on := day
		if on == "" {
			on = a.agent.Today(ctx, i.Chat, i.Address)
		}
		used, err := a.engine.Spending(ctx, i.Chat, on)
		if err != nil || len(used) == 0 {
			return err
		}
		return emit(usageReport{Chat: place(i), Day: on, Used: used, Currency: a.cfg.Budgets.Currency})
	})
}

func newUsage(h *host) *cobra.Command {
	day := ""
	c := verb(h, "usage", "Show what each chat used on a day", opUsage, cobra.NoArgs, func([]string) deskArgs { return deskArgs{Day: day} },
		func(w io.Writer, r usageReport) error {
			var b strings.Builder
			for _, p := range budget.Purposes() {
				u, ok := r.Used[p]
				if !ok {
					continue
				}
				fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s read\t%d written", r.Chat, r.Day, p,
					count(u.Turns, "turn", "turns"), count(u.Input, "token", "tokens"), u.Output)
				if u.Money > 0 {
					b.WriteString("\t" + budget.Money(u.Money, r.Currency))
				}
				b.WriteString("\n")
			}
			_, err := io.WriteString(w, b.String())
			return err
		})
	c.PreRunE = func(*cobra.Command, []string) error {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return coded(exitUsage, fmt.Errorf("--day %s: write a day such as 2026-01-31", day))
		}
		return nil
	}
	c.Flags().StringVar(&day, "day", "", "a day such as 2026-01-31 (default: today, where the chat is)")
	return c
}
