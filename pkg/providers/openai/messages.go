package openai

import (
	"encoding/json"
	"fmt"
	"slices"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
	"parley/pkg/providers/kinds"
)

// The messages and tools of a request are encoded here, and go-openai's text follows
// (form.go): its types lack fields that servers want to see again, a long conversation is
// mostly plain texts, which need no reflection, and the tools' schemas come encoded.

// messages encodes a conversation, and the tools behind it, as the beginning of
// the request: an object that is not closed.
func (p *Provider) messages(q *question, k quirks) (*exchange.Body, error) {
	b := p.client.Body(sizeOf(q))
	b.Text = append(b.Text, `{"messages":[`...)
	m := exchange.Mark{Server: p.client.Server(), Model: q.model}
	conversation := q.messages
	if k.byTurns {
		conversation = byTurns(conversation)
	}
	pictures := exchange.Choose(conversation, p.images)
	turn := turnOf(conversation)
	for i := range conversation {
		k.past = i < turn
		if i > 0 {
			b.Text = append(b.Text, ',')
		}
		msg := &conversation[i]
		switch {
		case i == 0 && msg.Role == providers.RoleSystem && plain(msg):
			b.Text = append(b.Text, `{"role":"system","content":`...)
			b.Share(p.prompts.Of(msg.Content))
			b.Text = append(b.Text, '}')
		case msg.Role == providers.RoleUser && len(msg.Images) > 0:
			appendPictured(b, msg, pictures)
		case plain(msg):
			b.Text = appendMessage(b.Text, msg, k)
		default:
			full, err := fullMessage(msg, k, m)
			if err != nil {
				return nil, err
			}
			b.Text = append(b.Text, full...)
		}
	}
	b.Text = append(b.Text, ']')
	if grammar, ok := q.options["grammar"].(string); ok && k.row.Grammar {
		b.Text = append(b.Text, `,"grammar":`...)
		b.Text = exchange.AppendString(b.Text, grammar)
	}
	if len(q.tools) == 0 {
		return b, nil
	}
	tools, err := p.tools.Of(q.tools, "", encodeTools)
	b.Share(tools)
	return b, err
}

// turnOf is the place of the newest message of a person, with which the turn began.
func turnOf(messages []providers.Message) int {
	for i := range slices.Backward(messages) {
		if messages[i].Role == providers.RoleUser {
			return i
		}
	}
	return 0
}

// sizeOf guesses the encoded size well enough that the buffer seldom grows.
func sizeOf(q *question) int {
	const frame = 64 // of a message
	const rest = 512 // as go-openai writes them
	size := frame + rest
	for i := range q.messages {
		size += frame
		if i > 0 { // the instructions are shared
			size += len(q.messages[i].Content) * 17 / 16
		}
	}
	return size
}

// encodeTools writes the field "tools", behind a comma.
func encodeTools(defs []providers.ToolDefinition, _ string) ([]byte, error) {
	b := []byte(`,"tools":`)
	for i := range defs {
		f := &defs[i].Function
		parameters := f.Encoded
		switch {
		case len(parameters) > 0:
		case f.Parameters == nil:
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		default:
			var err error
			if parameters, err = json.Marshal(f.Parameters); err != nil {
				return nil, fmt.Errorf("encode the parameters of %s: %w", f.Name, err)
			}
		}
		b = append(b, "[,"[min(i, 1)])
		b = append(b, `{"type":"function","function":{"name":`...)
		b = exchange.AppendString(b, f.Name)
		if f.Description != "" {
			b = append(b, `,"description":`...)
			b = exchange.AppendString(b, f.Description)
		}
		b = append(b, `,"parameters":`...)
		b = append(b, parameters...)
		b = append(b, `}}`...)
	}
	return append(b, ']'), nil
}

// plain says whether a message is without extra data for this server.
func plain(m *providers.Message) bool {
	for i := range m.ToolCalls {
		if len(m.ToolCalls[i].Extra) > 0 {
			return false
		}
	}
	return len(m.Extra) == 0
}

func appendMessage(b []byte, m *providers.Message, k quirks) []byte {
	b = append(b, `{"role":`...)
	b = exchange.AppendString(b, m.Role)
	thoughts, field := k.thoughts(m)
	content := m.Content
	if content == "" && m.Role == providers.RoleTool {
		content = noOutput
	}
	if thoughts != "" && field == kinds.FieldTag {
		content, thoughts = tagged(thoughts, content), ""
	}
	if content != "" || len(m.ToolCalls) == 0 || k.row.EmptyContent {
		b = append(b, `,"content":`...)
		b = exchange.AppendString(b, content)
	}
	if thoughts != "" {
		b = append(b, `,"`...)
		b = append(b, field...)
		b = append(b, `":`...)
		b = exchange.AppendString(b, thoughts)
	}
	if m.Role == providers.RoleAssistant {
		b = appendCalls(b, m.ToolCalls, k)
	}
	if m.Role == providers.RoleTool {
		b = append(b, `,"tool_call_id":`...)
		b = exchange.AppendString(b, k.callID(m.ToolCallID))
		if k.row.ToolName && m.Name != "" {
			b = append(b, `,"name":`...)
			b = exchange.AppendString(b, m.Name)
		}
	}
	return append(b, '}')
}

