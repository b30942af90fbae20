package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/pkg/providers/internal/exchange"
)

// chunk is one frame of a stream, or a whole answer, with the fields that any
// host is known to send.
type chunk struct {
	Model   exchange.LooseText `json:"model"`
	Choices []choice           `json:"choices"`
	Usage   *usage             `json:"usage"`
}

type choice struct {
	Index        exchange.Count     `json:"index"`
	Delta        *delta             `json:"delta"`
	Message      *delta             `json:"message"`
	FinishReason exchange.LooseText `json:"finish_reason"`
	Error        json.RawMessage    `json:"error"`
}

type delta struct {
	Content          content            `json:"content"`
	Refusal          exchange.LooseText `json:"refusal"`
	Reasoning        exchange.LooseText `json:"reasoning"`
	ReasoningContent exchange.LooseText `json:"reasoning_content"`
	ReasoningDetails pieces             `json:"reasoning_details"`
	ExtraContent     json.RawMessage    `json:"extra_content"`
	ToolCalls        []callDelta        `json:"tool_calls"`
}

// content is the text of an answer. Mistral sends reasoning in it, as parts of their own.
type content struct{ text, thinking exchange.LooseText }

// UnmarshalJSON takes all that [exchange.LooseText] takes, and parts of reasoning.
func (c *content) UnmarshalJSON(b []byte) error {
	if err := c.text.UnmarshalJSON(b); err != nil || !bytes.HasPrefix(b, []byte("[")) {
		return err
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	var thinking strings.Builder
	for _, raw := range parts {
		var part struct {
			Type     string             `json:"type"`
			Thinking exchange.LooseText `json:"thinking"`
		}
		if json.Unmarshal(raw, &part) == nil && part.Type == "thinking" {
			thinking.WriteString(string(part.Thinking))
		}
	}
	c.thinking = exchange.LooseText(thinking.String())
	return nil
}

// pieces are those of a list; a value of another form counts as an empty list.
type pieces []json.RawMessage

// UnmarshalJSON takes a list, and anything else for an empty one.
func (p *pieces) UnmarshalJSON(b []byte) error {
	if *p = nil; bytes.HasPrefix(b, []byte("[")) {
		return json.Unmarshal(b, (*[]json.RawMessage)(p))
	}
	return nil
}

type callDelta struct {
	Index        *exchange.Count    `json:"index"`
	ID           exchange.LooseText `json:"id"`
	Function     functionDelta      `json:"function"`
	ExtraContent json.RawMessage    `json:"extra_content"`
}

type functionDelta struct {
	Name      exchange.LooseText `json:"name"`
	Arguments arguments          `json:"arguments"`
}

type usage struct {
	PromptTokens     exchange.Count `json:"prompt_tokens"`
	CompletionTokens exchange.Count `json:"completion_tokens"`
	TotalTokens      exchange.Count `json:"total_tokens"`
	CacheHitTokens   exchange.Count `json:"prompt_cache_hit_tokens"`
	PromptDetails    struct {
		CachedTokens     exchange.Count `json:"cached_tokens"`
		CacheWriteTokens exchange.Count `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens exchange.Count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// UnmarshalJSON keeps the counts that it finds.
func (u *usage) UnmarshalJSON(b []byte) error {
	type plain usage
	_ = json.Unmarshal(b, (*plain)(u)) // a count of another form is unknown
	return nil
}

// arguments are a string of JSON that some hosts send as the object itself.
type arguments string

// UnmarshalJSON keeps a string's content, and the text of anything else but null.
func (a *arguments) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0 || string(b) == "null":
		return nil
	case b[0] == '"':
		s, err := exchange.Unquote(b)
		if err != nil {
			return err
		}
		*a = arguments(s)
	default:
		*a = arguments(b)
	}
	return nil
}
