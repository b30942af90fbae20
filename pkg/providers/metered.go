package providers

import (
	"cmp"
	"context"
	"math"
)

// Prices are a model's prices, in any currency, per million tokens. Cached is the price
// of input that the server read from its cache, CacheWrite that of input that it wrote
// there; nil: that of Input. Minute is the price of a minute of sound.
type Prices struct {
	Input, Output      float64
	Cached, CacheWrite *float64
	Minute             float64
}

// of is the price of an answer, in millionths, rounded up.
func (p Prices) of(u *Usage) int64 {
	price := func(tokens int, own *float64) float64 {
		if own == nil {
			own = &p.Input
		}
		return float64(tokens) * *own
	}
	const minute, million = 60, 1e6
	plain := u.PromptTokens - u.CachedTokens - u.CacheWriteTokens
	return int64(math.Ceil(price(plain, nil) + price(u.CachedTokens, p.Cached) + price(u.CacheWriteTokens, p.CacheWrite) +
		price(u.CompletionTokens, &p.Output) + float64(u.Seconds)*p.Minute*million/minute))
}

// maxCounted is the most that is believed of one count of tokens.
const maxCounted = 1 << 30

// maxSeconds is the most that is believed of a length of sound: a day.
const maxSeconds = 24 * 60 * 60

// Metered asks p and adds the cost to each answer: it estimates tokens that the
// server did not report, and sets the money and the name of the model if they are still
// unset. It streams if p does. The cost of a request without an answer is unknown and
// counts as zero.
func Metered(p LLMProvider, name string, prices Prices) LLMProvider { return metered{p, name, prices} }

type metered struct {
	p      LLMProvider
	name   string
	prices Prices
}

func (m metered) Chat(
	ctx context.Context, messages []Message, tools []ToolDefinition, model string, options map[string]any,
) (*LLMResponse, error) {
	resp, err := m.p.Chat(ctx, messages, tools, model, options)
	return m.count(messages, tools, resp), err
}

func (m metered) ChatStream(
	ctx context.Context, messages []Message, tools []ToolDefinition,
	model string, options map[string]any, emit func(StreamEvent),
) (*LLMResponse, error) {
	resp, err := Stream(ctx, m.p, messages, tools, model, options, emit)
	return m.count(messages, tools, resp), err
}

func (m metered) count(messages []Message, tools []ToolDefinition, resp *LLMResponse) *LLMResponse {
	if resp == nil {
		return nil
	}
	own := *resp
	own.Billed = cmp.Or(own.Billed, m.name)
	u := &own.Usage
	if u.PromptTokens <= 0 {
		u.PromptTokens = estimateRequest(messages, tools)
	}
	if u.CompletionTokens <= 0 {
		u.CompletionTokens = EstimateTokens(own.Message()) + (len(own.Reasoning)+3)/4
	}
	u.PromptTokens, u.CompletionTokens = min(u.PromptTokens, maxCounted), min(u.CompletionTokens, maxCounted)
	u.CachedTokens, u.ReasoningTokens = min(max(u.CachedTokens, 0), u.PromptTokens), min(max(u.ReasoningTokens, 0), u.CompletionTokens)
	u.CacheWriteTokens = min(max(u.CacheWriteTokens, 0), u.PromptTokens-u.CachedTokens)
	u.TotalTokens, u.Seconds = u.PromptTokens+u.CompletionTokens, min(max(u.Seconds, 0), maxSeconds)
	if u.Money <= 0 {
		u.Money = m.prices.of(u)
	}
	return &own
}

// estimateRequest guesses how many tokens a request costs.
func estimateRequest(messages []Message, tools []ToolDefinition) int {
	n := 0
	for i := range messages {
		n += EstimateTokens(messages[i])
	}
	for i := range tools {
		f := &tools[i].Function
		schema := len(f.Encoded)
		if schema == 0 {
			schema = argumentBytes(f.Parameters)
		}
		n += messageTokens + (len(f.Name)+len(f.Description)+3)/4 + (schema+2)/3
	}
	return n
}
