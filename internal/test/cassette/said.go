package cassette

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/providertest"
)

// The content of a request of any wire is that of the suite of providers.
type (
	// Request is a whole request.
	Request = providertest.Request
	// Entry is the text of one role.
	Entry = providertest.Entry
	// Call is a call of a tool.
	Call = providertest.Call
	// Tool is an offered tool.
	Tool = providertest.Tool
)

// Answer is the content of an answer of any wire.
type Answer struct {
	Text, Reasoning string
	Calls           []Call
	Signatures      []string
	// Prompt, Output, Cached and Thought count tokens: of the whole prompt, of the whole
	// output with reasoning, of the prompt's cached part and of the reasoning.
	Prompt, Output, Cached, Thought int
}

// ReadRequest reads a request.
func ReadRequest(wire Wire, body []byte) (Request, error) {
	switch wire {
	case OpenAI:
		return openAIRequest(body)
	case Anthropic:
		return anthropicRequest(body)
	case Gemini:
		return geminiRequest(body)
	default:
		return Request{}, fmt.Errorf("unknown wire %q", wire)
	}
}

// ReadAnswer reads a recorded answer.
func (s *Step) ReadAnswer() (Answer, error) {
	frames := []string{s.Answer}
	if s.Stream {
		frames = nil
		for line := range strings.Lines(s.Answer) {
			if data, ok := strings.CutPrefix(line, "data: "); ok && !strings.HasPrefix(data, "[DONE]") {
				frames = append(frames, data)
			}
		}
	}
	read := map[Wire]func([]string) (Answer, error){OpenAI: openAIAnswer, Anthropic: anthropicAnswer, Gemini: geminiAnswer}[s.Wire]
	a, err := read(frames)
	for i := range a.Calls {
		if a.Calls[i].Arguments == nil {
			a.Calls[i].Arguments = value(a.Calls[i].Raw)
		}
	}
	return a, err
}

// value decodes the arguments of a call; an empty text is an empty object.
func value(raw string) any {
	if strings.TrimSpace(raw) == "" {
		return map[string]any{}
	}
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		return "undecodable: " + raw
	}
	return v
}

// texts is a text, or a list of parts of which some have one.
type texts string

// UnmarshalJSON reads either.
func (t *texts) UnmarshalJSON(b []byte) error {
	var parts []struct{ Text string }
	if json.Unmarshal(b, &parts) == nil {
		for _, p := range parts {
			*t += texts(p.Text)
		}
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// disown empties the ids that no recorded answer gave, because each client makes up its
// own. It reports results whose id is another one than their call's.
func disown(r *Request, given map[string]bool) error {
	var open []string // ids of the calls before the results, in order
	for i := range r.Entries {
		e := &r.Entries[i]
		for j := range e.Calls {
			open = append(open, e.Calls[j].ID)
			if !given[e.Calls[j].ID] {
				e.Calls[j].ID = ""
			}
		}
		if e.Role != providers.RoleTool {
			continue
		}
		if len(open) == 0 || open[0] != e.ID {
			return fmt.Errorf("the result of %q follows the calls %q", e.ID, open)
		}
		if open = open[1:]; !given[e.ID] {
			e.ID = ""
		}
	}
	return nil
}

// lower gives a schema with the names of types in lower case, as JSON Schema has them.
func lower(schema map[string]any) map[string]any {
	for k, v := range schema {
		switch v := v.(type) {
		case map[string]any:
			lower(v)
		case string:
			if k == "type" {
				schema[k] = strings.ToLower(v)
			}
		}
	}
	return schema
}
