package command

import (
	"fmt"
	"slices"
	"strings"

	"parley/pkg/agent/turn"
	"parley/pkg/policy"
	"parley/pkg/text"
)

// usualModel is the word that takes a chat's choice back, unless a model has that name.
const usualModel = "default"

// model answers /model: it names the model of the chat and those to choose from, and with
// a name it chooses. A choice needs the level write.
func (h *commandTurn) model(re *turn.Reply) {
	now := turn.ModelOf(h.T, turn.RoleChat)
	choices := h.T.Deps.Models.Choices()
	may := h.T.Principal.Level.Allows(policy.LevelWrite)
	switch {
	case len(choices) == 0:
		re.Text = fmt.Sprintf(textModel, now.Name)
	case h.arg == "":
		re.Text = h.models(choices, now.Name, may)
	case !may:
		re.Text = fmt.Sprintf(textModelLevel, now.Name, h.T.Principal.Level)
	default:
		h.choose(re, choices)
	}
}

// choose makes the choice that the argument names.
func (h *commandTurn) choose(re *turn.Reply, choices []turn.Choice) {
	i := slices.IndexFunc(choices, func(c turn.Choice) bool { return strings.EqualFold(c.Name, h.arg) })
	name := ""
	switch {
	case i >= 0:
		name = choices[i].Name
	case !strings.EqualFold(h.arg, usualModel):
		re.Text = fmt.Sprintf(textModelUnknown, text.ClipBytes(h.arg, 64), listed(choices, ""))
		return
	}
	re.Model = &name
	re.Text = fmt.Sprintf(textModelChosen, h.T.Deps.Models.For(turn.RoleChat, h.T.Origin.Address, name).Name)
}

// models tells the model that answers, and those to choose from where the person may.
func (h *commandTurn) models(choices []turn.Choice, now string, may bool) string { //nolint:revive // flag-parameter: it is a right
	chosen := h.T.Info.Model
	var b strings.Builder
	fmt.Fprintf(&b, textModelNow, now)
	if chosen != "" && !slices.ContainsFunc(choices, func(c turn.Choice) bool { return c.Name == chosen }) {
		fmt.Fprintf(&b, textModelGone, chosen)
	}
	if may {
		fmt.Fprintf(&b, textModelChoices, listed(choices, chosen), h.T.Typed("model"), h.T.Typed("model")+" "+usualModel)
	}
	return b.String()
}

// listed are choices in lines; the chosen one has a mark.
func listed(choices []turn.Choice, chosen string) string {
	lines := make([]string, len(choices))
	for i, c := range choices {
		lines[i] = "- `" + c.Name + "` - " + c.Model
		if c.Name == chosen {
			lines[i] += textModelMark
		}
	}
	return strings.Join(lines, "\n")
}
