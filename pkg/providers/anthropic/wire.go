package anthropic

import (
	"encoding/json"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// The kinds of a block.
const (
	kindText     = "text"
	kindThinking = "thinking"
	kindRedacted = "redacted_thinking"
	kindCall     = "tool_use"
)

// frame is one event of a stream.
type frame struct {
	Type    string          `json:"type"`
	Message *message        `json:"message"`
	Index   int             `json:"index"`
	Block   json.RawMessage `json:"content_block"`
	Delta   delta           `json:"delta"`
	Usage   *usage          `json:"usage"`
}

// delta is a piece of a block, or of the message's end.
type delta struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Thinking    string          `json:"thinking"`
	Signature   string          `json:"signature"`
	PartialJSON string          `json:"partial_json"`
	Citation    json.RawMessage `json:"citation"`
	StopReason  string          `json:"stop_reason"`
	StopDetails *stopDetails    `json:"stop_details"`
}

// stopDetails say why a model refused.
type stopDetails struct {
	Category    string `json:"category"`
	Explanation string `json:"explanation"`
}

// message is a whole answer, or the beginning of a streamed one.
type message struct {
	Type        string             `json:"type"`
	Model       exchange.LooseText `json:"model"`
	Content     []json.RawMessage  `json:"content"`
	StopReason  string             `json:"stop_reason"`
	StopDetails *stopDetails       `json:"stop_details"`
	Usage       *usage             `json:"usage"`
}

// blockStart are the fields of a block that are of use to the gateway.
type blockStart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
}

// usage counts tokens. The frames of a stream repeat some counts, and leave out others.
type usage struct {
	Input        *exchange.Count `json:"input_tokens"`
	CacheWritten *exchange.Count `json:"cache_creation_input_tokens"`
	CacheRead    *exchange.Count `json:"cache_read_input_tokens"`
	Output       *exchange.Count `json:"output_tokens"`
	Details      *struct {
		Thinking exchange.Count `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// UnmarshalJSON keeps the counts that it finds.
func (u *usage) UnmarshalJSON(b []byte) error {
	type plain usage
	_ = json.Unmarshal(b, (*plain)(u)) // a count of another form is unknown
	return nil
}

// counts are the tokens of one request.
type counts struct{ input, cacheWritten, cacheRead, output, thinking int }

// add takes the counts that a frame has; they are totals.
func (c *counts) add(u *usage) {
	if u == nil {
		return
	}
	for _, f := range []struct {
		to   *int
		from *exchange.Count
	}{{&c.input, u.Input}, {&c.cacheWritten, u.CacheWritten}, {&c.cacheRead, u.CacheRead}, {&c.output, u.Output}} {
		if f.from != nil {
			*f.to = int(*f.from)
		}
	}
	if u.Details != nil {
		c.thinking = int(u.Details.Thinking)
	}
}

// addTo adds the request to the sum of an answer. The protocol counts the parts of the
// prompt apart: those that were read from the cache, those written to it, and the rest.
func (c *counts) addTo(sum *providers.Usage) {
	prompt := c.input + c.cacheWritten + c.cacheRead
	sum.PromptTokens += prompt
	sum.CompletionTokens += c.output
	sum.TotalTokens += prompt + c.output
	sum.CachedTokens += c.cacheRead
	sum.CacheWriteTokens += c.cacheWritten
	sum.ReasoningTokens += c.thinking
}
