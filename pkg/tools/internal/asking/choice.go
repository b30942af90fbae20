package asking

import (
	"errors"
	"fmt"
	"maps"

	"parley/pkg/text"
)

// toolChoice is the option that says whether the model may, must or must not call.
const toolChoice = "tool_choice"

// The words of [toolChoice].
const (
	choiceAuto     = "auto"
	choiceNone     = "none"
	choiceRequired = "required"
)

// Choice is the caller's tool_choice.
type Choice struct {
	value any  // for the first round
	stays bool // holds for the other rounds too
}

// ChoiceOf checks the tool_choice of the options against the tools that are offered.
func ChoiceOf(options map[string]any, offersAny func() bool, offers func(name string) bool) (Choice, error) {
	value, ok := options[toolChoice]
	if !ok || value == nil {
		return Choice{}, nil
	}
	name := ""
	switch v := value.(type) {
	case string:
		switch v {
		case choiceAuto, choiceNone:
			return Choice{value: v, stays: true}, nil
		case choiceRequired:
			if !offersAny() {
				return Choice{}, errors.New("tools: tool_choice is required, and no tool is offered")
			}
			return Choice{value: v}, nil
		}
		return Choice{}, fmt.Errorf("tools: tool_choice %q is none of auto, none, required or a name", text.ClipBytes(v, 64))
	case map[string]any:
		name, _ = v["name"].(string)
	case map[string]string:
		name = v["name"]
	}
	if name == "" {
		return Choice{}, errors.New("tools: tool_choice names no tool")
	}
	if !offers(name) {
		return Choice{}, fmt.Errorf("tools: tool_choice names %q, which is not offered", text.ClipBytes(name, 64))
	}
	return Choice{value: map[string]any{"name": name}}, nil
}

// Name is the tool that must be called in the first round, or "".
func (c Choice) Name() string {
	one, _ := c.value.(map[string]any)
	name, _ := one["name"].(string)
	return name
}

// options are those of the round, with its tool_choice.
func (q *Question) options() map[string]any {
	value := q.Choice.value
	if q.Round > 1 && !q.Choice.stays && !q.Sought {
		value = nil
	}
	if q.Last {
		value = choiceNone
	}
	if len(q.Tools) == 0 {
		value = nil
	}
	if _, chosen := q.Options[toolChoice]; !chosen && value == nil {
		return q.Options
	}
	options := maps.Clone(q.Options)
	delete(options, toolChoice)
	if value != nil {
		if options == nil {
			options = map[string]any{}
		}
		options[toolChoice] = value
	}
	return options
}
