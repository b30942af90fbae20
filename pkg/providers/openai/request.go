package openai

import (
	"encoding/json"
	"math"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// noOutput stands for an empty tool result, whose content the library would leave out.
const noOutput = "(no output)"

// request translates a question. Its messages come apart: see messages.go.
func (p *Provider) request(q *question, k quirks) (sdk.ChatCompletionRequest, *exchange.Body, error) {
	req := sdk.ChatCompletionRequest{Model: q.model, Stream: q.stream}
	if q.stream && !k.noStreamOptions && k.sends("stream_options") {
		req.StreamOptions = &sdk.StreamOptions{IncludeUsage: true}
	}
	if err := setOptions(&req, q, k); err != nil {
		return req, nil, err
	}
	messages, err := p.messages(q, k)
	return req, messages, err
}

func setOptions(req *sdk.ChatCompletionRequest, q *question, k quirks) error {
	setLimits(req, q, k)
	if stop, ok := q.options["stop"].([]string); ok && k.sends("stop") {
		req.Stop = stop
	}
	if effort, ok := q.options["reasoning_effort"].(string); ok && k.sends("reasoning_effort") {
		req.ReasoningEffort = effort
	}
	if k.noEffort {
		req.ReasoningEffort = sdk.ReasoningEffortNone
	}
	if schema, ok := q.options["response_format"].(json.RawMessage); ok && k.sends("response_format") {
		req.ResponseFormat = &sdk.ChatCompletionResponseFormat{
			Type:       sdk.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &sdk.ChatCompletionResponseFormatJSONSchema{Name: "reply", Schema: schema},
		}
	}
	if len(q.tools) == 0 { // servers refuse a choice without tools
		return nil
	}
	choice, err := toolChoice(q.options["tool_choice"])
	if err != nil {
		return err
	}
	req.ToolChoice = q.offer(choice, k.choice())
	return nil
}

// setLimits sets the options that are numbers.
func setLimits(req *sdk.ChatCompletionRequest, q *question, k quirks) {
	if n, ok := exchange.Number(q.options["max_tokens"]); ok && n > 0 {
		if k.completionTokens {
			req.MaxCompletionTokens = int(n)
		} else {
			req.MaxTokens = int(n) //nolint:staticcheck // the name that most servers know
		}
	}
	if t, ok := exchange.Number(q.options["temperature"]); ok && !k.noTemperature && k.sends("temperature") {
		req.Temperature = nonzero(t)
	}
	if t, ok := exchange.Number(q.options["top_p"]); ok && !k.noTemperature && k.sends("top_p") {
		req.TopP = nonzero(t)
	}
	if n, ok := exchange.Number(q.options["seed"]); ok && k.sends("seed") {
		seed := int(n)
		req.Seed = &seed
	}
}

// nonzero is v for a field that go-openai leaves out at 0.
func nonzero(v float64) float32 {
	if v == 0 {
		return math.SmallestNonzeroFloat32
	}
	return float32(v)
}

// argumentsText gives the arguments as the model wrote them if that is an object.
// Undecodable ones are left out: servers that parse them fail.
func argumentsText(c *providers.ToolCall) string {
	if c.BadArguments != "" {
		return "{}"
	}
	if raw := strings.TrimSpace(c.RawArguments); strings.HasPrefix(raw, "{") && json.Valid([]byte(raw)) {
		return c.RawArguments
	}
	b, err := json.Marshal(c.Arguments)
	if err != nil || c.Arguments == nil {
		return "{}"
	}
	return string(b)
}
