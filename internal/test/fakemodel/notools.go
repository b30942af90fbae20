package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/pkg/providers"
)

// wireFormat is the form in which a request wants the answer.
type wireFormat struct {
	Type       string `json:"type"`
	JSONSchema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict bool            `json:"strict"`
	} `json:"json_schema"`
}

// legal gives the schema of the format; nil without one.
func (f *wireFormat) legal() (*jsonschema.Schema, error) {
	if f == nil {
		return nil, nil //nolint:nilnil // no format is legal
	}
	if f.Type != "json_schema" || !legalName(f.JSONSchema.Name) {
		return nil, errors.New("response_format is no json_schema with a name")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(f.JSONSchema.Schema))
	if err != nil {
		return nil, fmt.Errorf("response_format: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///format", doc); err != nil {
		return nil, fmt.Errorf("response_format: %w", err)
	}
	schema, err := c.Compile("mem:///format")
	if err != nil {
		return nil, fmt.Errorf("response_format: %w", err)
	}
	return schema, nil
}

// refusal is the answer of a server without tools to a request with some.
func (s *Server) refusal(r *Request) (Fault, bool) {
	if !s.opts.NoTools {
		return Fault{}, false
	}
	named := len(r.Tools) > 0
	for i := range r.Messages {
		named = named || r.Messages[i].Role == providers.RoleTool || len(r.Messages[i].ToolCalls) > 0
	}
	return Fault{
		Status: http.StatusBadRequest, Code: "invalid_request_error", Message: r.Model + " does not support tools",
	}, named
}

// toldTools reads the tools that the instructions of a request tell, one on each line.
func (r *Request) toldTools() (all []providers.ToolDefinition) {
	if r.Messages[0].Role != providers.RoleSystem {
		return nil
	}
	for line := range strings.Lines(r.Messages[0].Content) {
		var told struct {
			Tool, Description string
			Arguments         map[string]any
		}
		if !strings.HasPrefix(line, `{"tool":`) || json.Unmarshal([]byte(line), &told) != nil || told.Tool == "" {
			continue
		}
		all = append(all, providers.ToolDefinition{Type: "function", Function: providers.FunctionDefinition{
			Name: told.Tool, Description: told.Description, Parameters: told.Arguments,
		}})
	}
	return all
}

// retell gives the script the calls and results of a conversation that tells them as JSON.
func (r *Request) retell() {
	var out []providers.Message
	var calls []providers.ToolCall
	for i := range r.Messages {
		m := r.Messages[i]
		switch {
		case m.Role == providers.RoleAssistant:
			m = toldCalls(m, i)
			calls = m.ToolCalls
		case m.Role == providers.RoleUser && strings.HasPrefix(m.Content, `{"results":`):
			var told struct {
				Results []struct{ Tool, Result string }
			}
			if json.Unmarshal([]byte(m.Content), &told) == nil && len(told.Results) == len(calls) {
				for j, result := range told.Results {
					out = append(out, providers.Message{
						Role: providers.RoleTool, Name: result.Tool, Content: result.Result, ToolCallID: calls[j].ID,
					})
				}
				continue
			}
		}
		out = append(out, m)
	}
	r.Messages = out
}

// toldCalls reads the text of message i of a model.
func toldCalls(m providers.Message, i int) providers.Message {
	type told struct {
		Answer string `json:"answer"`
		Calls  []struct {
			Tool      string          `json:"tool"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"calls"`
	}
	read := providers.Message{Role: m.Role}
	for d := json.NewDecoder(strings.NewReader(m.Content)); d.More(); {
		var t told
		if d.Decode(&t) != nil {
			return m
		}
		read.Content += t.Answer
		for j, c := range t.Calls {
			read.ToolCalls = append(read.ToolCalls, providers.ToolCall{
				ID: fmt.Sprintf("call_%d_%d", i, j), Type: "function", Name: c.Tool, RawArguments: string(c.Arguments),
			})
		}
	}
	return read
}

// tell makes the answer the JSON that a request wants, with the arguments of calls as the
// script wrote them.
func (a *Answer) tell() {
	if len(a.ToolCalls) == 0 {
		a.Content = string(encode(map[string]any{"answer": a.Content}))
		return
	}
	var calls []string
	for i := range a.ToolCalls {
		c := &a.ToolCalls[i]
		arguments := argumentsOf(c)
		if arguments == "" {
			arguments = "{}"
		}
		calls = append(calls, `{"tool":`+string(encode(c.Name))+`,"arguments":`+arguments+`}`)
	}
	a.Content, a.ToolCalls = `{"calls":[`+strings.Join(calls, ",")+`]}`, nil
}

// fits holds a text against the schema of a format.
func fits(text string, schema *jsonschema.Schema) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}
