package openai

import (
	"encoding/json"
	"fmt"
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
	if q.stream && !k.noStreamOptions {
		req.StreamOptions = &sdk.StreamOptions{IncludeUsage: true}
	}
	if err := setOptions(&req, q, k); err != nil {
		return req, nil, err
	}
	messages, err := p.messages(q, k)
	return req, messages, err
}

func setOptions(req *sdk.ChatCompletionRequest, q *question, k quirks) error {
	if n, ok := number(q.options["max_tokens"]); ok && n > 0 {
		if k.completionTokens {
			req.MaxCompletionTokens = int(n)
		} else {
			req.MaxTokens = int(n) //nolint:staticcheck // the name that most servers know
		}
	}
	if t, ok := number(q.options["temperature"]); ok && !k.noTemperature {
		req.Temperature = nonzero(t)
	}
	if t, ok := number(q.options["top_p"]); ok && !k.noTemperature {
		req.TopP = nonzero(t)
	}
	if n, ok := number(q.options["seed"]); ok {
		seed := int(n)
		req.Seed = &seed
	}
	if stop, ok := q.options["stop"].([]string); ok {
		req.Stop = stop
	}
	if effort, ok := q.options["reasoning_effort"].(string); ok {
		req.ReasoningEffort = effort
	}
	if k.noEffort {
		req.ReasoningEffort = sdk.ReasoningEffortNone
	}
	if len(q.tools) == 0 { // servers refuse a choice without tools
		return nil
	}
	var err error
	req.ToolChoice, err = toolChoice(q.options["tool_choice"])
	return err
}

// nonzero is v for a field that go-openai leaves out at 0.
func nonzero(v float64) float32 {
	if v == 0 {
		return math.SmallestNonzeroFloat32
	}
	return float32(v)
}

// number reads an option that may have come from code or from JSON.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float32:
		return float64(v), true
	case float64:
		return v, true
	default:
		return 0, false
	}
}

func toolChoice(v any) (any, error) {
	name := ""
	switch v := v.(type) {
	case nil:
		return nil, nil //nolint:nilnil // no choice is a choice, and goes unsaid
	case string:
		if v == "auto" || v == "none" || v == "required" {
			return v, nil
		}
	case map[string]any:
		name, _ = v["name"].(string)
	case map[string]string:
		name = v["name"]
	}
	if name == "" {
		return nil, &providers.Error{
			Kind:    providers.KindInvalid,
			Message: fmt.Sprintf("tool_choice %v is none of auto, none, required and {name}", v),
		}
	}
	return sdk.ToolChoice{Type: sdk.ToolTypeFunction, Function: sdk.ToolFunction{Name: name}}, nil
}

func message(m *providers.Message, k quirks) sdk.ChatCompletionMessage {
	out := sdk.ChatCompletionMessage{Role: m.Role, Content: m.Content}
	switch m.Role {
	case providers.RoleAssistant:
		out.ToolCalls = callsOf(m.ToolCalls)
		if k.reasoning {
			out.ReasoningContent = m.Reasoning
		}
	case providers.RoleTool:
		out.ToolCallID = m.ToolCallID
		if out.Content == "" {
			out.Content = noOutput
		}
	}
	return out
}

func callsOf(calls []providers.ToolCall) []sdk.ToolCall {
	if len(calls) == 0 {
		return nil
	}
	out := make([]sdk.ToolCall, len(calls))
	for i := range calls {
		out[i] = sdk.ToolCall{
			ID: calls[i].ID, Type: sdk.ToolTypeFunction,
			Function: sdk.FunctionCall{Name: calls[i].Name, Arguments: argumentsText(&calls[i])},
		}
	}
	return out
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