// tagged puts reasoning into the content, where its model writes it.
func tagged(thoughts, content string) string {
	return "<think>\n" + thoughts + "\n</think>\n\n" + content
}

func appendCalls(b []byte, calls []providers.ToolCall, k quirks) []byte {
	if len(calls) == 0 {
		return b
	}
	b = append(b, `,"tool_calls":`...)
	for i := range calls {
		b = append(b, "[,"[min(i, 1)])
		b = append(b, `{"id":`...)
		b = exchange.AppendString(b, k.callID(calls[i].ID))
		b = append(b, `,"type":"function","function":{"name":`...)
		b = exchange.AppendString(b, calls[i].Name)
		b = append(b, `,"arguments":`...)
		b = exchange.AppendString(b, argumentsText(&calls[i]))
		b = append(b, `}}`...)
	}
	return append(b, ']')
}

// appendPictured writes a person's message with those of its pictures that go along.
func appendPictured(b *exchange.Body, m *providers.Message, pictures exchange.Pictures) {
	text := pictures.Text(m)
	b.Text = append(b.Text, `{"role":"user","content":`...)
	if !pictures.Any(m) {
		b.Text = append(exchange.AppendString(b.Text, text), '}')
		return
	}
	open := byte('[')
	if text != "" {
		b.Text = append(b.Text, `[{"type":"text","text":`...)
		b.Text = append(exchange.AppendString(b.Text, text), '}')
		open = ','
	}
	for i := range m.Images {
		img := &m.Images[i]
		size, ok := pictures.Carried(img)
		if !ok {
			continue
		}
		b.Text = append(b.Text, open)
		b.Text = append(b.Text, `{"type":"image_url","image_url":{"url":`...)
		if size > 0 {
			b.Text = exchange.AppendString(b.Text, "data:"+img.MIME+";base64,")
			b.Text = b.Text[:len(b.Text)-1] // the quote comes behind the picture
			b.Picture(img, size)
			b.Text = append(b.Text, '"')
		} else {
			b.Text = exchange.AppendString(b.Text, img.URL)
		}
		b.Text = append(b.Text, `}}`...)
		open = ','
	}
	b.Text = append(b.Text, `]}`...)
}

// fullMessage encodes a message with the fields that came with it.
func fullMessage(msg *providers.Message, k quirks, m exchange.Mark) ([]byte, error) {
	b := appendMessage(nil, msg, k)
	more, ok := patchOf(msg, m)
	if !ok {
		return b, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return nil, fmt.Errorf("patch message: %w", err)
	}
	if err := more.apply(fields); err != nil {
		return nil, err
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("patch message: %w", err)
	}
	return b, nil
}

// patch has the fields that go-openai's types lack: for a message, and for its tool
// calls.
type patch struct {
	fields json.RawMessage
	calls  map[int]json.RawMessage
}

// patchOf collects a message's fields that go-openai's types lack.
func patchOf(msg *providers.Message, m exchange.Mark) (patch, bool) {
	if msg.Role != providers.RoleAssistant {
		return patch{}, false
	}
	p := patch{fields: m.Unwrap(msg.Extra)}
	for j := range msg.ToolCalls {
		if fields := m.Unwrap(msg.ToolCalls[j].Extra); fields != nil {
			if p.calls == nil {
				p.calls = make(map[int]json.RawMessage)
			}
			p.calls[j] = fields
		}
	}
	return p, p.fields != nil || p.calls != nil
}

func (p patch) apply(message map[string]json.RawMessage) error {
	if err := merge(message, p.fields); err != nil {
		return err
	}
	if len(p.calls) == 0 {
		return nil
	}
	var calls []map[string]json.RawMessage
	if err := json.Unmarshal(message["tool_calls"], &calls); err != nil {
		return fmt.Errorf("patch tool calls: %w", err)
	}
	for i, fields := range p.calls {
		if err := merge(calls[i], fields); err != nil {
			return err
		}
	}
	var err error
	if message["tool_calls"], err = json.Marshal(calls); err != nil {
		return fmt.Errorf("patch tool calls: %w", err)
	}
	return nil
}

// merge adds fields to an object; present ones stay.
func merge(object map[string]json.RawMessage, fields json.RawMessage) error {
	if len(fields) == 0 {
		return nil
	}
	var add map[string]json.RawMessage
	if err := json.Unmarshal(fields, &add); err != nil {
		return fmt.Errorf("patch fields: %w", err)
	}
	for k, v := range add {
		if _, there := object[k]; !there {
			object[k] = v
		}
	}
	return nil
}
