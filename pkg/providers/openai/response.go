package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/pkg/providers"
)

// decodeWhole translates an answer that came in one piece.
func decodeWhole(body []byte, a *assembly) (*providers.LLMResponse, error) {
	var c chunk
	if err := json.Unmarshal(body, &c); err != nil {
		if e, ok := parseError(body); ok {
			return nil, &providers.Error{Kind: kindOf(0, e), Code: e.code(), Message: string(e.Message)}
		}
		if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
			return nil, &providers.Error{Kind: providers.KindOverloaded, Message: "the server answered with a web page; is base_url right?"}
		}
		return nil, cut("the answer is not the JSON of a chat completion", err)
	}
	if err := frameError(body); err != nil {
		return nil, err
	}
	for i := range c.Choices {
		if m := c.Choices[i].Message; m != nil {
			for j := range m.ToolCalls { // in a whole answer each stands for itself
				m.ToolCalls[j].Index = &j
			}
		}
	}
	if err := a.add(&c); err != nil {
		return nil, err
	}
	return a.response()
}

// decodeModels translates the list of models.
func decodeModels(body []byte) ([]string, error) {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, cut("the list of models is not JSON", err)
	}
	names := make([]string, 0, len(list.Data))
	for i := range list.Data {
		if name := strings.TrimSpace(list.Data[i].ID); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

func (u *usage) translate() providers.Usage {
	out := providers.Usage{
		PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, TotalTokens: u.TotalTokens,
		CachedTokens: max(u.PromptDetails.CachedTokens, u.CacheHitTokens), ReasoningTokens: u.CompletionDetails.ReasoningTokens,
	}
	if out.TotalTokens == 0 {
		out.TotalTokens = out.PromptTokens + out.CompletionTokens
	}
	return out
}
