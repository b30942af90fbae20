package prefix

import (
	"encoding/json"
	"fmt"
)

// Request is a request of the OpenAI protocol.
type Request struct {
	// Body are the bytes of the whole request.
	Body []byte
	// Tools are the definitions of the tools, as they came.
	Tools []Tool
	// System is the text of the first message if that is a system message.
	System string
	// Messages are all messages, as they came.
	Messages []json.RawMessage
}

// Tool is one tool of a request.
type Tool struct {
	Name, Description string
	Parameters        json.RawMessage
	// Raw is the whole definition.
	Raw json.RawMessage
}

// Read takes a request apart.
func Read(body []byte) (*Request, error) {
	var wire struct {
		Messages []json.RawMessage `json:"messages"`
		Tools    []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	r := &Request{Body: body, Messages: wire.Messages}
	for _, raw := range wire.Tools {
		var t struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, fmt.Errorf("a tool of the request cannot be read: %w", err)
		}
		r.Tools = append(r.Tools, Tool{
			Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters, Raw: raw,
		})
	}
	if len(r.Messages) > 0 {
		var first struct{ Role, Content string }
		if json.Unmarshal(r.Messages[0], &first) == nil && first.Role == "system" {
			r.System = first.Content
		}
	}
	return r, nil
}

// Parts are the sizes of a request in bytes.
type Parts struct {
	Tools, System, Messages, Rest int
}

// All is the size of the whole request.
func (p Parts) All() int { return p.Tools + p.System + p.Messages + p.Rest }

// Tokens estimates how many tokens bytes of a request are.
func Tokens(bytes int) int { return (bytes + 3) / 4 } //nolint:mnd // bytes to a token

// Parts measures a request.
func (r *Request) Parts() Parts {
	var p Parts
	for _, t := range r.Tools {
		p.Tools += len(t.Raw)
	}
	for i, m := range r.Messages {
		if i == 0 && r.System != "" {
			p.System = len(m)
			continue
		}
		p.Messages += len(m)
	}
	p.Rest = len(r.Body) - p.Tools - p.System - p.Messages
	return p
}

// Share is how much of r, from its beginning, earlier has as well: 0 to 1.
func (r *Request) Share(earlier *Request) float64 {
	a, b := r.read(), earlier.read()
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if len(a) == 0 {
		return 0
	}
	return float64(n) / float64(len(a))
}

// read is a request in the order in which servers read it.
func (r *Request) read() []byte {
	var all []byte
	for _, t := range r.Tools {
		all = append(append(all, t.Raw...), '\n')
	}
	for _, m := range r.Messages {
		all = append(append(all, m...), '\n')
	}
	return all
}
