package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/pkg/providers"
)

type wireRequest struct {
	Model         string            `json:"model"`
	Messages      []json.RawMessage `json:"messages"`
	Tools         []wireTool        `json:"tools"`
	ToolChoice    json.RawMessage   `json:"tool_choice"`
	Stream        bool              `json:"stream"`
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
func parse(body []byte, fields []string) (*Request, error) {
	var w wireRequest
	if err := strict(body, &w); err != nil {
		return nil, fmt.Errorf("body: %w", err)
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
	if err := r.addTools(&w); err != nil {
		return nil, err
	}
	if err := r.addMessages(&w, fields); err != nil {
		return nil, err
	}
	return r, nil
}

// strict decodes one JSON value whose every field is known.
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

func (r *Request) addTools(w *wireRequest) error {
	if len(w.Tools) == 0 && len(w.ToolChoice) > 0 {
		return errors.New("tool_choice without tools")
	}
	seen := make(map[string]bool, len(w.Tools))
	for i := range w.Tools {
		t := &w.Tools[i]
		name := t.Function.Name
		switch {
		case t.Type != "function":
			return fmt.Errorf("tools[%d].type is %q", i, t.Type)
		case !legalName(name):
			return fmt.Errorf("tools[%d].function.name %q is illegal", i, name)
		case seen[name]:
			return fmt.Errorf("tools[%d].function.name %q is repeated", i, name)
		case len(t.Function.Description) > 4096:
			return fmt.Errorf("tools[%d].function.description is too long", i)
		}
		seen[name] = true
		if err := legalSchema(t.Function.Parameters); err != nil {
			return fmt.Errorf("tools[%d].function.parameters: %w", i, err)
		}
		r.Tools = append(r.Tools, providers.ToolDefinition{Type: "function", Function: providers.FunctionDefinition{
			Name: name, Description: t.Function.Description, Parameters: t.Function.Parameters,
		}})
	}
	return legalChoice(w.ToolChoice, seen)
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

func (r *Request) addMessages(w *wireRequest, fields []string) error {
	if len(w.Messages) == 0 {
		return errors.New("messages is empty")
	}
	p := pairing{open: map[string]string{}, used: map[string]bool{}}
	for i, raw := range w.Messages {
		var wm wireMessage
		err := strict(raw, &wm)
		if err != nil && len(fields) > 0 {
			err = strict(without(raw, fields), &wm)
		}
		if err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		m, err := wm.translate()
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
