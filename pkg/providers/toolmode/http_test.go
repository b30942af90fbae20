package toolmode_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/internal/test/cassette"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
	"parley/pkg/providers/toolmode"
)

// TestConformanceOverHTTP runs each scenario of the suite over HTTP with a server that has no
// tools: the answers are JSON in the text, and the requests tell tools, calls and results.
func TestConformanceOverHTTP(t *testing.T) {
	t.Parallel()
	suite := cassette.Suite(cassette.OpenAI)
	answer, read := suite.Answer, suite.Read
	suite.Told = true
	suite.Answer = func(a *providers.LLMResponse, stream bool) []string { return answer(toldAnswer(t, a), stream) }
	suite.Read = func(body []byte) (providertest.Request, error) {
		r, err := read(body)
		if err == nil {
			err = retell(&r, body)
		}
		return r, err
	}
	suite.Connect = func(t *testing.T, s providertest.Server) providers.LLMProvider {
		t.Helper()
		p := openai.New(openai.Options{
			BaseURL: s.URL + "/v1", Key: func() string { return s.Key }, Images: s.Images, Transport: s.Transport,
		})
		t.Cleanup(p.Close)
		return toolmode.New(p, toolmode.Options{Mode: toolmode.JSONSchema})
	}
	providertest.RunHTTP(t, suite)
}

// toldCall is a call in the text of an answer.
type toldCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// toldAnswer is an answer with its calls in the text, behind what it says, as the requests
// tell it.
func toldAnswer(t *testing.T, a *providers.LLMResponse) *providers.LLMResponse {
	t.Helper()
	var objects []any
	if a.Content != "" || len(a.ToolCalls) == 0 {
		objects = append(objects, map[string]string{"answer": a.Content})
	}
	var calls []toldCall
	for i := range a.ToolCalls {
		calls = append(calls, toldCall{a.ToolCalls[i].Name, json.RawMessage(a.ToolCalls[i].RawArguments)})
	}
	if len(calls) > 0 {
		objects = append(objects, map[string][]toldCall{"calls": calls})
	}
	own := *a
	own.Content, own.ToolCalls, own.FinishReason = "", nil, providers.FinishStop
	for _, o := range objects {
		b, err := json.Marshal(o)
		if err != nil {
			t.Error(err)
		}
		own.Content += string(b) + "\n"
	}
	return &own
}

// retell reads the tools, the choice among them, the calls and the results of a request from
// its texts.
func retell(r *providertest.Request, body []byte) error {
	if len(r.Tools) > 0 || r.Choice != "" {
		return fmt.Errorf("the server without tools is offered %v, with the choice %q", r.Tools, r.Choice)
	}
	var wire struct {
		Format *struct {
			Schema struct{ Schema json.RawMessage } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &wire); err != nil || wire.Format == nil {
		return err // a request without tools is as everywhere
	}
	for line := range strings.Lines(r.System) {
		var tool struct {
			Tool, Description string
			Arguments         map[string]any
		}
		if strings.HasPrefix(line, `{"tool":`) && json.Unmarshal([]byte(line), &tool) == nil {
			r.Tools = append(r.Tools, providertest.Tool{Name: tool.Tool, Description: tool.Description, Schema: tool.Arguments})
		}
	}
	r.Choice = choiceIn(string(wire.Format.Schema.Schema), r.Tools)
	var entries []providertest.Entry
	for i := range r.Entries {
		told, err := retellEntry(&r.Entries[i])
		if err != nil {
			return err
		}
		entries = append(entries, told...)
	}
	r.Entries = entries
	return nil
}

// choiceIn is the choice among tools that a schema of the answer expresses.
func choiceIn(schema string, tools []providertest.Tool) string {
	var callable []string
	for _, tool := range tools {
		if strings.Contains(schema, `"enum":["`+tool.Name+`"]`) {
			callable = append(callable, tool.Name)
		}
	}
	switch text := strings.Contains(schema, `"answer"`); {
	case text && len(callable) == len(tools):
		return ""
	case text && len(callable) == 0:
		return "none"
	case !text && len(callable) == len(tools):
		return "required"
	case !text && len(callable) == 1:
		return callable[0]
	default:
		return "no choice: " + schema
	}
}

// retellEntry reads the objects in the text of the model, or the results in that of a person.
func retellEntry(e *providertest.Entry) ([]providertest.Entry, error) {
	if e.Role == providers.RoleUser {
		if !strings.HasPrefix(e.Text, `{"results":`) {
			return []providertest.Entry{*e}, nil
		}
		var told struct {
			Results []struct{ Tool, Result string }
		}
		if err := json.Unmarshal([]byte(e.Text), &told); err != nil {
			return nil, err
		}
		var results []providertest.Entry
		for _, r := range told.Results {
			results = append(results, providertest.Entry{Role: providers.RoleTool, Name: r.Tool, Text: r.Result})
		}
		return results, nil
	}
	own := *e
	own.Text = ""
	for d := json.NewDecoder(strings.NewReader(e.Text)); d.More(); {
		var told struct {
			Answer string
			Calls  []toldCall
		}
		if err := d.Decode(&told); err != nil {
			return nil, fmt.Errorf("the model's text %q is not as it answers: %w", e.Text, err)
		}
		own.Text += told.Answer
		for _, c := range told.Calls {
			call := providertest.Call{Name: c.Tool}
			if err := json.Unmarshal(c.Arguments, &call.Arguments); err != nil {
				return nil, err
			}
			own.Calls = append(own.Calls, call)
		}
	}
	return []providertest.Entry{own}, nil
}
