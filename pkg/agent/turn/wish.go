package turn

import (
	"slices"

	"parley/pkg/channels"
)

// Wish is what the turn's message asks of it. The turn of a decision has the wish of the
// turn that asked: a call that was allowed gives the model no tool that its message took
// away. Nil is no wish.
func Wish(t *Turn) *channels.Wish {
	if t.Input.Decided != nil {
		return t.Input.Decided.Wish
	}
	if in := t.Info.Items[0].Inbound; in != nil {
		return in.Wish
	}
	return nil
}

// leaves reports whether the wish leaves a tool to the turn.
func leaves(w *channels.Wish, tool string) bool {
	return w == nil || !w.NoTools && (len(w.Tools) == 0 || slices.Contains(w.Tools, tool))
}

// names reports whether a wish names its tools: they are offered at once, because the tool
// that finds the others may not be among them.
func names(w *channels.Wish) bool { return w != nil && len(w.Tools) > 0 }

// roundsFor is the limit of rounds with tools: the gateway's own, or the wish's where that
// is lower. 0 is the default of the loop.
func roundsFor(t *Turn) int {
	limit, w := t.Deps.Limits.Iterations, Wish(t)
	if w == nil || w.Rounds == 0 {
		return limit
	}
	if limit == 0 {
		limit = DefaultRounds
	}
	return min(limit, w.Rounds)
}

// DefaultRounds is the limit of rounds of a gateway that names none.
const DefaultRounds = 10

// wished is the tool choice of the wish, or the model's own.
func wished(t *Turn, own any) any {
	w := Wish(t)
	if w == nil {
		return own
	}
	switch w.Choice {
	case channels.ChoiceAuto, channels.ChoiceNone, channels.ChoiceRequired:
		return w.Choice
	case channels.ChoiceTool:
		return map[string]any{"name": w.Tool}
	default:
		return own
	}
}
