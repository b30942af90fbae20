package openai

import (
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// decodeWhole translates an answer that came in one piece.
func decodeWhole(x *exchange.Exchange, a *assembly) (*providers.LLMResponse, error) {
	var c chunk
	if err := x.Decode("the answer", &c); err != nil {
		return nil, err
	}
	for i := range c.Choices {
		if m := c.Choices[i].Message; m != nil {
			for j := range m.ToolCalls { // in a whole answer each stands for itself
				own := exchange.Count(j)
				m.ToolCalls[j].Index = &own
			}
		}
	}
	if err := a.add(&c); err != nil {
		return nil, err
	}
	return a.response()
}

// ending gives a finish reason in the words of room providers. The answer is not whole where
// the server tells so that it broke it off.
func ending(finish string) (reason string, whole bool) {
	switch finish {
	case "error", "network_error", "insufficient_system_resource", "abort", "aborted":
		return finish, false
	case "sensitive":
		return providers.FinishContentFilter, true
	case "model_length", "max_tokens", "model_context_window_exceeded":
		return providers.FinishLength, true
	default:
		return finish, true
	}
}

// decodeModels translates the list of models.
func decodeModels(x *exchange.Exchange) ([]string, error) {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := x.Decode("the list of models", &list); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(list.Data))
	for i := range list.Data {
		if name := strings.TrimSpace(list.Data[i].ID); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// translate counts reasoning as a part of the answer, as the bill does. Some servers, such
// as xAI's, count it apart, and only their total tells.
func (u *usage) translate() providers.Usage {
	out := providers.Usage{
		PromptTokens: int(u.PromptTokens), CompletionTokens: int(u.CompletionTokens), TotalTokens: int(u.TotalTokens),
		CachedTokens:     int(max(u.PromptDetails.CachedTokens, u.CacheHitTokens)),
		ReasoningTokens:  int(u.CompletionDetails.ReasoningTokens),
		CacheWriteTokens: int(u.PromptDetails.CacheWriteTokens),
	}
	if apart := out.TotalTokens - out.PromptTokens - out.CompletionTokens; out.ReasoningTokens > 0 && apart == out.ReasoningTokens {
		out.CompletionTokens += out.ReasoningTokens
	}
	if out.TotalTokens == 0 {
		out.TotalTokens = out.PromptTokens + out.CompletionTokens
	}
	return out
}
