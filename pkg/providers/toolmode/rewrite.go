package toolmode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// required says whether the answer has to be a call.
func required(c exchange.Choice) bool { return c.Word == exchange.ChoiceRequired || c.Name != "" }

// rewrite tells a conversation without tool messages. The instructions go before the
// system's, because they stay the same for longer, and servers keep a beginning that they
// know. With asJSON, the model's texts have the form of an answer.
func rewrite(messages []providers.Message, instructions string, asJSON bool) []providers.Message {
	out := make([]providers.Message, 0, len(messages)+1)
	if len(messages) == 0 || messages[0].Role != providers.RoleSystem {
		out = append(out, providers.Message{Role: providers.RoleSystem, Content: instructions})
	}
	var calls []providers.ToolCall
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		switch m.Role {
		case providers.RoleSystem:
			if i == 0 {
				m.Content = instructions + "\n" + m.Content
			}
		case providers.RoleAssistant:
			calls = m.ToolCalls
			m = told(m, asJSON)
		case providers.RoleTool:
			end := i
			for end < len(messages) && messages[end].Role == providers.RoleTool {
				end++
			}
			m = results(messages[i:end], calls)
			i = end - 1
		}
		out = append(out, m)
	}
	return out
}

// answerText and callsText are the two forms of an answer.
type answerText struct {
	Answer string `json:"answer"`
}

type callsText struct {
	Calls []callText `json:"calls"`
}

type callText struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// told is a message of the model with its calls as text.
func told(m providers.Message, asJSON bool) providers.Message { //nolint:revive // the form of all its texts
	content := m.Content
	if asJSON && (content != "" || len(m.ToolCalls) == 0) {
		content = encode(answerText{content})
	}
	if len(m.ToolCalls) > 0 {
		calls := make([]callText, len(m.ToolCalls))
		for i := range m.ToolCalls {
			calls[i] = callText{m.ToolCalls[i].Name, argumentsOf(&m.ToolCalls[i])}
		}
		if content != "" {
			content += "\n"
		}
		content += encode(callsText{calls})
	}
	return providers.Message{Role: m.Role, Content: content, Reasoning: m.Reasoning}
}

// argumentsOf are those of a call as it was made.
func argumentsOf(c *providers.ToolCall) json.RawMessage {
	spelled, err := c.Spelled()
	if err != nil {
		return json.RawMessage("{}")
	}
	return json.RawMessage(spelled)
}

// results are tool messages as one message of data, in the order of the calls.
func results(messages []providers.Message, calls []providers.ToolCall) providers.Message {
	type result struct {
		Tool   string `json:"tool"`
		Result string `json:"result"`
	}
	at := func(m providers.Message) int {
		return slices.IndexFunc(calls, func(c providers.ToolCall) bool { return c.ID == m.ToolCallID })
	}
	sorted := slices.Clone(messages)
	slices.SortStableFunc(sorted, func(a, b providers.Message) int { return at(a) - at(b) })
	all := struct {
		Results []result `json:"results"`
	}{}
	for i := range sorted {
		name := sorted[i].Name
		if j := at(sorted[i]); j >= 0 {
			name = calls[j].Name
		}
		all.Results = append(all.Results, result{name, sorted[i].Content})
	}
	return providers.Message{Role: providers.RoleUser, Content: encode(all)}
}

// encode is v as JSON on one line, each letter as itself.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "{}" // texts and checked JSON do not fail to be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// describe lists tools, one on each line.
func describe(tools []providers.ToolDefinition) (string, error) {
	var b strings.Builder
	for i := range tools {
		f := &tools[i].Function
		schema, err := schemaOf(f)
		if err != nil {
			return "", err
		}
		b.WriteString(encode(struct {
			Tool        string          `json:"tool"`
			Description string          `json:"description,omitempty"`
			Arguments   json.RawMessage `json:"arguments"`
		}{f.Name, f.Description, schema}))
		b.WriteByte('\n')
	}
	return b.String(), nil
}

func schemaOf(f *providers.FunctionDefinition) (json.RawMessage, error) {
	switch {
	case len(f.Encoded) > 0:
		return f.Encoded, nil
	case f.Parameters == nil:
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	}
	schema, err := json.Marshal(f.Parameters)
	if err != nil {
		return nil, fmt.Errorf("encode the parameters of %s: %w", f.Name, err)
	}
	return schema, nil
}

const answerSchema = `{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`

// replySchema is the JSON Schema of an answer: a text, or calls of the tools, as the choice
// allows.
func replySchema(tools []providers.ToolDefinition, c exchange.Choice) (json.RawMessage, error) {
	if c.Word == exchange.ChoiceNone {
		return json.RawMessage(answerSchema), nil
	}
	var calls []string
	for i := range tools {
		f := &tools[i].Function
		if c.Name != "" && f.Name != c.Name {
			continue
		}
		schema, err := schemaOf(f)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(schema, []byte(`"$ref"`)) { // it would refer to another place here
			schema = json.RawMessage(`{"type":"object"}`)
		}
		calls = append(calls, `{"type":"object","properties":{"tool":{"type":"string","enum":[`+encode(f.Name)+
			`]},"arguments":`+string(schema)+`},"required":["tool","arguments"],"additionalProperties":false}`)
	}
	if len(calls) == 0 {
		return nil, fmt.Errorf("tool_choice names %q, which is not offered", c.Name)
	}
	call := `{"type":"object","properties":{"calls":{"type":"array","minItems":1,"items":{"anyOf":[` +
		strings.Join(calls, ",") + `]}}},"required":["calls"],"additionalProperties":false}`
	if required(c) {
		return json.RawMessage(call), nil
	}
	return json.RawMessage(`{"anyOf":[` + answerSchema + `,` + call + `]}`), nil
}
