package exchange

import (
	"fmt"

	"parley/pkg/providers"
)

// Number reads an option that may have come from code or from JSON.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float32:
		return float64(v), true
	case float64:
		return v, true
	default:
		return 0, false
	}
}

// The words of a [Choice].
const (
	ChoiceAuto     = "auto"
	ChoiceNone     = "none"
	ChoiceRequired = "required"
)

// Choice is the option tool_choice: one of the words, or the name of the tool to call. The
// zero value leaves it to the server.
type Choice struct{ Word, Name string }

// ToolChoice reads the option tool_choice; another value than the documented ones is an
// error of KindInvalid.
func ToolChoice(v any) (Choice, error) {
	name := ""
	switch v := v.(type) {
	case nil:
		return Choice{}, nil
	case string:
		if v == ChoiceAuto || v == ChoiceNone || v == ChoiceRequired {
			return Choice{Word: v}, nil
		}
	case map[string]any:
		name, _ = v["name"].(string)
	case map[string]string:
		name = v["name"]
	}
	if name == "" {
		return Choice{}, &providers.Error{
			Kind:    providers.KindInvalid,
			Message: fmt.Sprintf("tool_choice %v is none of auto, none, required and {name}", v),
		}
	}
	return Choice{Name: name}, nil
}
