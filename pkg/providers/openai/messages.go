package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"unicode/utf8"

	"parley/pkg/providers"
)

// The messages and tools of a request are encoded here and put into what
// go-openai has written: its types cannot say all that servers want to see again,
// a long conversation is mostly plain texts, which need no reflection, and the
// tools' schemas come encoded.

// noMessages is how go-openai writes a request without messages, right after the model.
const noMessages = `"messages":null`

// messages encodes a conversation as the array of the request, with the tools behind it.
func (p *Provider) messages(q *question, k quirks) (json.RawMessage, error) {
	size := 0
	for i := range q.messages {
		size += len(q.messages[i].Content) + 64
	}
	b := append(make([]byte, 0, size), '[')
	m := mark{server: p.server, model: q.model}
	for i := range q.messages {
		if i > 0 {
			b = append(b, ',')
		}
		if msg := &q.messages[i]; plain(msg) {
			b = appendPlain(b, msg)
			continue
		}
		full, err := p.fullMessage(&q.messages[i], k, m)
		if err != nil {
			return nil, err
		}
		b = append(b, full...)
	}
	b = append(b, ']')
	if len(q.tools) > 0 {
		b = append(b, `,"tools":`...)
		return appendTools(b, q.tools)
	}
	return b, nil
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

// plain says whether a message is its role and its text.
func plain(m *providers.Message) bool {
	return m.Content != "" && len(m.ToolCalls) == 0 && len(m.Images) == 0 && m.ToolCallID == "" &&
		m.Reasoning == "" && len(m.Extra) == 0
}

func appendPlain(b []byte, m *providers.Message) []byte {
	b = append(b, `{"role":`...)
	b = appendString(b, m.Role)
	b = append(b, `,"content":`...)
	b = appendString(b, m.Content)
	return append(b, '}')
}

// appendString writes s as a JSON string.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			text, err := json.Marshal(s)
			if err != nil { // a string always encodes
				return strconv.AppendQuote(b, s)
			}
			return append(b, text...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// fullMessage encodes any message, with what it must carry beyond go-openai's types.
func (p *Provider) fullMessage(msg *providers.Message, k quirks, m mark) ([]byte, error) {
	b, err := json.Marshal(p.message(msg, k))
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

// putMessages puts the messages into a request that go-openai has written.
func putMessages(req *http.Request, messages json.RawMessage) error {
	if messages == nil || req.Body == nil {
		return nil
	}
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	head, tail, ok := bytes.Cut(raw, []byte(noMessages))
	if !ok {
		return fmt.Errorf("the request has no place for its messages: %.80s", raw)
	}
	body := make([]byte, 0, len(raw)+len(messages))
	body = append(body, head...)
	body = append(body, noMessages[:len(noMessages)-len("null")]...)
	body = append(body, messages...)
	body = append(body, tail...)
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}

// patch is what go-openai's types cannot say: fields for a message, and for its
// tool calls.
type patch struct {
	fields json.RawMessage
	calls  map[int]json.RawMessage
}

// patch collects what a message must carry beyond go-openai's types.
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

// merge adds fields to an object; what is there already stays.
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
