package strictmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
)

// anthropicRequest is a request of the Messages API.
type anthropicRequest struct {
	Model         string             `json:"model"`
	MaxTokens     int                `json:"max_tokens"`
	Messages      []anthropicMessage `json:"messages"`
	System        json.RawMessage    `json:"system"`
	Tools         []anthropicTool    `json:"tools"`
	ToolChoice    *anthropicChoice   `json:"tool_choice"`
	Stream        bool               `json:"stream"`
	Temperature   *float64           `json:"temperature"`
	TopP          *float64           `json:"top_p"`
	TopK          *int               `json:"top_k"`
	StopSequences []string           `json:"stop_sequences"`
	Metadata      map[string]string  `json:"metadata"`
	Thinking      *anthropicThinking `json:"thinking"`
	OutputConfig  json.RawMessage    `json:"output_config"`
	CacheControl  *cacheControl      `json:"cache_control"`
	ServiceTier   string             `json:"service_tier"`
}

type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type anthropicTool struct {
	Name         string         `json:"name"`
	Description  string         `json:"description"`
	InputSchema  map[string]any `json:"input_schema"`
	CacheControl *cacheControl  `json:"cache_control"`
}

type anthropicChoice struct {
	Type            string `json:"type"`
	Name            string `json:"name"`
	DisableParallel bool   `json:"disable_parallel_tool_use"`
}

