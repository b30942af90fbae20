package openai

import (
	"errors"
	"slices"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"parley/pkg/providers"
	"parley/pkg/providers/kinds"
)

// quirks are the manners of a model: its row in the table of kinds, and the parameters
// that it has refused besides.
type quirks struct {
	row              *kinds.Traits // shared, and never written
	noTemperature    bool
	completionTokens bool // max_tokens must be called max_completion_tokens
	noStreamOptions  bool
	reasoning        kinds.Thinking // which earlier reasoning goes back, where that was learnt
	noEffort         bool           // tools are taken only without reasoning
	noNone           bool           // the effort "none", which tools would need, is refused too
	unsaidEffort     bool           // the effort of reasoning is not known to it
	noForce          bool           // no call can be forced
	byTurns          bool           // the person and the model must speak by turns
	past             bool           // the message is of an earlier turn; never remembered
}

// sends says whether an option goes along.
func (k quirks) sends(option string) bool {
	return !slices.Contains(k.row.Refuses, option)
}

// choice is the strongest form of tool_choice that is taken.
func (k quirks) choice() kinds.Choice {
	if k.noForce && k.row.Choice.Takes(kinds.ChoiceNone) {
		return kinds.ChoiceNone
	}
	return k.row.Choice
}

// thoughts are the reasoning that goes back with a message of the model, and their
// field; an empty text is not sent.
func (k quirks) thoughts(m *providers.Message) (text string, field kinds.Field) {
	if field = k.row.ThinkingField; field == "" {
		field = kinds.FieldReasoningContent
	}
	if m.Role != providers.RoleAssistant {
		return "", field
	}
	switch k.thinking() {
	case kinds.ThinkingAlways:
		if m.Reasoning == "" {
			return unthought, field
		}
	case kinds.ThinkingGiven:
	case kinds.ThinkingTurn:
		if k.past {
			return "", field
		}
	default:
		return "", field
	}
	return m.Reasoning, field
}

// thinking says which earlier reasoning goes back.
func (k quirks) thinking() kinds.Thinking {
	if k.reasoning != "" {
		return k.reasoning
	}
	return k.row.Thinking
}

// rethink learns from a refusal that names reasoning: all of it must go back, or no part
// of it may.
func (k quirks) rethink(message string) quirks {
	unknown := func(word string) bool { return strings.Contains(message, word) }
	closed := slices.ContainsFunc([]string{"supported", "permitted", "unexpected", "unknown", "unrecognized", "extra"}, unknown)
	switch {
	case k.reasoning == kinds.ThinkingNever:
	case closed, k.thinking() == kinds.ThinkingAlways:
		k.reasoning = kinds.ThinkingNever
	default:
		k.reasoning = kinds.ThinkingAlways
	}
	return k
}

// unthought stands for the reasoning of a message without one, where a server demands
// some of every message.
const unthought = " "

// effort is the effort of reasoning that a question tells, or "".
func (k quirks) effort(q *question) string {
	if k.noEffort && !k.noNone && len(q.tools) > 0 {
		return sdk.ReasoningEffortNone
	}
	effort, _ := q.options["reasoning_effort"].(string)
	if k.unsaidEffort || !k.sends("reasoning_effort") {
		return ""
	}
	return effort
}

// learnEffort learns from a refusal that names the effort of a request with s: tools may be
// taken only without reasoning, whatever effort was told, or the word is unknown.
func (k quirks) learnEffort(s *settings, withTools bool) quirks {
	switch {
	case k.noEffort && !k.noNone && s.effort == sdk.ReasoningEffortNone:
		k.noNone = true
	case withTools && !k.noEffort:
		k.noEffort = true
	case s.effort != "":
		k.unsaidEffort = true
	}
	return k
}

// told adds a refusal of the library, which knows some models by their names.
func (k quirks) told(err error, s *settings) quirks {
	switch {
	case errors.Is(err, sdk.ErrReasoningModelMaxTokensDeprecated):
		k.completionTokens = true
	case errors.Is(err, sdk.ErrReasoningModelLimitationsOther), errors.Is(err, sdk.ErrReasoningSamplingUnsupported):
		k.noTemperature = true
	case errors.Is(err, sdk.ErrReasoningEffortUnsupported):
		k = k.learnEffort(s, false)
	case errors.Is(err, sdk.ErrReasoningToolsRequireResponses):
		k.noEffort = true
	}
	return k
}

// aboutEffort says that a refusal of a request with s names the effort of reasoning: the
// option itself, or thinking, as Ollama calls it. If the request told no effort, the
// refusal names tools, too.
func aboutEffort(message string, s *settings) bool {
	if s.effort == "" && !aboutTools(message) {
		return false
	}
	return slices.ContainsFunc([]string{"reasoning_effort", "reasoning.effort", "reasoning effort", "not support thinking", "think value"},
		func(words string) bool { return strings.Contains(message, words) })
}

func aboutTools(message string) bool { return strings.Contains(message, "tools") }

// learn adds the refusal in err about a request with s. It returns k itself if that is known
// already.
func (k quirks) learn(err error, s *settings) quirks {
	k = k.told(err, s)
	refused, ok := errors.AsType[*providers.Error](err)
	if !ok || refused.Status == 0 {
		return k
	}
	message := strings.ToLower(refused.Message)
	if aboutRoles(message) { // llama.cpp fails with the status 500 there
		k.byTurns = true
		return k
	}
	if refused.Kind != providers.KindInvalid {
		return k
	}
	switch {
	case strings.Contains(message, "stream_options") || strings.Contains(message, "include_usage"):
		k.noStreamOptions = true
	case s.limit > 0 && strings.Contains(message, "max_tokens"):
		k.completionTokens = true
	case s.temperature != 0 && strings.Contains(message, "temperature"):
		k.noTemperature = true
	case aboutEffort(message, s):
		return k.learnEffort(s, aboutTools(message))
	case strings.Contains(message, "reasoning_content"):
		return k.rethink(message)
	case s.choice.form != "" && strings.Contains(message, "tool_choice"):
		k.noForce = true
	}
	return k
}
