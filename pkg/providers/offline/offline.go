package offline

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/pkg/providers"
)

// Options are the settings of the model.
type Options struct {
	// Version is the product's version, named when someone asks; empty is fine.
	Version string
}

// Provider is the model. It is safe for use by many goroutines.
type Provider struct {
	// Making the grammar takes some milliseconds, and a process with another model may
	// not need it.
	grammar func() *grammar
	about   about
}

// ModelName is the name in its answers' Model field.
const ModelName = "offline"

// New makes the model.
func New(o Options) *Provider {
	a := about{version: o.Version}
	return &Provider{grammar: sync.OnceValue(func() *grammar { return newGrammar(a) }), about: a}
}

// Chat answers at once; see [providers.LLMProvider].
func (p *Provider) Chat(
	ctx context.Context, messages []providers.Message,
	tools []providers.ToolDefinition, _ string, options map[string]any,
) (*providers.LLMResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	choice, err := newChoice(options["tool_choice"], tools)
	if err != nil {
		return nil, err
	}
	messages = slices.DeleteFunc(slices.Clone(messages), func(m providers.Message) bool { return m.Aside })
	if summary, ok := summarise(messages); ok {
		return textAnswer(summary), nil
	}
	t := p.readTurn(messages)
	calls, err := t.calls(p.grammar(), choice)
	if err != nil {
		return nil, err
	}
	if len(calls) > 0 {
		return &providers.LLMResponse{ToolCalls: calls, FinishReason: providers.FinishToolCalls, Model: ModelName}, nil
	}
	return textAnswer(t.answer(p.grammar(), p.about, choice)), nil
}

// ChatStream answers word by word; see [providers.StreamingProvider].
func (p *Provider) ChatStream(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition,
	model string, options map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	resp, err := p.Chat(ctx, messages, tools, model, options)
	if err != nil {
		return nil, err
	}
	for word := range words(resp.Content) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		emit(providers.TextDelta{Text: word})
	}
	for i, c := range resp.ToolCalls {
		emit(providers.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.RawArguments})
	}
	return resp, nil
}

func textAnswer(text string) *providers.LLMResponse {
	return &providers.LLMResponse{Content: text, FinishReason: providers.FinishStop, Model: ModelName}
}

// words cuts text after each run of spaces.
func words(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, inSpace := 0, false
		for i, r := range text {
			space := unicode.IsSpace(r)
			if inSpace && !space {
				if !yield(text[start:i]) {
					return
				}
				start = i
			}
			inSpace = space
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

// choice says which tools the model may and must call.
type choice struct {
	offered map[string]providers.FunctionDefinition
	names   []string
	// forbidden: no call in this answer. required: at least one.
	forbidden, required bool
	// only is the name of the one tool that must be called.
	only string
}

func newChoice(option any, tools []providers.ToolDefinition) (choice, error) {
	c := choice{offered: make(map[string]providers.FunctionDefinition, len(tools))}
	for _, t := range tools {
		c.offered[t.Function.Name] = t.Function
		c.names = append(c.names, t.Function.Name)
	}
	switch v := option.(type) {
	case nil:
	case string:
		c.forbidden, c.required = v == "none", v == "required" && len(tools) > 0
	case map[string]any:
		c.only, _ = v["name"].(string)
		if _, ok := c.offered[c.only]; !ok {
			return choice{}, &providers.Error{
				Kind: providers.KindInvalid, Model: ModelName, Message: "tool_choice names a tool that is not offered",
				Err: errors.New("tool_choice"),
			}
		}
		c.required = true
	}
	return c, nil
}

// has says whether the tool may be called now.
func (c choice) has(name string) bool {
	_, ok := c.offered[name]
	return ok && !c.forbidden && (c.only == "" || c.only == name)
}

// invent makes the call that tool_choice demands if the person asked for no call: the
// named tool, else one that needs no arguments, else the first. The person's text
// fills the texts that it requires.
func (c choice) invent(text string) call {
	name := c.only
	if name == "" {
		name = c.names[0]
		for _, n := range c.names {
			if len(requiredOf(c.offered[n])) == 0 {
				name = n
				break
			}
		}
	}
	args := map[string]any{}
	for _, key := range requiredOf(c.offered[name]) {
		args[key] = text
	}
	return call{name: name, args: args}
}

func requiredOf(f providers.FunctionDefinition) []string {
	switch r := f.Parameters["required"].(type) {
	case []string:
		return r
	case []any:
		var out []string
		for _, k := range r {
			if s, ok := k.(string); ok {
				out = append(out, s)
			}
		}
		return out
	default:
		return nil
	}
}

// call is a tool call before it has an id.
type call struct {
	name string
	args map[string]any
	// raw is the person's text after /tool NAME; empty elsewhere.
	raw string
}

func (c call) toolCall(id string) (providers.ToolCall, error) {
	out := providers.ToolCall{ID: id, Type: "function", Name: c.name, Arguments: c.args, RawArguments: c.raw}
	if c.args != nil {
		text := &strings.Builder{}
		enc := json.NewEncoder(text)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(c.args); err != nil {
			return providers.ToolCall{}, err
		}
		out.RawArguments = strings.TrimSpace(text.String())
		return out, nil
	}
	var bad error
	if out.Arguments, bad = providers.DecodeArguments(c.raw); bad != nil {
		out.BadArguments = bad.Error()
	}
	return out, nil
}
