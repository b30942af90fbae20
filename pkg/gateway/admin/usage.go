package admin

import (
	"context"

	"parley/pkg/session"
)

// Usage emits a [UsageReport] of each chat that used something on a day.
func Usage() Operation { return Operation{Name: "usage", Handle: usage} }

// UsageReport is one value of the answer to [Usage]: the use of one chat on a day.
type UsageReport struct {
	Chat string                            `json:"chat"`
	Day  string                            `json:"day"`
	Used map[session.Purpose]session.Usage `json:"used"`
	// Currency is the unit of money, in millionths.
	Currency string `json:"currency"`
}

func usage(ctx context.Context, g *Gateway, r *Request, emit Emit) error {
	return eachSession(ctx, g, func(i session.Info) error {
		if !i.Current || i.Address.Channel == session.AgentChannel { // the use of agents is their chat's
			return nil
		}
		on := r.Day
		if on == "" {
			on = g.Agent.Today(ctx, i.Chat, i.Address)
		}
		used, err := g.Engine.Chats().Spending(ctx, i.Chat, on)
		if err != nil || len(used) == 0 {
			return err
		}
		return emit(UsageReport{Chat: PlaceOf(i), Day: on, Used: used, Currency: g.Currency})
	})
}
