package spoken

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/pkg/providers"
)

// scanner reads the calls at the end of an answer. A parser leaves it behind its calls.
type scanner struct {
	rest  string
	tools []providers.ToolDefinition
	found []found
	// schemas are the parameters of the tools that were looked up.
	schemas map[string]map[string]property
}

// found is one call, with the text that says it.
type found struct{ name, arguments, text string }

// is takes a literal if it comes next.
func (s *scanner) is(literal string) bool {
	rest, ok := strings.CutPrefix(s.rest, literal)
	s.rest = rest
	return ok
}

// space takes white space.
func (s *scanner) space() { s.rest = strings.TrimLeft(s.rest, " \t\r\n") }

// after takes white space and then a literal.
func (s *scanner) after(literal string) bool {
	s.space()
	return s.is(literal)
}

// until takes the text before a literal, and the literal.
func (s *scanner) until(literal string) (string, bool) {
	text, rest, ok := strings.Cut(s.rest, literal)
	if ok {
		s.rest = rest
	}
	return text, ok
}

// json takes one value of JSON.
func (s *scanner) json() (string, bool) {
	s.space()
	d := json.NewDecoder(strings.NewReader(s.rest))
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return "", false
	}
	s.rest = s.rest[d.InputOffset():]
	return string(raw), true
}

// took is the text between a place before and the place now.
func (s *scanner) took(before string) string { return before[:len(before)-len(s.rest)] }

// call notes a call; it is false for one without a name that a tool can have.
func (s *scanner) call(name, arguments, text string) bool {
	name = strings.TrimSpace(name)
	if !isName(name) {
		return false
	}
	s.found = append(s.found, found{name, arguments, text})
	return true
}

// offers says whether a tool was offered.
func (s *scanner) offers(name string) bool {
	return slices.ContainsFunc(s.tools, func(t providers.ToolDefinition) bool { return t.Function.Name == name })
}

func isName(name string) bool {
	const longest = 128
	if name == "" || len(name) > longest {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if (c < '0' || c > '9') && !strings.ContainsRune("_-.:/", rune(c)) {
				return false
			}
		}
	}
	return true
}

// wireCall is a call as JSON.
type wireCall struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
	Function   *wireCall       `json:"function"`
}

// object takes a call as a JSON object: a name with arguments or parameters, which another
// object may hold as its function.
func (s *scanner) object() bool {
	before := s.rest
	raw, ok := s.json()
	if !ok || !strings.HasPrefix(raw, "{") {
		return false
	}
	d := json.NewDecoder(strings.NewReader(raw))
	d.DisallowUnknownFields()
	var c wireCall
	if d.Decode(&c) != nil || c.Type != "" && c.Type != "function" {
		return false
	}
	if c.Function != nil {
		if c.Name != "" || c.Arguments != nil || c.Parameters != nil {
			return false
		}
		c = *c.Function
	}
	arguments := c.Arguments
	if arguments == nil {
		arguments = c.Parameters
	}
	if c.Function != nil || arguments == nil || c.Arguments != nil && c.Parameters != nil {
		return false
	}
	return s.call(c.Name, string(arguments), s.took(before))
}

// value is a parameter that was written as text, as JSON: text if the tool takes text there,
// else the JSON that it is.
func (s *scanner) value(tool, parameter, text string) json.RawMessage {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
	kinds := s.properties(tool)[parameter]
	plain := strings.TrimSpace(text)
	if plain == "null" && kinds.has("null") || !kinds.has("string") && json.Valid([]byte(plain)) {
		return json.RawMessage(plain)
	}
	return jsonText(text)
}

func jsonText(text string) json.RawMessage {
	b, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage("null") // no text fails to be encoded
	}
	return b
}

// property is the part of a parameter's schema that matters here.
type property struct {
	Type json.RawMessage `json:"type"`
}

// has says whether the schema names a type.
func (p property) has(kind string) bool { return strings.Contains(string(p.Type), `"`+kind+`"`) }

// properties are the parameters of a tool.
func (s *scanner) properties(tool string) map[string]property {
	if known, ok := s.schemas[tool]; ok {
		return known
	}
	if s.schemas == nil {
		s.schemas = map[string]map[string]property{}
	}
	var schema struct {
		Properties map[string]property `json:"properties"`
	}
	for i := range s.tools {
		f := &s.tools[i].Function
		if f.Name != tool {
			continue
		}
		raw := []byte(f.Encoded)
		if len(raw) == 0 {
			raw, _ = json.Marshal(f.Parameters) // without it no type is known
		}
		if json.Unmarshal(raw, &schema) != nil {
			schema.Properties = nil
		}
	}
	s.schemas[tool] = schema.Properties
	return schema.Properties
}

// arguments are parameters in the order in which they came, as the text of an object.
type arguments struct{ b strings.Builder }

func (a *arguments) add(name string, value json.RawMessage) {
	key, err := json.Marshal(name)
	if err != nil {
		return // no text fails to be encoded
	}
	a.b.WriteByte("{,"[min(a.b.Len(), 1)])
	a.b.Write(key)
	a.b.WriteByte(':')
	a.b.Write(value)
}

func (a *arguments) object() string {
	if a.b.Len() == 0 {
		return "{}"
	}
	return a.b.String() + "}"
}
