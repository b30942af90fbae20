package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/pkg/providers"
)

// The messages and tools of a request are encoded here and put into go-openai's text:
// its types lack fields that servers want to see again, a long conversation is mostly
// plain texts, which need no reflection, and the tools' schemas come encoded.

// noMessages is how go-openai writes a request without messages.
const noMessages = `"messages":null`

// messages encodes a conversation, and the tools behind it, as the beginning of
// the request: an object that is not closed.
func (p *Provider) messages(q *question, k quirks) (*body, error) {
	b := &body{text: append(make([]byte, 0, sizeOf(q)), `{"messages":[`...)}
	m := mark{server: p.server, model: q.model}
	sent := p.sizes(q.messages)
	for i := range q.messages {
		if i > 0 {
			b.text = append(b.text, ',')
		}
		msg := &q.messages[i]
		switch {
		case msg.Role == providers.RoleUser && len(msg.Images) > 0:
			p.appendPictured(b, msg, sent)
		case plain(msg, k):
			b.text = appendPlain(b.text, msg)
		default:
			full, err := fullMessage(msg, k, m)
			if err != nil {
				return nil, err
			}
			b.text = append(b.text, full...)
		}
	}
	b.text = append(b.text, ']')
	b.toolsAt = len(b.text)
	if len(q.tools) == 0 {
		return b, nil
	}
	var err error
	b.tools, err = p.tools.of(q.tools)
	return b, err
}

// sizeOf guesses the encoded size well enough that the buffer seldom grows.
func sizeOf(q *question) int {
	const frame = 64 // of a message
	const rest = 512 // as go-openai writes them
	size := frame + rest
	for i := range q.messages {
		size += frame + len(q.messages[i].Content)*17/16
	}
	return size
}

// offers keeps the encoded form of recently offered tools: the chats of one level are
// offered the same ones, whose definitions are constant.
type offers struct {
	mu     sync.Mutex
	recent []offer // the oldest first
}

type offer struct {
	defs []providers.ToolDefinition
	text []byte
}

// maxOffers is how many sets of tools are kept.
const maxOffers = 8

// of gives the tools as a request has them; the bytes are shared.
func (o *offers) of(defs []providers.ToolDefinition) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.recent {
		if slices.EqualFunc(o.recent[i].defs, defs, sameTool) {
			return o.recent[i].text, nil
		}
	}
	text, err := appendTools([]byte(`,"tools":`), defs)
	if err != nil {
		return nil, err
	}
	if len(o.recent) == maxOffers {
		o.recent = append(o.recent[:0], o.recent[1:]...)
	}
	o.recent = append(o.recent, offer{slices.Clone(defs), slices.Clip(text)})
	return text, nil
}

// sameTool says whether two definitions are encoded alike, by the schema's own bytes;
// one without encoded bytes counts as different.
func sameTool(a, b providers.ToolDefinition) bool {
	x, y := &a.Function, &b.Function
	return len(x.Encoded) > 0 && len(x.Encoded) == len(y.Encoded) && &x.Encoded[0] == &y.Encoded[0] &&
		x.Name == y.Name && x.Description == y.Description
}

// appendTools writes the array of the tools that are offered.
func appendTools(b []byte, defs []providers.ToolDefinition) ([]byte, error) {
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
		b = appendString(b, f.Name)
		if f.Description != "" {
			b = append(b, `,"description":`...)
			b = appendString(b, f.Description)
		}
		b = append(b, `,"parameters":`...)
		b = append(b, parameters...)
		b = append(b, `}}`...)
	}
	return append(b, ']'), nil
}

// plain says whether a message has only texts and calls, without extra data for this server.
func plain(m *providers.Message, k quirks) bool {
	for i := range m.ToolCalls {
		if len(m.ToolCalls[i].Extra) > 0 {
			return false
		}
	}
	return len(m.Extra) == 0 && (m.Reasoning == "" || !k.reasoning)
}

func appendPlain(b []byte, m *providers.Message) []byte {
	b = append(b, `{"role":`...)
	b = appendString(b, m.Role)
	content := m.Content
	if content == "" && m.Role == providers.RoleTool {
		content = noOutput
	}
	if content != "" || len(m.ToolCalls) == 0 {
		b = append(b, `,"content":`...)
		b = appendString(b, content)
	}
	if m.Role == providers.RoleAssistant {
		b = appendCalls(b, m.ToolCalls)
	}
	if m.Role == providers.RoleTool {
		b = append(b, `,"tool_call_id":`...)
		b = appendString(b, m.ToolCallID)
	}
	return append(b, '}')
}

func appendCalls(b []byte, calls []providers.ToolCall) []byte {
	if len(calls) == 0 {
		return b
	}
	b = append(b, `,"tool_calls":`...)
	for i := range calls {
		b = append(b, "[,"[min(i, 1)])
		b = append(b, `{"id":`...)
		b = appendString(b, calls[i].ID)
		b = append(b, `,"type":"function","function":{"name":`...)
		b = appendString(b, calls[i].Name)
		b = append(b, `,"arguments":`...)
		b = appendString(b, argumentsText(&calls[i]))
		b = append(b, `}}`...)
	}
	return append(b, ']')
}

// appendString writes s as a JSON string.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	b = append(b, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
		}
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

// fullMessage encodes any message, with the fields that go-openai's types lack.
func fullMessage(msg *providers.Message, k quirks, m mark) ([]byte, error) {
	b, err := json.Marshal(message(msg, k))
	if err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	more, ok := m.patch(msg)
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
	if b, err = json.Marshal(fields); err != nil {
		return nil, fmt.Errorf("patch message: %w", err)
	}
	return b, nil
}

// putMessages puts go-openai's text behind messages.
func putMessages(req *http.Request, messages *body) error {
	if messages == nil || req.Body == nil {
		return nil
	}
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	head, tail, ok := bytes.Cut(raw, []byte(noMessages))
	if !ok || len(head) < 2 || head[len(head)-1] != ',' {
		return fmt.Errorf("the request has no place for its messages: %.80s", raw)
	}
	messages.text = append(messages.text, ',')
	messages.text = append(messages.text, head[1:len(head)-1]...) // between the brace and the comma
	messages.text = append(messages.text, tail...)
	req.Body = messages.reader()
	req.GetBody = func() (io.ReadCloser, error) { return messages.reader(), nil }
	req.ContentLength = messages.length()
	req.Header.Set("Content-Length", strconv.FormatInt(req.ContentLength, 10))
	return nil
}

// patch has the fields that go-openai's types lack: for a message, and for its tool
// calls.
type patch struct {
	fields json.RawMessage
	calls  map[int]json.RawMessage
}

// patch collects a message's fields that go-openai's types lack.
func (m mark) patch(msg *providers.Message) (patch, bool) {
	if msg.Role != providers.RoleAssistant {
		return patch{}, false
	}
	p := patch{fields: m.unwrap(msg.Extra)}
	for j := range msg.ToolCalls {
		if fields := m.unwrap(msg.ToolCalls[j].Extra); fields != nil {
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
