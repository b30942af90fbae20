package budget

import (
	"context"
	"fmt"
	"sync"
	"time"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// TurnUsage is the use of one turn.
type TurnUsage struct {
	m    *Meter
	turn Turn

	mu    sync.Mutex // calls of a turn run side by side
	began bool       // begin was called
	// ends is when the turn's day does.
	ends time.Time
	// spent is under the meter's lock.
	spent session.Spent
}

// begin counts the turn from now on; a second call has no effect.
func (u *TurnUsage) begin() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.began {
		return
	}
	u.began = true
	zone := u.turn.Zone()
	day := u.turn.Began.In(zone).Format(time.DateOnly)
	u.ends = endOfDay(day, zone)
	spent := u.recorded()
	spent.Day, spent.Purpose = day, u.turn.Purpose
	if u.turn.Person != nil {
		spent.Person = u.turn.Person()
	}
	u.m.add(u, spent)
}

// Close ends the count: the use of the turn is about to be stored, or is lost. A second
// call has no effect.
func (u *TurnUsage) Close() { u.m.remove(u) }

// Spent closes the account and gives the use of the turn for its commit; nil where it
// asked no model that costs anything.
func (u *TurnUsage) Spent() *session.Spent {
	u.mu.Lock()
	began := u.began
	u.mu.Unlock()
	if !began && u.recorded().Usage == (session.Usage{}) {
		return nil
	}
	u.begin()
	u.Close()
	if u.spent.Usage == (session.Usage{}) {
		return nil
	}
	return &u.spent
}

// Used is the use of the turn so far.
func (u *TurnUsage) Used() session.Usage {
	u.m.mu.Lock()
	defer u.m.mu.Unlock()
	return u.spent.Usage
}

// recorded is the use of earlier attempts at a turn.
func (u *TurnUsage) recorded() session.Spent {
	var s session.Spent
	for i := range u.turn.Steps {
		step := &u.turn.Steps[i]
		paid := step.Kind == session.StepSensed || !u.turn.Free && (step.Kind == session.StepAnswer || step.Kind == session.StepSummary)
		if a := step.Answer; paid && a != nil && a.Usage != (providers.Usage{}) {
			s.Usage.Turns = 1
			addAnswer(&s, a)
		}
	}
	return s
}

// addAnswer counts one answer of the model, and those of no use before it.
func addAnswer(s *session.Spent, a *providers.LLMResponse) {
	own := usageOf(&a.Usage)
	for i := range a.Others {
		other := usageOf(&a.Others[i].Usage)
		s.Add(a.Others[i].Model, other)
		own = own.Less(other)
	}
	s.Add(a.Billed, own)
}

func usageOf(u *providers.Usage) session.Usage {
	return session.Usage{
		Input: u.PromptTokens, Cached: u.CachedTokens, Output: u.CompletionTokens, Reasoning: u.ReasoningTokens, Money: u.Money,
	}
}

// afford is asked before each request to the model. A [LimitError] says that a limit
// is reached. Only a turn with a limit reads the stored use of the day.
func (u *TurnUsage) afford(ctx context.Context) error {
	u.begin()
	budget := u.m.o.Budget(u.turn.Payer)
	purpose, day := u.turn.Purpose, u.spent.Day
	var stored map[session.Purpose]session.Usage
	limited := budget.All != (Limits{}) || budget.For[purpose] != (Limits{})
	if limited {
		var err error
		if stored, err = u.m.o.Store.Spending(ctx, u.turn.Chat, day); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			u.turn.Log().Error().Err(err).Msg("what this chat used today cannot be read; it is taken for nothing")
		}
	}
	m := u.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if limited {
		by := m.withRunning(u.turn.Payer, day, stored)
		first := u.spent.Usage.Turns == 0 && !u.turn.Late
		l := budget.For[purpose].reached(by[purpose], first)
		if l != nil {
			l.purpose = purpose
		} else {
			l = budget.All.reached(together(by), first)
		}
		if l != nil {
			l.ends, l.in, l.currency = u.ends, u.ends.Sub(m.o.Now()), m.o.Currency
			return l
		}
	}
	if !u.turn.Late {
		u.spent.Usage.Turns = 1
	}
	return nil
}

// NoticeID is the id of the message that tells of a limit once a day: one for each
// chat, purpose and limit.
func (u *TurnUsage) NoticeID(l *LimitError) string {
	return fmt.Sprintf("budget/%s/%s/%s/%d %s", u.turn.Chat, u.turn.Purpose, u.spent.Day, l.limit, l.unit)
}

// Provider is a model as the turn may ask it: as long as its chat's budget lasts.
func (u *TurnUsage) Provider(p providers.LLMProvider) providers.LLMProvider {
	return meteredProvider{u: u, model: p}
}

// meteredProvider looks at the budget before each request, and counts each answer.
type meteredProvider struct {
	u     *TurnUsage
	model providers.LLMProvider
}

// Chat implements [providers.LLMProvider].
func (p meteredProvider) Chat(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error) {
	return p.ask(ctx, func() (*providers.LLMResponse, error) {
		return p.model.Chat(ctx, messages, tools, model, options)
	})
}

// ChatStream implements [providers.StreamingProvider].
func (p meteredProvider) ChatStream(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any,
	emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	return p.ask(ctx, func() (*providers.LLMResponse, error) {
		return providers.Stream(ctx, p.model, messages, tools, model, options, emit)
	})
}

func (p meteredProvider) ask(ctx context.Context, request func() (*providers.LLMResponse, error)) (*providers.LLMResponse, error) {
	if err := p.u.afford(ctx); err != nil {
		return nil, err
	}
	resp, err := request()
	if err == nil && resp != nil {
		p.u.m.mu.Lock()
		defer p.u.m.mu.Unlock()
		addAnswer(&p.u.spent, resp)
	}
	return resp, err
}
