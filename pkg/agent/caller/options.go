package caller

import (
	"slices"

	"parley/pkg/channels"
)

// Leaves reports whether the wish leaves a tool of the gateway to the turn.
func Leaves(w *channels.Wish, tool string) bool {
	return w == nil || !w.NoTools && (len(w.Tools) == 0 || slices.Contains(w.Tools, tool) || binds(w, tool)) && !Runs(w, tool)
}

// Names reports whether a wish names its tools: they are offered at once, because the tool
// that finds the others may not be among them.
func Names(w *channels.Wish) bool { return w != nil && len(w.Tools) > 0 }

// Rounds is the limit of rounds with tools: the gateway's own, or the wish's where that
// is lower. 0 is the default of the loop.
func Rounds(limit int, w *channels.Wish) int {
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

// Choice is the tool choice of the wish, or the model's own.
func Choice(w *channels.Wish, own any) any {
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

// Demands reports whether the wish has the model call a tool.
func Demands(w *channels.Wish) bool {
	return w != nil && (w.Choice == channels.ChoiceRequired || w.Choice == channels.ChoiceTool)
}

// Format adds the form of the answer that the wish asks for to the options of a request.
func Format(w *channels.Wish, options map[string]any) {
	if w == nil || len(w.Schema) == 0 {
		return
	}
	options["response_format"] = w.Schema
	if w.Strict {
		options["response_strict"] = true
	}
}

// Model is the name of the choice of a model: the wish's, or else that of the chat.
func Model(w *channels.Wish, chosen string) string {
	if w == nil || w.Model == "" {
		return chosen
	}
	return w.Model
}
