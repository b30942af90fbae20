package strictmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
)

// skipCheck is the documented signature for a call of another model.
const skipCheck = "skip_thought_signature_validator"

// geminiRequest is a request of generateContent.
type geminiRequest struct {
	Contents          []geminiContent `json:"contents"`
	SystemInstruction *geminiContent  `json:"systemInstruction"`
	Tools             []geminiTools   `json:"tools"`
	ToolConfig        *struct {
		Calling struct {
			Mode    string   `json:"mode"`
			Allowed []string `json:"allowedFunctionNames"`
		} `json:"functionCallingConfig"`
	} `json:"toolConfig"`
	GenerationConfig map[string]any   `json:"generationConfig"`
	SafetySettings   []map[string]any `json:"safetySettings"`
	CachedContent    string           `json:"cachedContent"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text         *string         `json:"text"`
	Thought      bool            `json:"thought"`
	Signature    string          `json:"thoughtSignature"`
	Call         *geminiCall     `json:"functionCall"`
	Response     *geminiResponse `json:"functionResponse"`
	InlineData   *geminiBlob     `json:"inlineData"`
	MediaQuality string          `json:"mediaResolution"`
}

type geminiBlob struct {
	MIME string `json:"mimeType"`
	Data []byte `json:"data"`
}

type geminiCall struct {
	ID   string         `json:"id"`
	Name string         `json:"name"`
	Args map[string]any `json:"args"`
}

type geminiResponse struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Response map[string]any `json:"response"`
}

type geminiTools struct {
	Functions []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		JSONSchema  json.RawMessage `json:"parametersJsonSchema"`
	} `json:"functionDeclarations"`
}

// geminiSchema is the part of OpenAPI's schema that the wire takes.
type geminiSchema struct {
	Type             string                  `json:"type"`
	Format           string                  `json:"format"`
	Title            string                  `json:"title"`
	Description      string                  `json:"description"`
	Nullable         bool                    `json:"nullable"`
	Enum             []string                `json:"enum"`
	Items            *geminiSchema           `json:"items"`
	Properties       map[string]geminiSchema `json:"properties"`
	PropertyOrdering []string                `json:"propertyOrdering"`
	Required         []string                `json:"required"`
	AnyOf            []geminiSchema          `json:"anyOf"`
	Minimum          json.Number             `json:"minimum"`
	Maximum          json.Number             `json:"maximum"`
	MinItems         json.Number             `json:"minItems"`
	MaxItems         json.Number             `json:"maxItems"`
	MinLength        json.Number             `json:"minLength"`
	MaxLength        json.Number             `json:"maxLength"`
	MinProperties    json.Number             `json:"minProperties"`
	MaxProperties    json.Number             `json:"maxProperties"`
	Pattern          string                  `json:"pattern"`
	Default          any                     `json:"default"`
	Example          any                     `json:"example"`
}

// geminiCheck walks through one request.
type geminiCheck struct {
	s    *Server
	req  *geminiRequest
	out  fakemodel.Request
	open []providers.ToolCall // calls of the content before
	// unsigned names a call of the running turn that has no signature.
	unsigned string
}

// gemini translates a request; the error tells the first rule that it breaks.
func (s *Server) gemini(req *geminiRequest) (*fakemodel.Request, error) {
	c := geminiCheck{s: s, req: req}
	if err := c.tools(); err != nil {
		return nil, err
	}
	if sys := req.SystemInstruction; sys != nil {
		var text strings.Builder
		for _, p := range sys.Parts {
			if p.Text == nil || *p.Text == "" {
				return nil, errors.New("system_instruction: a part without text")
			}
			text.WriteString(*p.Text)
		}
		c.out.Messages = append(c.out.Messages, providers.Message{Role: providers.RoleSystem, Content: text.String()})
	}
	if len(req.Contents) == 0 {
		return nil, errors.New("contents is not specified")
	}
	for i := range req.Contents {
		if err := c.content(i); err != nil {
			return nil, fmt.Errorf("contents[%d]: %w", i, err)
		}
	}
	switch {
	case len(c.open) > 0 || req.Contents[len(req.Contents)-1].Role != providers.RoleUser:
		return nil, errors.New("the last content is not the user's")
	case c.unsigned != "":
		return nil, fmt.Errorf("function call %q is missing a thought_signature", c.unsigned)
	}
	return &c.out, nil
}

func (c *geminiCheck) tools() error {
	names := map[string]bool{}
	for _, t := range c.req.Tools {
		for _, f := range t.Functions {
			var schema geminiSchema
			switch {
			case f.Name == "" || len(f.Name) > 64 || names[f.Name]:
				return fmt.Errorf("function declaration %q", f.Name)
			case len(f.Parameters) > 0 && len(f.JSONSchema) > 0:
				return fmt.Errorf("%s has parameters and parametersJsonSchema", f.Name)
			case len(f.Parameters) > 0:
				if err := strict(f.Parameters, &schema); err != nil {
					return fmt.Errorf("parameters of %s: %w", f.Name, err)
				}
			}
			names[f.Name] = true
			c.out.Tools = append(c.out.Tools, providers.ToolDefinition{
				Type: "function", Function: providers.FunctionDefinition{Name: f.Name, Description: f.Description},
			})
		}
	}
	return c.choice(names)
}

// choice checks the choice among the tools with these names.
func (c *geminiCheck) choice(names map[string]bool) error {
	if c.req.ToolConfig == nil {
		return nil
	}
	config := &c.req.ToolConfig.Calling
	if !slices.Contains([]string{"AUTO", "ANY", "NONE", "VALIDATED"}, config.Mode) || len(config.Allowed) > 0 && config.Mode != "ANY" {
		return fmt.Errorf("function_calling_config %+v", *config)
	}
	for _, name := range config.Allowed {
		if !names[name] {
			return fmt.Errorf("allowed_function_names has %q", name)
		}
	}
	return nil
}

func (c *geminiCheck) content(i int) error {
	content := &c.req.Contents[i]
	if len(content.Parts) == 0 {
		return errors.New("must include at least one parts field")
	}
	for n := range content.Parts {
		if err := content.Parts[n].one(); err != nil {
			return fmt.Errorf("parts[%d]: %w", n, err)
		}
	}
	switch content.Role {
	case providers.RoleUser:
		return c.user(content.Parts)
	case "model":
		if i == 0 {
			return errors.New("a function call turn comes after a user turn or a function response turn")
		}
		return c.model(content.Parts)
	default:
		return fmt.Errorf("role %q: please use a valid role: user, model", content.Role)
	}
}

// one says whether a part has exactly one kind of data.
func (p *geminiPart) one() error {
	n := 0
	for _, there := range []bool{p.Text != nil, p.Call != nil, p.Response != nil, p.InlineData != nil} {
		if there {
			n++
		}
	}
	if n != 1 || p.Text != nil && *p.Text == "" && p.Signature == "" {
		return errors.New("required oneof field 'data' must have one initialized field")
	}
	return nil
}

func (c *geminiCheck) user(parts []geminiPart) error {
	m := providers.Message{Role: providers.RoleUser}
	responses := 0
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Response != nil:
			if responses >= len(c.open) || p.Response.Name != c.open[responses].Name || p.Response.Response == nil {
				return fmt.Errorf("parts[%d]: the response of %q answers no call", i, p.Response.Name)
			}
			call := c.open[responses]
			if id := c.ids(call.ID); id != p.Response.ID {
				return fmt.Errorf("parts[%d]: the response has the id %q, its call %q", i, p.Response.ID, id)
			}
			responses++
			c.out.Messages = append(c.out.Messages, providers.Message{
				Role: providers.RoleTool, ToolCallID: call.ID, Name: call.Name, Content: encode(p.Response.Response),
			})
		case p.Text != nil:
			m.Content += *p.Text
		case p.InlineData != nil:
			m.Images = append(m.Images, providers.Image{MIME: p.InlineData.MIME})
		default:
			return fmt.Errorf("parts[%d]: a function call of the user", i)
		}
	}
	if responses != len(c.open) {
		return errors.New("the number of function response parts must be equal to the number of function call parts of the function call turn")
	}
	c.open = nil
	if m.Content != "" || len(m.Images) > 0 {
		c.unsigned = "" // the calls of earlier turns are not checked
		c.out.Messages = append(c.out.Messages, m)
	}
	return nil
}

// ids is the id of a call on the wire: a call without one got a name of ours.
func (c *geminiCheck) ids(id string) string {
	if strings.HasPrefix(id, "unnamed ") {
		return ""
	}
	return id
}

func (c *geminiCheck) model(parts []geminiPart) error {
	if len(c.open) > 0 {
		return errors.New("a function call turn without its function response turn")
	}
	m := providers.Message{Role: providers.RoleAssistant}
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Call != nil:
			if err := c.call(p, len(c.open) == 0); err != nil {
				return fmt.Errorf("parts[%d]: %w", i, err)
			}
			id := p.Call.ID
			if id == "" {
				id = "unnamed " + strconv.Itoa(len(c.out.Messages)) + "." + strconv.Itoa(i)
			}
			call := providers.ToolCall{ID: id, Type: "function", Name: p.Call.Name, Arguments: p.Call.Args}
			c.open, m.ToolCalls = append(c.open, call), append(m.ToolCalls, call)
		case p.Text != nil && p.Thought:
			m.Reasoning += *p.Text
		case p.Text != nil:
			if p.Signature != "" && p.Signature != c.s.seal(*p.Text) {
				return fmt.Errorf("parts[%d]: the thought signature is not valid", i)
			}
			m.Content += *p.Text
		default:
			return fmt.Errorf("parts[%d]: data of a model that is no text and no call", i)
		}
	}
	c.out.Messages = append(c.out.Messages, m)
	return nil
}

// call checks the signature of a call. The first one of an answer needs one.
func (c *geminiCheck) call(p *geminiPart, first bool) error {
	want, err := c.s.sealOfCall(p.Call.Name, p.Call.Args)
	switch {
	case err != nil:
		return err
	case p.Call.Name == "":
		return errors.New("function_call.name: Name cannot be empty")
	case p.Signature == "" && first:
		c.unsigned = p.Call.Name
	case p.Signature != "" && p.Signature != want && p.Signature != skipCheck:
		return fmt.Errorf("the thought signature of %s is not valid", p.Call.Name)
	}
	return nil
}
