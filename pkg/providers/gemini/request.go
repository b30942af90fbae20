package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// question is the request of one call of Chat or ChatStream.
type question struct {
	messages []providers.Message
	tools    []providers.ToolDefinition
	model    string
	options  map[string]any
	stream   bool
	emit     func(providers.StreamEvent)
}

// request translates a question. Its parts come in the order in which they change least.
func (p *Provider) request(q *question, known quirks) (*exchange.Body, error) {
	config, err := configOf(q, known)
	if err != nil {
		return nil, err
	}
	b := p.client.Body(sizeOf(q))
	b.Text = append(b.Text, '{')
	if len(q.tools) > 0 {
		tools, err := p.tools.Of(q.tools, "", encodeTools)
		if err != nil {
			return nil, err
		}
		b.Share(tools)
		choice, err := toolConfig(q.options["tool_choice"])
		if err != nil {
			return nil, err
		}
		b.Text = append(b.Text, choice...)
	}
	instructions, messages := split(q.messages)
	b.Text = appendInstructions(b.Text, instructions)
	b.Text = append(b.Text, `"contents":`...)
	c := contents{
		Body: b, form: p.form, mark: p.markOf(q.model), known: known,
		pictures: exchange.Choose(messages, p.images),
	}
	c.write(messages)
	b.Text = append(b.Text, config...)
	b.Text = append(b.Text, '}')
	return b, nil
}

// sizeOf guesses the encoded size well enough that the buffer seldom grows.
func sizeOf(q *question) int {
	const frame = 96 // of a message
	size := 1024
	for i := range q.messages {
		size += frame + len(q.messages[i].Content)*17/16
	}
	return size
}

// split takes the instructions from the beginning of a conversation. A system message
// behind it stays where it is, and so do instructions that are all of it.
func split(messages []providers.Message) (instructions, rest []providers.Message) {
	n := 0
	for n < len(messages) && messages[n].Role == providers.RoleSystem {
		n++
	}
	if n == len(messages) {
		n = 0
	}
	return messages[:n], messages[n:]
}

func appendInstructions(b []byte, instructions []providers.Message) []byte {
	n := 0
	for i := range instructions {
		if strings.TrimSpace(instructions[i].Content) == "" {
			continue
		}
		if n++; n == 1 {
			b = append(b, `"systemInstruction":{"role":"user","parts":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(b, `{"text":`...)
		b = exchange.AppendString(b, instructions[i].Content)
		b = append(b, '}')
	}
	if n > 0 {
		b = append(b, `]},`...)
	}
	return b
}

// toolConfig says whether tools may or must be called; it is empty where the model decides.
func toolConfig(v any) ([]byte, error) {
	choice, err := exchange.ToolChoice(v)
	var mode string
	switch {
	case err != nil:
		return nil, err
	case choice.Name != "":
		b := []byte(`"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":[`)
		b = exchange.AppendString(b, wireName(choice.Name))
		return append(b, `]}},`...), nil
	case choice.Word == exchange.ChoiceAuto:
		mode = "AUTO"
	case choice.Word == exchange.ChoiceNone:
		mode = "NONE"
	case choice.Word == exchange.ChoiceRequired:
		mode = "ANY"
	default:
		return nil, nil
	}
	return []byte(`"toolConfig":{"functionCallingConfig":{"mode":"` + mode + `"}},`), nil
}

// generationConfig are the settings of a request.
type generationConfig struct {
	MaxOutputTokens int             `json:"maxOutputTokens,omitempty"`
	Temperature     *float64        `json:"temperature,omitempty"`
	TopP            *float64        `json:"topP,omitempty"`
	Seed            *int            `json:"seed,omitempty"`
	StopSequences   []string        `json:"stopSequences,omitempty"`
	ThinkingConfig  *thinkingConfig `json:"thinkingConfig,omitempty"`
	MIMEType        string          `json:"responseMimeType,omitempty"`
	Schema          json.RawMessage `json:"responseJsonSchema,omitempty"`
}

type thinkingConfig struct {
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
	ThinkingBudget  *int   `json:"thinkingBudget,omitempty"`
	ThinkingLevel   string `json:"thinkingLevel,omitempty"`
}

// The server takes no more stop sequences.
const maxStops = 5

// configOf encodes the options, behind a comma; it is empty without options.
func configOf(q *question, known quirks) ([]byte, error) {
	var c generationConfig
	if n, ok := exchange.Number(q.options["max_tokens"]); ok && n > 0 {
		c.MaxOutputTokens = int(n)
	}
	if t, ok := exchange.Number(q.options["temperature"]); ok {
		c.Temperature = &t
	}
	if t, ok := exchange.Number(q.options["top_p"]); ok {
		c.TopP = &t
	}
	if n, ok := exchange.Number(q.options["seed"]); ok {
		seed := int(n)
		c.Seed = &seed
	}
	if stop, ok := q.options["stop"].([]string); ok {
		c.StopSequences = stop[:min(len(stop), maxStops)]
	}
	if format, ok := q.options["response_format"].(json.RawMessage); ok {
		c.MIMEType, c.Schema = "application/json", format
	}
	if effort, ok := q.options["reasoning_effort"].(string); ok && !known.noThinking {
		c.ThinkingConfig = thinking(q.model, effort)
	}
	b, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode the options: %w", err)
	}
	if len(b) == len("{}") {
		return nil, nil
	}
	return append([]byte(`,"generationConfig":`), b...), nil
}
