package openai

import (
	"errors"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"parley/pkg/providers"
)

// quirks are the parameters that a model has refused.
type quirks struct {
	noTemperature    bool
	completionTokens bool // max_tokens must be called max_completion_tokens
	noStreamOptions  bool
	reasoning        bool // earlier reasoning must be sent back
	noEffort         bool // tools are taken only without reasoning
}

// learn adds the refusal in err about req. It returns k itself if that is known
// already.
func (k quirks) learn(err error, req sdk.ChatCompletionRequest) quirks {
	switch {
	case errors.Is(err, sdk.ErrReasoningModelMaxTokensDeprecated):
		k.completionTokens = true
	case errors.Is(err, sdk.ErrReasoningModelLimitationsOther), errors.Is(err, sdk.ErrReasoningSamplingUnsupported):
		k.noTemperature = true
	case errors.Is(err, sdk.ErrReasoningToolsRequireResponses):
		k.noEffort = true
	}
	refused, ok := errors.AsType[*providers.Error](err)
	if !ok || refused.Kind != providers.KindInvalid || refused.Status == 0 {
		return k
	}
	message := strings.ToLower(refused.Message)
	switch {
	case strings.Contains(message, "stream_options") || strings.Contains(message, "include_usage"):
		k.noStreamOptions = true
	case req.MaxTokens > 0 && //nolint:staticcheck // the name that most servers know
		strings.Contains(message, "max_tokens"):
		k.completionTokens = true
	case req.Temperature != 0 && strings.Contains(message, "temperature"):
		k.noTemperature = true
	case strings.Contains(message, "reasoning_content"):
		k.reasoning = true
	}
	return k
}
