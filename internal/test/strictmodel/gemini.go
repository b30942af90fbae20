package strictmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"parley/internal/test/fakegemini"
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
	GenerationConfig map[string]any `json:"generationConfig"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text       *string         `json:"text"`
	Thought    bool            `json:"thought"`
	Signature  string          `json:"thoughtSignature"`
	Call       *geminiCall     `json:"functionCall"`
	Response   *geminiResponse `json:"functionResponse"`
	InlineData *geminiBlob     `json:"inlineData"`
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
	} `json:"functionDeclarations"`
}

// geminiCheck walks through one request that breaks no rule of the protocol, as package
// fakegemini has them. It checks the signatures, which are its own.
type geminiCheck struct {
	s    *Server
	req  *geminiRequest
	out  fakemodel.Request
	open []providers.ToolCall // calls of the content before
	// unsigned names a call of the running turn that has no signature.
	unsigned string
}

// gemini translates a request; the error tells the first rule that it breaks.
func (s *Server) gemini(body []byte, req *geminiRequest) (*fakemodel.Request, error) {
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, err
	}
	if broken := (fakegemini.Rules{}).Broken(fields); broken != "" {
		return nil, errors.New(broken)
	}
	c := geminiCheck{s: s, req: req}
	for _, t := range req.Tools {
		for _, f := range t.Functions {
			c.out.Tools = append(c.out.Tools, providers.ToolDefinition{
				Type: "function", Function: providers.FunctionDefinition{Name: f.Name, Description: f.Description},
			})
		}
	}
	if sys := req.SystemInstruction; sys != nil {
		var text strings.Builder
		for _, p := range sys.Parts {
			text.WriteString(*p.Text)
		}
		c.out.Messages = append(c.out.Messages, providers.Message{Role: providers.RoleSystem, Content: text.String()})
	}
	for i := range req.Contents {
		content := &req.Contents[i]
		if content.Role == providers.RoleUser {
			c.user(content.Parts)
		} else if err := c.model(content.Parts); err != nil {
			return nil, fmt.Errorf("contents[%d]: %w", i, err)
		}
	}
	if c.unsigned != "" {
		return nil, fmt.Errorf("function call %q is missing a thought_signature", c.unsigned)
	}
	return &c.out, nil
}

func (c *geminiCheck) user(parts []geminiPart) {
	m := providers.Message{Role: providers.RoleUser}
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Response != nil: // in the order of the calls
			call := c.open[0]
			c.open = c.open[1:]
			c.out.Messages = append(c.out.Messages, providers.Message{
				Role: providers.RoleTool, ToolCallID: call.ID, Name: call.Name, Content: encode(p.Response.Response),
			})
		case p.Text != nil:
			m.Content += *p.Text
		case p.InlineData != nil:
			m.Images = append(m.Images, providers.Image{MIME: p.InlineData.MIME})
		}
	}
	if m.Content != "" || len(m.Images) > 0 {
		c.unsigned = "" // the calls of earlier turns are not checked
		c.out.Messages = append(c.out.Messages, m)
	}
}

func (c *geminiCheck) model(parts []geminiPart) error {
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
	case p.Signature == "" && first:
		c.unsigned = p.Call.Name
	case p.Signature != "" && p.Signature != want && p.Signature != skipCheck:
		return fmt.Errorf("the thought signature of %s is not valid", p.Call.Name)
	}
	return nil
}
