package openai

import (
	"bytes"
	"encoding/json"
	"strings"
)

// chunk is one frame of a stream, or a whole answer, with the fields that any
// host is known to send.
type chunk struct {
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage"`
}

type choice struct {
	Index        int             `json:"index"`
	Delta        *delta          `json:"delta"`
	Message      *delta          `json:"message"`
	FinishReason looseText       `json:"finish_reason"`
	Error        json.RawMessage `json:"error"`
}

type delta struct {
	Content          looseText         `json:"content"`
	Refusal          looseText         `json:"refusal"`
	Reasoning        looseText         `json:"reasoning"`
	ReasoningContent looseText         `json:"reasoning_content"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ExtraContent     json.RawMessage   `json:"extra_content"`
	ToolCalls        []callDelta       `json:"tool_calls"`
}

type callDelta struct {
	Index        *int            `json:"index"`
	ID           looseText       `json:"id"`
	Function     functionDelta   `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

type functionDelta struct {
	Name      looseText `json:"name"`
	Arguments arguments `json:"arguments"`
}

type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	CacheHitTokens   int `json:"prompt_cache_hit_tokens"`
	PromptDetails    struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// looseText is a string that some hosts send as null, a number or a list of parts.
type looseText string

// UnmarshalJSON takes a string, null, a number, a list of strings or of parts with a text.
func (t *looseText) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return nil
	}
	switch b[0] {
	case '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*t = looseText(s)
	case '[':
		var parts []json.RawMessage
		if err := json.Unmarshal(b, &parts); err != nil {
			return err
		}
		*t = looseText(joinParts(parts))
	case '{', 'n', 't', 'f': // nothing that could be looseText
	default:
		*t = looseText(b)
	}
	return nil
}

func joinParts(parts []json.RawMessage) string {
	var b strings.Builder
	for _, part := range parts {
		var s string
		if json.Unmarshal(part, &s) == nil {
			b.WriteString(s)
			continue
		}
		var p struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(part, &p) == nil && (p.Type == "" || p.Type == "text" || p.Type == "output_text") {
			b.WriteString(p.Text)
		}
	}
	return b.String()
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
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*a = arguments(s)
	default:
		*a = arguments(b)
	}
	return nil
}
