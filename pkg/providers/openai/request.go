package openai

import (
	"encoding/json"
	"math"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// noOutput stands for an empty tool result: the library would leave out its content.
const noOutput = "(no output)"

// settings are the fields of a request beside its conversation and its tools. They are
// comparable: those of most requests are equal to those of the one before.
type settings struct {
	model string
	// stream asks for a stream, and usage for the count of tokens at its end.
	stream, usage bool
	// limit is max_tokens, newLimit its newer name; 0 is no limit.
	limit, newLimit int
	// temperature and topP are left out at 0.
	temperature, topP float32
	effort            string
	choice            demand
	// apart says that the choice goes along without the library, which refuses it for the model.
	apart bool
	// seldom are those that few requests have; nil for most.
	seldom *seldom
}

// seldom are settings that are not kept.
type seldom struct {
	stop   []string
	seed   *int
	format json.RawMessage
	strict bool // of the format
}

// request translates a question: its settings, and its conversation with the tools.
func (p *Provider) request(q *question, k quirks) (settings, *exchange.Body, error) {
	s := settings{model: q.model, stream: q.stream, usage: q.stream && !k.noStreamOptions && k.sends("stream_options")}
	if err := s.set(q, k); err != nil {
		return s, nil, err
	}
	body, err := p.messages(q, k)
	return s, body, err
}

// set reads the options of a question.
func (s *settings) set(q *question, k quirks) error {
	s.setNumbers(q, k)
	s.effort = k.effort(q)
	var few seldom
	if stop, ok := q.options["stop"].([]string); ok && k.sends("stop") {
		few.stop = stop
	}
	if n, ok := exchange.Number(q.options["seed"]); ok && k.sends("seed") {
		seed := int(n)
		few.seed = &seed
	}
	if schema, ok := q.options["response_format"].(json.RawMessage); ok && k.sends("response_format") {
		few.format = schema
		few.strict, _ = q.options["response_strict"].(bool)
	}
	if few.stop != nil || few.seed != nil || few.format != nil {
		s.seldom = &few
	}
	if len(q.tools) == 0 { // servers refuse a choice without tools
		return nil
	}
	choice, err := toolChoice(q.options["tool_choice"])
	if err != nil {
		return err
	}
	s.choice = q.offer(choice, k.choice())
	s.apart = k.noNone && s.choice.form != ""
	return nil
}

// setNumbers reads the options that are numbers.
func (s *settings) setNumbers(q *question, k quirks) {
	if n, ok := exchange.Number(q.options["max_tokens"]); ok && n > 0 {
		if k.completionTokens {
			s.newLimit = int(n)
		} else {
			s.limit = int(n)
		}
	}
	if t, ok := exchange.Number(q.options["temperature"]); ok && !k.noTemperature && k.sends("temperature") {
		s.temperature = nonzero(t)
	}
	if t, ok := exchange.Number(q.options["top_p"]); ok && !k.noTemperature && k.sends("top_p") {
		s.topP = nonzero(t)
	}
}

// library gives the settings as go-openai has them.
func (s *settings) library() sdk.ChatCompletionRequest {
	req := sdk.ChatCompletionRequest{
		Model: s.model, Stream: s.stream, MaxCompletionTokens: s.newLimit,
		MaxTokens:   s.limit, //nolint:staticcheck // the name that most servers know
		Temperature: s.temperature, TopP: s.topP, ReasoningEffort: s.effort,
	}
	if s.usage {
		req.StreamOptions = &sdk.StreamOptions{IncludeUsage: true}
	}
	if s.choice.form != "" && !s.apart {
		req.ToolChoice = s.choice.wire()
	}
	if s.seldom == nil {
		return req
	}
	req.Stop, req.Seed = s.seldom.stop, s.seldom.seed
	if s.seldom.format != nil {
		req.ResponseFormat = &sdk.ChatCompletionResponseFormat{
			Type:       sdk.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &sdk.ChatCompletionResponseFormatJSONSchema{Name: "reply", Schema: s.seldom.format, Strict: s.seldom.strict},
		}
	}
	return req
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
