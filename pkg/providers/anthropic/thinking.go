package anthropic

import (
	"slices"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// way is how a model is told to think.
type way int

// The ways. The way of a model is unknown until its name or a refusal tells it.
const (
	wayUnknown way = iota
	wayEffort      // the model decides how long, guided by an effort
	wayBudget      // so many tokens
	wayNothing     // the model takes no word about it
)

// leastBudget is the smallest budget of thinking that the server takes.
const leastBudget = 1024

// budgets are the tokens of thinking for an effort.
func budgets() map[string]int64 {
	return map[string]int64{
		"minimal": leastBudget, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 24576, "max": 32768,
	}
}

// Versions of Claude at which the protocol changed: a hundred times the first number of
// the version, and the second.
const (
	versionLongAnswers = 305
	versionThinks      = 307
	versionDecides     = 406 // how long it thinks
	versionNewest      = 9999
)

// version reads the version of a Claude model from its name, such as 405 of
// claude-haiku-4-5-20251001; ok is false for other names.
func version(model string) (v int, ok bool) {
	model, _, _ = strings.Cut(model[strings.LastIndexByte(model, '/')+1:], "@")
	words, ok := strings.CutPrefix(model, "claude-")
	if !ok {
		return 0, false
	}
	const hundred = 100
	var numbers []int
	for word := range strings.SplitSeq(words, "-") {
		n, err := strconv.Atoi(word)
		switch {
		case err == nil && n < hundred: // a larger one is a date
			numbers = append(numbers, n)
		case len(numbers) > 0:
			return join(numbers), true
		}
	}
	return join(numbers), true
}

// join makes a version of its numbers; a name without any is that of a new model.
func join(numbers []int) int {
	if len(numbers) == 0 {
		return versionNewest
	}
	minor := 0
	if len(numbers) > 1 {
		minor = numbers[1]
	}
	const hundred = 100
	return numbers[0]*hundred + minor
}

// wayOf is how a model thinks, as far as its name tells.
func wayOf(model string) way {
	v, ok := version(model)
	switch {
	case !ok:
		return wayBudget // of compatible hosts
	case v < versionThinks:
		return wayNothing
	case v < versionDecides:
		return wayBudget
	default:
		return wayEffort
	}
}

// outputLimit is the longest answer if the options set no limit: the protocol requires one.
func outputLimit(model string) int64 {
	const short, usual, long = 4096, 8192, 16384
	v, ok := version(model)
	switch {
	case ok && v < versionLongAnswers:
		return short
	case !ok || v < versionThinks:
		return usual
	default:
		return long
	}
}

// think translates the option reasoning_effort, and says whether the model is asked to
// think. A forced call excludes thinking.
func think(s *sdk.MessageNewParams, q *question, known quirks, m exchange.Mark) bool {
	effort, _ := q.options["reasoning_effort"].(string)
	w := known.way
	if w == wayUnknown {
		w = wayOf(q.model)
	}
	budget, ok := budgets()[effort]
	forced := s.ToolChoice.OfAny != nil || s.ToolChoice.OfTool != nil
	switch {
	case effort == "none", forced && known.thinksByItself:
		if w != wayNothing && !known.alwaysThinks {
			s.Thinking.OfDisabled = &sdk.ThinkingConfigDisabledParam{}
			q.said = saidDisabled
		}
		return false
	case !ok || forced || w == wayNothing:
		return false
	case w == wayEffort:
		s.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
		if !known.noEffort {
			s.OutputConfig.Effort = sdk.OutputConfigEffort(strings.Replace(effort, "minimal", "low", 1))
		}
		q.said = saidAdaptive
		return true
	default:
		return budgeted(s, q, known, m, budget)
	}
}

// budgeted asks for thinking of so many tokens, at most half of the answer's. The server
// wants the answer that the results at the end belong to to begin with thinking, and the
// answer of another model does not.
func budgeted(s *sdk.MessageNewParams, q *question, known quirks, m exchange.Mark, budget int64) bool {
	if running := lastAnswer(q.messages); running != nil && (q.forgetful || !unwrap(m, running).thinks()) {
		return false
	}
	if _, told := exchange.Number(q.options["max_tokens"]); !told { // the limit is ours: add the thinking
		s.MaxTokens += budget
	}
	if known.maxTokens > 0 {
		s.MaxTokens = min(s.MaxTokens, known.maxTokens)
	}
	if budget = min(budget, s.MaxTokens/2); budget < leastBudget {
		return false
	}
	s.Thinking.OfEnabled = &sdk.ThinkingConfigEnabledParam{BudgetTokens: budget}
	q.said = saidEnabled
	return true
}

// lastAnswer is the model's answer before the tool results that end a conversation; nil if
// the conversation ends otherwise.
func lastAnswer(messages []providers.Message) *providers.Message {
	if len(messages) == 0 || messages[len(messages)-1].Role != providers.RoleTool {
		return nil
	}
	for i := range slices.Backward(messages) {
		if messages[i].Role == providers.RoleAssistant {
			return &messages[i]
		}
	}
	return nil
}
