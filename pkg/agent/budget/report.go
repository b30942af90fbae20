package budget

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/pkg/session"
)

// Report lists for people the use of today, as it is now, beside the limits, with the part
// of each model, that of the asking person, and the chat's last turn.
func (u *TurnUsage) Report(ctx context.Context) (string, error) {
	zone := u.turn.Zone()
	m := u.m
	day := m.o.Now().In(zone).Format(time.DateOnly)
	stored, err := m.o.Store.Spending(ctx, u.turn.Chat, day)
	if err != nil {
		return "", err
	}
	shares, err := u.shares(ctx, day)
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	by := m.withRunning(u.turn.Payer, day, stored)
	m.mu.Unlock()
	budget := m.o.Budget(u.turn.Payer)
	var b strings.Builder
	fmt.Fprintf(&b, textUsedToday, endOfDay(day, zone).Format("2006-01-02 15:04 MST"))
	for _, p := range Purposes() {
		if p != session.ForPeople && by[p] == (session.Usage{}) {
			continue
		}
		fmt.Fprintf(&b, textUsedFor, usedFor(p), budget.For[p].amounts(by[p], m.o.Currency))
	}
	all := together(by)
	fmt.Fprintf(&b, textUsedTotal, budget.All.amounts(all, m.o.Currency))
	u.details(&b, shares, all)
	err = u.lastTurn(ctx, &b)
	return b.String(), err
}

// shares are the parts of the day's use, also of the turns that run.
func (u *TurnUsage) shares(ctx context.Context, day string) (shares []session.Share, err error) {
	err = u.m.o.Store.Shares(ctx, u.turn.Chat, day, day, func(s session.Share) { shares = append(shares, s) })
	u.m.mu.Lock()
	defer u.m.mu.Unlock()
	for open := range u.m.open[u.turn.Payer] {
		if s := &open.spent; s.Day == day {
			shares = append(shares, session.Share{Person: s.Person, Usage: s.Rest()})
			for i := range s.Models {
				shares = append(shares, session.Share{Person: s.Person, Model: s.Models[i].Model, Usage: s.Models[i].Usage})
			}
		}
	}
	return shares, err
}

// details adds the parts of the models, and the part of the person who asks where others
// wrote too.
func (u *TurnUsage) details(b *strings.Builder, shares []session.Share, all session.Usage) {
	var yours, tokens session.Usage
	models := map[string]session.Usage{}
	for i := range shares {
		s := &shares[i]
		tokens.Add(s.Usage)
		if s.Model != "" {
			sum := models[s.Model]
			sum.Add(s.Usage)
			models[s.Model] = sum
		}
		if u.turn.Person != nil && s.Person == u.turn.Person() {
			yours.Add(s.Usage)
		}
	}
	if yours.Turns > 0 && yours.Turns < all.Turns {
		fmt.Fprintf(b, textUsedYours, Limits{}.amounts(yours, u.m.o.Currency))
	}
	if tokens.Cached > 0 || tokens.Reasoning > 0 {
		fmt.Fprintf(b, textUsedKinds, tokens.Cached, tokens.Reasoning)
	}
	if len(models) > 0 {
		b.WriteString(textUsedModels)
	}
	for _, name := range byUse(models) {
		fmt.Fprintf(b, textUsedModel, name, Amounts(models[name], u.m.o.Currency))
	}
}

// byUse are the models, the most used one first.
func byUse(models map[string]session.Usage) []string {
	names := make([]string, 0, len(models))
	for name := range models {
		names = append(names, name)
	}
	tokens := func(name string) int { return models[name].Input + models[name].Output }
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(tokens(b)-tokens(a), cmp.Compare(a, b)) })
	return names
}

// maxLooked bounds the turns in which the last one of the conversation is looked for.
const maxLooked = 100

// lastTurn adds the use of the last turn that a person or a schedule started.
func (u *TurnUsage) lastTurn(ctx context.Context, b *strings.Builder) error {
	left := maxLooked
	return u.m.o.Store.TurnUses(ctx, u.turn.Chat, func(t session.TurnUse) bool {
		left--
		if t.Spent.Usage.Answers == 0 {
			return left > 0
		}
		fmt.Fprintf(b, textLastTurn, Amounts(t.Spent.Usage, u.m.o.Currency))
		return false
	})
}

// Amounts writes answers, tokens and money in words.
func Amounts(u session.Usage, currency string) string {
	answers := textAnswers
	if u.Answers == 1 {
		answers = textAnswer
	}
	s := fmt.Sprintf(answers, u.Answers)
	s += fmt.Sprintf(textRead, u.Input)
	if u.Cached > 0 {
		s += fmt.Sprintf(textCached, u.Cached)
	}
	s += fmt.Sprintf(textWritten, u.Output)
	if u.Reasoning > 0 {
		s += fmt.Sprintf(textReasoning, u.Reasoning)
	}
	if u.Money > 0 {
		s += ", " + Money(u.Money, currency)
	}
	return s
}

// usedFor is a purpose as the report names it.
func usedFor(p session.Purpose) string {
	return map[session.Purpose]string{
		session.ForPeople: textUsedPeople, session.ForJobs: textUsedJobs, session.ForBackground: textUsedBackground,
	}[p]
}
