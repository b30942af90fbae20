package command

import (
	"fmt"
	"slices"
	"strings"

	"parley/pkg/agent/turn"
	"parley/pkg/policy"
	"parley/pkg/text"
)

// usualModel is the word that takes a chat's choice back. The configuration gives that name
// to no other model than the one that answers then.
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
		re.Text = h.models(choices, now.Title(), may)
	case !may:
		re.Text = fmt.Sprintf(textModelLevel, now.Title(), h.T.Principal.Level)
	default:
		h.choose(re, choices)
	}
}

// choose makes the choice that the argument names.
func (h *commandTurn) choose(re *turn.Reply, choices []turn.Choice) {
	i := choiceNamed(choices, h.arg)
	name := ""
	switch {
	case strings.EqualFold(h.arg, usualModel):
	case i < 0:
		re.Text = fmt.Sprintf(textModelUnknown, text.ClipBytes(h.arg, 64), h.listed(choices))
		return
	default:
		name = choices[i].Name
	}
	re.Model = &name
	re.Text = fmt.Sprintf(textModelChosen, h.answersWith(name).Title())
}

// choiceNamed is the place of the choice with a name, or -1: the one that is written so, or else the
// first that differs in upper and lower case alone.
func choiceNamed(choices []turn.Choice, name string) int {
	if i := slices.IndexFunc(choices, func(c turn.Choice) bool { return c.Name == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(choices, func(c turn.Choice) bool { return strings.EqualFold(c.Name, name) })
}

// answersWith is the model that answers here after a choice, "" for none.
func (h *commandTurn) answersWith(choice string) turn.Model {
	return h.T.Deps.Models.For(turn.RoleChat, h.T.Origin.Address, choice)
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
		fmt.Fprintf(&b, textModelChoices, h.listed(choices), h.T.Typed("model"), h.T.Typed("model")+" "+usualModel)
	}
	return b.String()
}

// listed are choices in lines, with marks at the one that this chat has chosen and the one
// that answers without a choice.
func (h *commandTurn) listed(choices []turn.Choice) string {
	usual := h.answersWith("").Choice
	lines := make([]string, len(choices))
	for i, c := range choices {
		var marks []string
		if c.Name == usual {
			marks = append(marks, textModelDefault)
		}
		if c.Name == h.T.Info.Model {
			marks = append(marks, textModelMark)
		}
		lines[i] = "- `" + c.Name + "` - " + c.Model
		if len(marks) > 0 {
			lines[i] += " (" + strings.Join(marks, ", ") + ")"
		}
	}
	return strings.Join(lines, "\n")
}
