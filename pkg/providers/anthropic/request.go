package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// vertexVersion is the version of the protocol that Vertex AI reads in the body.
const vertexVersion = "vertex-2023-10-16"

// request translates a question: its conversation as the beginning of an object, and its
// settings, which the SDK encodes as the rest.
func (p *Provider) request(q *question, known quirks, a *answer) (sdk.MessageNewParams, *exchange.Body, error) {
	instructions, rest := split(q.messages)
	tools, silent := q.tools, false
	if len(tools) == 0 {
		tools, silent = called(rest), true
	}
	settings, err := p.settings(q, known)
	if err != nil {
		return settings, nil, err
	}
	if silent {
		settings.ToolChoice = sdk.ToolChoiceUnionParam{}
		if len(tools) > 0 {
			settings.ToolChoice.OfNone = &sdk.ToolChoiceNoneParam{}
		}
	}
	unfinished, err := a.unfinished()
	if err != nil {
		return settings, nil, err
	}
	b := p.server.Body(sizeOf(q))
	b.Text = append(b.Text, '{')
	if p.form != "" {
		b.Text = append(b.Text, `"anthropic_version":"`+vertexVersion+`",`...)
	}
	if q.stream {
		b.Text = append(b.Text, `"stream":true,`...)
	}
	if len(tools) > 0 {
		shared, err := p.tools.Of(tools, known.marker(), encodeTools)
		if err != nil {
			return settings, nil, err
		}
		b.Text = append(b.Text, `"tools":`...)
		b.Share(shared)
		b.Text = append(b.Text, ',')
	}
	b.Text = appendInstructions(b.Text, instructions, known.marker())
	b.Text = append(b.Text, `"messages":`...)
	w := writer{
		Body: b, mark: p.markOf(q.model), pictures: exchange.Choose(rest, p.opts.Images),
		known: known, forgetful: q.forgetful,
	}
	w.write(rest, unfinished)
	return settings, b, nil
}

// sizeOf guesses the encoded size well enough that the buffer seldom grows.
func sizeOf(q *question) int {
	const frame = 80 // of a message
	const rest = 512 // as the SDK writes them
	size := frame + rest
	for i := range q.messages {
		size += frame + len(q.messages[i].Content)*17/16
	}
	return size
}

// split takes the instructions out of a conversation: the protocol has them apart.
func split(messages []providers.Message) (instructions []string, rest []providers.Message) {
	n := 0
	for n < len(messages) && messages[n].Role == providers.RoleSystem {
		instructions = append(instructions, messages[n].Content)
		n++
	}
	rest = messages[n:]
	for i := range rest {
		if rest[i].Role == providers.RoleSystem {
			return splitAll(messages)
		}
	}
	return instructions, rest
}

// splitAll takes out instructions that stand in the middle, too.
func splitAll(messages []providers.Message) (instructions []string, rest []providers.Message) {
	for i := range messages {
		if messages[i].Role == providers.RoleSystem {
			instructions = append(instructions, messages[i].Content)
		} else {
			rest = append(rest, messages[i])
		}
	}
	return instructions, rest
}

// appendInstructions writes the field "system", with a marker for the cache at its end.
func appendInstructions(b []byte, instructions []string, marker string) []byte {
	n := 0
	for _, text := range instructions {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if n++; n == 1 {
			b = append(b, `"system":[`...)
		} else {
			b = append(b, `},`...)
		}
		b = append(b, `{"type":"text","text":`...)
		b = exchange.AppendString(b, text)
	}
	if n == 0 {
		return b
	}
	return append(append(b, marker...), `}],`...)
}

// settings translates the options.
func (p *Provider) settings(q *question, known quirks) (sdk.MessageNewParams, error) {
	var s sdk.MessageNewParams
	if p.form == "" { // else the model is in the path
		s.Model = q.model
	}
	if len(q.tools) > 0 { // servers refuse a choice without tools
		choice, err := toolChoice(q.options["tool_choice"])
		if err != nil {
			return s, err
		}
		s.ToolChoice = choice
	}
	if stop, ok := q.options["stop"].([]string); ok {
		for _, word := range stop { // a blank one is refused
			if strings.TrimSpace(word) != "" {
				s.StopSequences = append(s.StopSequences, word)
			}
		}
	}
	if schema := answerSchema(q.options["response_format"]); schema != nil {
		s.OutputConfig.Format = sdk.JSONOutputFormatParam{Schema: schema}
	}
	s.MaxTokens = outputLimit(q.model)
	if n, ok := exchange.Number(q.options["max_tokens"]); ok && n > 0 {
		s.MaxTokens = int64(n)
	}
	q.said = ""
	thinks := think(&s, q, known, p.markOf(q.model))
	if known.maxTokens > 0 {
		s.MaxTokens = min(s.MaxTokens, known.maxTokens)
	}
	q.limit = s.MaxTokens
	if !thinks && !known.noSampling {
		sample(&s, q.options, known)
	}
	return s, nil
}

// sample sets the temperature and top_p. Temperatures end at 1 here.
func sample(s *sdk.MessageNewParams, options map[string]any, known quirks) {
	t, warm := exchange.Number(options["temperature"])
	if warm {
		s.Temperature = sdk.Float(min(t, 1))
	}
	if t, ok := exchange.Number(options["top_p"]); ok && (!warm || !known.oneSampling) {
		s.TopP = sdk.Float(t)
	}
}

// toolChoice translates a choice of tools.
func toolChoice(v any) (c sdk.ToolChoiceUnionParam, err error) {
	choice, err := exchange.ToolChoice(v)
	switch {
	case err != nil:
		return c, err
	case choice.Name != "":
		c.OfTool = &sdk.ToolChoiceToolParam{Name: choice.Name}
	case choice.Word == exchange.ChoiceAuto:
		c.OfAuto = &sdk.ToolChoiceAutoParam{}
	case choice.Word == exchange.ChoiceNone:
		c.OfNone = &sdk.ToolChoiceNoneParam{}
	case choice.Word == exchange.ChoiceRequired:
		c.OfAny = &sdk.ToolChoiceAnyParam{}
	}
	return c, nil
}

// answerSchema reads the option response_format, which is the JSON Schema of the answer;
// nil without a schema.
func answerSchema(v any) map[string]any {
	raw, _ := v.(json.RawMessage)
	var schema map[string]any
	if json.Unmarshal(raw, &schema) != nil {
		return nil
	}
	return schema
}
