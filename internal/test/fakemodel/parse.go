package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/pkg/providers"
)

// wireRequest is a request with messages that are decoded with it, or not yet.
type wireRequest[M wireMessage | json.RawMessage] struct {
	Model         string          `json:"model"`
	Messages      []M             `json:"messages"`
	Tools         json.RawMessage `json:"tools"`
	ToolChoice    json.RawMessage `json:"tool_choice"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	Seed                *int            `json:"seed"`
	Stop                json.RawMessage `json:"stop"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls"`
	ResponseFormat      *wireFormat     `json:"response_format"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Strict      bool           `json:"strict"`
		Parameters  map[string]any `json:"parameters"`
	} `json:"function"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	ToolCalls  []wireCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wirePart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL *struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
}

// parse decodes a request; the error tells the first rule that it breaks.
func (s *Server) parse(body []byte) (*Request, error) {
	var w wireRequest[wireMessage]
	if err := strict(body, &w); err != nil {
		var slow wireRequest[json.RawMessage]
		if err := strict(body, &slow); err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
		messages, err := apart(slow.Messages, s.opts.Fields)
		if err != nil {
			return nil, err
		}
		w = wireRequest[wireMessage]{
			Model: slow.Model, Messages: messages, Tools: slow.Tools, ToolChoice: slow.ToolChoice, Stream: slow.Stream,
			StreamOptions: slow.StreamOptions, MaxTokens: slow.MaxTokens, MaxCompletionTokens: slow.MaxCompletionTokens,
			Temperature: slow.Temperature, ResponseFormat: slow.ResponseFormat,
		}
	}
	if w.Model == "" {
		return nil, errors.New("model is missing")
	}
	r := &Request{
		Model: w.Model, ToolChoice: w.ToolChoice, Stream: w.Stream, MaxTokens: w.MaxTokens,
		MaxCompletion: w.MaxCompletionTokens, Temperature: w.Temperature, Body: body,
		IncludeUsage: w.StreamOptions != nil && w.StreamOptions.IncludeUsage,
	}
	if w.StreamOptions != nil && !w.Stream {
		return nil, errors.New("stream_options without stream")
	}
	var err error
	if r.format, err = w.ResponseFormat.legal(); err != nil {
		return nil, err
	}
	tools, err := s.tools.offered(w.Tools)
	if err != nil {
		return nil, err
	}
	r.Tools = tools.defs
	if len(r.Tools) == 0 && len(w.ToolChoice) > 0 {
		return nil, errors.New("tool_choice without tools")
	}
	if err := legalChoice(w.ToolChoice, tools.names); err != nil {
		return nil, err
	}
	if err := r.addMessages(w.Messages); err != nil {
		return nil, err
	}
	return r, nil
}

// apart decodes messages one by one, so that an error names the message and the
// further fields can be left out.
func apart(raw []json.RawMessage, fields []string) ([]wireMessage, error) {
	out := make([]wireMessage, len(raw))
	for i := range raw {
		err := strict(raw[i], &out[i])
		if err != nil && len(fields) > 0 {
			out[i] = wireMessage{}
			err = strict(without(raw[i], fields), &out[i])
		}
		if err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	return out, nil
}

// strict decodes one JSON value without unknown fields.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return errors.New("text after the JSON value")
	}
	return nil
}

func legalName(s string) bool {
	illegal := func(c rune) bool {
		return c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}
	return s != "" && len(s) <= 64 && strings.IndexFunc(s, illegal) < 0
}

// offer is a list of tools that was found legal.
type offer struct {
	defs  []providers.ToolDefinition
	names map[string]bool
}

// maxOffers bounds the lists that are remembered.
const maxOffers = 64

// offers remembers legal lists: a gateway offers the same tools again and again.
type offers struct {
	mu    sync.Mutex
	known map[string]*offer
}

func (o *offers) offered(raw json.RawMessage) (*offer, error) {
	o.mu.Lock()
	known := o.known[string(raw)]
	o.mu.Unlock()
	if known != nil {
		return known, nil
	}
	fresh, err := legalTools(raw)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil || len(o.known) >= maxOffers {
		o.known = map[string]*offer{}
	}
	o.known[string(raw)] = fresh
	return fresh, nil
}