type anthropicThinking struct {
	Type         string `json:"type"`
	BudgetTokens int    `json:"budget_tokens"`
	Display      string `json:"display"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

// block is any block of content; fieldsOf says which fields each type has.
type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	Data         string          `json:"data"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        map[string]any  `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      json.RawMessage `json:"content"`
	IsError      bool            `json:"is_error"`
	Source       map[string]any  `json:"source"`
	CacheControl *cacheControl   `json:"cache_control"`
}

func fieldsOf(kind string) string {
	return map[string]string{
		"text": "text cache_control", "thinking": "thinking signature", "redacted_thinking": "data",
		"tool_use": "id name input cache_control", "tool_result": "tool_use_id content is_error cache_control",
		"image": "source cache_control",
	}[kind]
}

var anthropicID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// anthropicCheck walks through one request.
type anthropicCheck struct {
	s     *Server
	req   *anthropicRequest
	out   fakemodel.Request
	used  map[string]bool   // ids of all calls
	open  map[string]string // calls of the message before, by id
	marks int               // of the cache
	// unthought says that the newest answer has calls and does not begin with thinking.
	unthought bool
}

// anthropic translates a request; the error tells the first rule that it breaks.
func (s *Server) anthropic(req *anthropicRequest) (*fakemodel.Request, error) {
	c := anthropicCheck{s: s, req: req, used: map[string]bool{}}
	c.out.Model, c.out.Stream, c.out.MaxTokens = req.Model, req.Stream, req.MaxTokens
	steps := []func() error{c.settings, c.system, c.tools, c.messages, c.thinking}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if c.marks > 4 {
		return nil, fmt.Errorf("%d blocks with cache_control, more than 4", c.marks)
	}
	return &c.out, nil
}

func (c *anthropicCheck) settings() error {
	switch req := c.req; {
	case req.Model == "":
		return errors.New("model: Field required")
	case req.MaxTokens < 1:
		return errors.New("max_tokens: must be at least 1")
	case req.Temperature != nil && (*req.Temperature < 0 || *req.Temperature > 1):
		return errors.New("temperature: range 0..1")
	case slices.ContainsFunc(req.StopSequences, func(s string) bool { return strings.TrimSpace(s) == "" }):
		return errors.New("stop_sequences: each must contain non-whitespace")
	}
	return nil
}

func (c *anthropicCheck) system() error {
	if len(c.req.System) == 0 {
		return nil
	}
	blocks, err := c.blocks(c.req.System)
	if err != nil {
		return fmt.Errorf("system: %w", err)
	}
	var text strings.Builder
	for i := range blocks {
		if blocks[i].Type != "text" {
			return fmt.Errorf("system[%d] is a %s", i, blocks[i].Type)
		}
		text.WriteString(blocks[i].Text)
	}
	c.out.Messages = append(c.out.Messages, providers.Message{Role: providers.RoleSystem, Content: text.String()})
	return nil
}

func (c *anthropicCheck) tools() error {
	names := map[string]bool{}
	for i, t := range c.req.Tools {
		c.mark(t.CacheControl)
		switch {
		case len(t.Name) > 128 || !anthropicID.MatchString(t.Name) || names[t.Name]:
			return fmt.Errorf("tools[%d].name %q", i, t.Name)
		case t.InputSchema["type"] != "object":
			return fmt.Errorf("tools[%d].input_schema.type is %v", i, t.InputSchema["type"])
		}
		names[t.Name] = true
		c.out.Tools = append(c.out.Tools, providers.ToolDefinition{
			Type: "function", Function: providers.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.InputSchema},
		})
	}
	choice := c.req.ToolChoice
	switch {
	case choice == nil:
		return nil
	case len(c.req.Tools) == 0:
		return errors.New("tool_choice may only be specified while providing tools")
	case !slices.Contains([]string{"auto", "any", "tool", "none"}, choice.Type), (choice.Type == "tool") != names[choice.Name]:
		return fmt.Errorf("tool_choice %+v", *choice)
	}
	return nil
}

func (c *anthropicCheck) messages() error {
	if len(c.req.Messages) == 0 || c.req.Messages[0].Role != providers.RoleUser {
		return errors.New("messages: first message must use the user role")
	}
	for i, m := range c.req.Messages {
		blocks, err := c.blocks(m.Content)
		if err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
		switch m.Role {
		case providers.RoleUser:
			err = c.user(blocks)
		case providers.RoleAssistant:
			err = c.assistant(blocks)
		default:
			err = fmt.Errorf("role %q", m.Role)
		}
		if err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	if len(c.open) > 0 || c.req.Messages[len(c.req.Messages)-1].Role != providers.RoleUser {
		return errors.New("the conversation must end with a user message")
	}
	return nil
}

// blocks decodes content: a text, or a list of blocks with the fields of their types.
func (c *anthropicCheck) blocks(raw json.RawMessage) ([]block, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = append(append([]byte(`[{"type":"text","text":`), raw...), "}]"...)
	}
	var blocks []block
	if err := strict(raw, &blocks); err != nil {
		return nil, err
	}
	var fields []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	if len(blocks) == 0 {
		return nil, errors.New("content is empty")
	}
	for i := range blocks {
		known := strings.Fields(fieldsOf(blocks[i].Type))
		for name := range fields[i] {
			if name != "type" && !slices.Contains(known, name) {
				return nil, fmt.Errorf("content.%d.%s: extra inputs are not permitted in %q", i, name, blocks[i].Type)
			}
		}
		if blocks[i].Type == "text" && strings.TrimSpace(blocks[i].Text) == "" {
			return nil, fmt.Errorf("content.%d: text content blocks must contain non-whitespace text", i)
		}
		c.mark(blocks[i].CacheControl)
	}
	return blocks, nil
}

func (c *anthropicCheck) mark(m *cacheControl) {
	if m != nil {
		c.marks++
	}
}

// user takes the results of all open calls first, and then other blocks.
func (c *anthropicCheck) user(blocks []block) error {
	m := providers.Message{Role: providers.RoleUser}
	other := false
	for i := range blocks {
		b := &blocks[i]
		switch b.Type {
		case "tool_result":
			name, there := c.open[b.ToolUseID]
			if !there || other {
				return fmt.Errorf("content.%d: unexpected tool_result %q: no call of the message before, or not in front", i, b.ToolUseID)
			}
			text, err := c.result(b.Content)
			if err != nil {
				return fmt.Errorf("content.%d: %w", i, err)
			}
			delete(c.open, b.ToolUseID)
			c.out.Messages = append(c.out.Messages, providers.Message{
				Role: providers.RoleTool, ToolCallID: b.ToolUseID, Name: name, Content: text,
			})
		case "text":
			m.Content += b.Text
			other = true
		case "image":
			m.Images = append(m.Images, providers.Image{MIME: fmt.Sprint(b.Source["media_type"])})
			other = true
		default:
			return fmt.Errorf("content.%d: a %s in a user message", i, b.Type)
		}
	}
	for id := range c.open {
		return fmt.Errorf("the call %q has no tool_result in the next message", id)
	}
	if other {
		c.out.Messages = append(c.out.Messages, m)
		c.unthought = false
	}
	return nil
}

func (c *anthropicCheck) result(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	blocks, err := c.blocks(raw)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for i := range blocks {
		if blocks[i].Type != "text" && blocks[i].Type != "image" {
			return "", fmt.Errorf("a %s in a result", blocks[i].Type)
		}
		text.WriteString(blocks[i].Text)
	}
	return text.String(), nil
}

func (c *anthropicCheck) assistant(blocks []block) error {
	for id := range c.open {
		return fmt.Errorf("the call %q has no tool_result in the next message", id)
	}
	m := providers.Message{Role: providers.RoleAssistant}
	c.open = map[string]string{}
	for i := range blocks {
		b := &blocks[i]
		switch b.Type {
		case "text":
			m.Content += b.Text
		case "thinking":
			if b.Signature != c.s.seal(b.Thinking) {
				return fmt.Errorf("content.%d: invalid signature in thinking block", i)
			}
			m.Reasoning += b.Thinking
		case "redacted_thinking":
			if b.Data != c.s.seal("redacted") {
				return fmt.Errorf("content.%d: invalid data in redacted_thinking block", i)
			}
		case "tool_use":
			if !anthropicID.MatchString(b.ID) || c.used[b.ID] || !anthropicID.MatchString(b.Name) || b.Input == nil {
				return fmt.Errorf("content.%d: tool_use id %q, name %q, input %v", i, b.ID, b.Name, b.Input)
			}
			c.used[b.ID], c.open[b.ID] = true, b.Name
			m.ToolCalls = append(m.ToolCalls, providers.ToolCall{ID: b.ID, Type: "function", Name: b.Name, Arguments: b.Input})
		default:
			return fmt.Errorf("content.%d: a %s in an assistant message", i, b.Type)
		}
	}
	c.unthought = len(c.open) > 0 && !strings.HasSuffix(blocks[0].Type, "thinking")
	c.out.Messages = append(c.out.Messages, m)
	return nil
}

// thinking checks the rules for a model that is asked to think.
func (c *anthropicCheck) thinking() error {
	t := c.req.Thinking
	switch {
	case t == nil, t.Type == "disabled", t.Type == "adaptive":
		return nil
	case t.Type != "enabled" || t.BudgetTokens < 1024 || t.BudgetTokens >= c.req.MaxTokens:
		return fmt.Errorf("thinking %+v with max_tokens %d", *t, c.req.MaxTokens)
	case c.req.Temperature != nil && *c.req.Temperature != 1:
		return errors.New("temperature may only be 1 when thinking is enabled")
	case c.req.ToolChoice != nil && (c.req.ToolChoice.Type == "any" || c.req.ToolChoice.Type == "tool"):
		return errors.New("thinking may not be enabled when tool_choice forces tool use")
	case c.unthought:
		return errors.New("expected thinking or redacted_thinking, but found tool_use: " +
			"when thinking is enabled, a final assistant message must start with a thinking block")
	}
	return nil
}
