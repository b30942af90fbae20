package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"parley/pkg/providers"
)

// The limits of a call's arguments, whoever wrote them.
const (
	maxArgumentBytes = 1 << 20
	maxArgumentDepth = 64
	maxProblems      = 20
	maxProblemBytes  = 200
)

// ToolToSchema describes a tool as it is sent to a model:
// {"type":"function","function":{"name":…,"description":…,"parameters":{…}}}.
func ToolToSchema(tool Tool) map[string]any {
	return schemaMap(tool.Name(), tool.Description(), parametersOf(tool))
}

func schemaMap(name, description string, parameters map[string]any) map[string]any {
	return map[string]any{
		"type": "function",
		"function": map[string]any{
			"name":        name,
			"description": description,
			"parameters":  parameters,
		},
	}
}

func definitionOf(name, description string, parameters map[string]any) providers.ToolDefinition {
	f := providers.FunctionDefinition{Name: name, Description: description, Parameters: parameters}
	if text, err := jsonText(parameters); err == nil { // else the tool is disabled for its schema
		f.Encoded = json.RawMessage(text)
	}
	return providers.ToolDefinition{Type: "function", Function: f}
}

// parametersOf gives a tool without parameters the schema that servers want to see.
func parametersOf(tool Tool) map[string]any {
	if p := tool.Parameters(); len(p) > 0 {
		return p
	}
	return map[string]any{"type": "object", "properties": map[string]any{}}
}

// noLoader keeps a schema from reading files or addresses.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a tool's schema must not refer to %s", url)
}

// compileSchema makes a validator of a tool's parameters.
func compileSchema(parameters map[string]any) (*jsonschema.Schema, error) {
	if t, ok := parameters["type"]; ok && t != "object" {
		return nil, fmt.Errorf("the schema's type must be object, not %v", t)
	}
	doc, err := viaJSON(parameters)
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	const url = "parley:///parameters.json"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	s, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("the schema is not valid: %w", err)
	}
	return s, nil
}

// viaJSON turns any Go value into what decoding its JSON gives.
func viaJSON(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(strings.NewReader(string(b)))
}

// validate checks arguments against a schema; it lists everything that is wrong.
func validate(s *jsonschema.Schema, args map[string]any) (fail *Error) {
	defer func() {
		if p := recover(); p != nil {
			fail = Fail(ErrInvalidArguments, "the arguments cannot be checked", nil).Because(fmt.Errorf("validation panicked: %v", p))
		}
	}()
	if fail := measure(args); fail != nil {
		return fail
	}
	err := s.Validate(args)
	if err == nil {
		return nil
	}
	var ve *jsonschema.ValidationError
	if errors.As(err, &ve) && hasForeign(ve) {
		// A caller in Go may pass []string where JSON would give []any.
		plain, jerr := viaJSON(args)
		if jerr != nil {
			return Fail(ErrInvalidArguments, "the arguments are not JSON: "+clip(jerr.Error(), maxProblemBytes), nil)
		}
		if err = s.Validate(plain); err == nil {
			return nil
		}
	}
	return explain(err)
}

// explain lists the leaves of a validation error by path.
func explain(err error) *Error {
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return Fail(ErrInvalidArguments, "the arguments cannot be checked: "+clip(err.Error(), maxProblemBytes), nil)
	}
	p := message.NewPrinter(language.English)
	var lines []string
	problems := []map[string]any{}
	count := 0
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, c := range e.Causes {
			walk(c)
		}
		if len(e.Causes) > 0 {
			return
		}
		if count++; count > maxProblems {
			return
		}
		path := clip("/"+strings.Join(e.InstanceLocation, "/"), maxProblemBytes)
		text := clip(e.ErrorKind.LocalizedString(p), maxProblemBytes)
		problems = append(problems, map[string]any{"path": path, "problem": text})
		lines = append(lines, path+": "+text)
	}
	walk(ve)
	msg := "the arguments do not fit: " + strings.Join(lines, "; ")
	if count > maxProblems {
		msg += fmt.Sprintf("; and %d more", count-maxProblems)
	}
	return Fail(ErrInvalidArguments, msg, map[string]any{"errors": problems})
}

// hasForeign says whether a value was refused because its Go type is not one that JSON gives.
func hasForeign(e *jsonschema.ValidationError) bool {
	if _, ok := e.ErrorKind.(*kind.InvalidJsonValue); ok {
		return true
	}
	return slices.ContainsFunc(e.Causes, hasForeign)
}

// measure refuses arguments that are too large or too deep before anything walks them.
func measure(args map[string]any) *Error {
	left := maxArgumentBytes
	if fits(args, maxArgumentDepth, &left) {
		return nil
	}
	return Fail(ErrInvalidArguments, fmt.Sprintf(
		"the arguments are too large: at most %d bytes and %d levels are allowed", maxArgumentBytes, maxArgumentDepth), nil)
}

func fits(v any, depth int, left *int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case string:
		*left -= len(v)
	case map[string]any:
		for k, e := range v {
			if *left -= len(k); !fits(e, depth-1, left) {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !fits(e, depth-1, left) {
				return false
			}
		}
	}
	*left--
	return *left >= 0
}

// validName says whether servers take the name: ^[A-Za-z0-9_-]{1,64}$.
func validName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// copySchema keeps what a tool does later to its own map away from other goroutines.
func copySchema(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = copySchema(e)
		}
		return m
	case []any:
		s := make([]any, len(v))
		for i, e := range v {
			s[i] = copySchema(e)
		}
		return s
	case []string:
		return append(make([]string, 0, len(v)), v...)
	default:
		return v
	}
}