func legalTools(raw json.RawMessage) (*offer, error) {
	var tools []wireTool
	if len(raw) > 0 {
		if err := strict(raw, &tools); err != nil {
			return nil, fmt.Errorf("tools: %w", err)
		}
	}
	o := &offer{names: make(map[string]bool, len(tools))}
	for i := range tools {
		t := &tools[i]
		name := t.Function.Name
		switch {
		case t.Type != "function":
			return nil, fmt.Errorf("tools[%d].type is %q", i, t.Type)
		case !legalName(name):
			return nil, fmt.Errorf("tools[%d].function.name %q is illegal", i, name)
		case o.names[name]:
			return nil, fmt.Errorf("tools[%d].function.name %q is repeated", i, name)
		case len(t.Function.Description) > 4096:
			return nil, fmt.Errorf("tools[%d].function.description is too long", i)
		}
		o.names[name] = true
		if err := legalSchema(t.Function.Parameters); err != nil {
			return nil, fmt.Errorf("tools[%d].function.parameters: %w", i, err)
		}
		o.defs = append(o.defs, providers.ToolDefinition{Type: "function", Function: providers.FunctionDefinition{
			Name: name, Description: t.Function.Description, Parameters: t.Function.Parameters,
		}})
	}
	return o, nil
}

func legalSchema(s map[string]any) error {
	if s["type"] != "object" {
		return fmt.Errorf("type is %v, not object", s["type"])
	}
	properties, ok := s["properties"].(map[string]any)
	if !ok {
		return errors.New("properties is no object")
	}
	for name, p := range properties {
		if _, ok := p.(map[string]any); !ok {
			return fmt.Errorf("property %q is no schema", name)
		}
	}
	required, ok := s["required"].([]any)
	if s["required"] != nil && !ok {
		return errors.New("required is no list")
	}
	for _, name := range required {
		key, ok := name.(string)
		if _, there := properties[key]; !ok || !there {
			return fmt.Errorf("required %v is no property", name)
		}
	}
	return nil
}

func legalChoice(raw json.RawMessage, offered map[string]bool) error {
	if len(raw) == 0 {
		return nil
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if !slices.Contains([]string{"auto", "none", "required"}, word) {
			return fmt.Errorf("tool_choice %q", word)
		}
		return nil
	}
	var c struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if err := strict(raw, &c); err != nil {
		return fmt.Errorf("tool_choice: %w", err)
	}
	if c.Type != "function" || !offered[c.Function.Name] {
		return fmt.Errorf("tool_choice names %q, which is not offered", c.Function.Name)
	}
	return nil
}

func (r *Request) addMessages(messages []wireMessage) error {
	if len(messages) == 0 {
		return errors.New("messages is empty")
	}
	p := pairing{open: map[string]string{}, used: map[string]bool{}}
	r.Messages = make([]providers.Message, 0, len(messages))
	for i := range messages {
		m, err := messages[i].translate()
		if err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		if err := p.next(&m); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		r.Messages = append(r.Messages, m)
	}
	return p.end()
}

// without removes the named fields at any depth of a message.
func without(raw json.RawMessage, fields []string) json.RawMessage {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, f := range fields {
				delete(v, f)
			}
			for _, e := range v {
				strip(e)
			}
		case []any:
			for _, e := range v {
				strip(e)
			}
		}
	}
	strip(v)
	b, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return b
}

func (w *wireMessage) translate() (providers.Message, error) {
	m := providers.Message{Role: w.Role, ToolCallID: w.ToolCallID}
	if err := w.content(&m); err != nil {
		return m, err
	}
	for i := range w.ToolCalls {
		c := &w.ToolCalls[i]
		args, err := providers.DecodeArguments(c.Function.Arguments)
		if err != nil || !strings.HasPrefix(strings.TrimSpace(c.Function.Arguments), "{") {
			return m, fmt.Errorf("tool_calls[%d].function.arguments are no JSON object", i)
		}
		if c.ID == "" || len(c.ID) > 40 || c.Type != "function" || !legalName(c.Function.Name) {
			return m, fmt.Errorf("tool_calls[%d] is malformed (id %q, type %q, name %q)", i, c.ID, c.Type, c.Function.Name)
		}
		m.ToolCalls = append(m.ToolCalls, providers.ToolCall{
			ID: c.ID, Type: c.Type, Name: c.Function.Name, Arguments: args, RawArguments: c.Function.Arguments,
		})
	}
	return m, nil
}

func (w *wireMessage) content(m *providers.Message) error {
	if len(w.Content) == 0 || string(w.Content) == "null" {
		return nil
	}
	if json.Unmarshal(w.Content, &m.Content) == nil {
		return nil
	}
	var parts []wirePart
	if err := strict(w.Content, &parts); err != nil {
		return fmt.Errorf("content: %w", err)
	}
	for i := range parts {
		switch p := &parts[i]; {
		case p.Type == "text" && p.Text != "":
			m.Content += p.Text
		case p.Type == "image_url" && p.ImageURL != nil && w.Role == providers.RoleUser:
			m.Images = append(m.Images, providers.Image{URL: p.ImageURL.URL})
		default:
			return fmt.Errorf("content[%d] is malformed", i)
		}
	}
	return nil
}
