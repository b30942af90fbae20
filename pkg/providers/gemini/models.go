package gemini

import "strings"

// family is the name of a model without its folder: gemini-2.5-pro of models/gemini-2.5-pro.
func family(model string) string { return model[strings.LastIndexByte(model, '/')+1:] }

// older says whether a model is from the generations before 3, which take a budget of
// thoughts instead of a level and check no signatures.
func older(model string) bool {
	name := family(model)
	return strings.HasPrefix(name, "gemini-1") || strings.HasPrefix(name, "gemini-2")
}

// thinks says whether a model takes settings about its thoughts.
func thinks(model string) bool {
	name := family(model)
	return strings.HasPrefix(name, "gemini-") && (!older(model) || strings.HasPrefix(name, "gemini-2.5"))
}

// thinking translates an effort; nil where the model has no such setting.
func thinking(model, effort string) *thinkingConfig {
	if !thinks(model) {
		return nil
	}
	if effort == "xhigh" {
		effort = "high"
	}
	pro := strings.Contains(family(model), "pro")
	least := effort == "none" || effort == "minimal"
	if older(model) {
		// The budgets of Google's own OpenAI-compatible endpoint. The larger models of
		// this generation cannot do without thoughts.
		budget, known := map[string]int{"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576}[effort]
		if !known || effort == "none" && pro {
			return nil
		}
		return &thinkingConfig{IncludeThoughts: budget > 0, ThinkingBudget: &budget}
	}
	if least {
		if pro {
			effort = "low"
		} else {
			effort = "minimal"
		}
	}
	switch effort {
	case "minimal", "low", "medium", "high":
		return &thinkingConfig{IncludeThoughts: !least, ThinkingLevel: strings.ToUpper(effort)}
	default:
		return nil
	}
}
