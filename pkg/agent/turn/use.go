package turn

import (
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/budget"
	"parley/pkg/channels"
)

// newUsage is the account of a turn, which counts in the chat that it works for.
func newUsage(t *Turn) *budget.TurnUsage {
	u := accountOf(t, func() string { return personOf(t) })
	u.Steps, u.Free = t.Info.Steps, isFree(t)
	return t.Deps.Meter.Turn(u)
}

// lateUsage is an account for requests after the commit of a turn. It keeps no state of that.
func lateUsage(t *Turn) *budget.TurnUsage {
	person := personOf(t)
	u := accountOf(t, func() string { return person })
	u.Late = true
	return t.Deps.Meter.Turn(u)
}

func accountOf(t *Turn, person func() string) budget.Turn {
	return budget.Turn{
		Chat: t.Info.Chat, Payer: t.Origin.Address.Purse(), Purpose: t.kind.Purpose, Person: person,
		Began: t.Clock.Wall, Zone: t.Clock.Location, Log: t.Log,
	}
}

// personOf is the id of the person for whom the turn runs: the sender of its first message,
// or the one who asked for the work.
func personOf(t *Turn) string {
	items := t.Info.Items
	if len(t.Input.Items) > 0 { // those that the policy allows
		items = t.Input.Items
	}
	if in := items[0].Inbound; in != nil && in.Kind != channels.KindButton {
		return in.Sender.ID
	}
	return t.Principal.Sender.ID
}

// LogUse begins the line with the use of a turn.
func (t *Turn) LogUse() *zerolog.Event {
	u := t.Usage.Used()
	e := t.Log().Info().Dur("took", time.Since(t.Clock.Began)).Int("read", u.Input).Int("written", u.Output)
	if u.Cached > 0 {
		e = e.Int("cached", u.Cached)
	}
	if u.Reasoning > 0 {
		e = e.Int("reasoning", u.Reasoning)
	}
	if u.Money > 0 {
		e = e.Str("money", t.Deps.Meter.Money(u.Money))
	}
	return e
}
