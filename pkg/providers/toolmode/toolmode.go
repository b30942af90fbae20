package toolmode

import (
	"context"
	"errors"
	"maps"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// Mode is how tools are offered to a model.
type Mode string

// The modes; the empty one is Auto.
const (
	// Auto is Native, and another one where the server refuses that.
	Auto Mode = "auto"
	// Native is the server's own way.
	Native Mode = "native"
	// JSONSchema is an answer constrained to JSON.
	JSONSchema Mode = "json_schema"
	// None offers no tools.
	None Mode = "none"

	// The mode of JSONSchema with a grammar in place of the schema.
	byGrammar Mode = "grammar"
)

// OptionFormat is the option with the JSON Schema (json.RawMessage) of the answer's text.
const OptionFormat = "response_format"

// OptionGrammar is the option with the grammar (string) of the answer's text, as llama.cpp
// writes it.
const OptionGrammar = "grammar"

// Options describe a [Provider].
type Options struct {
	// Mode is how tools are offered; empty means [Auto].
	Mode Mode
	// Grammar says that the server takes a grammar, too.
	Grammar bool
	// OnRefusal, if set, is told when a model is asked in another mode from now on because
	// its server refused.
	OnRefusal func(model string, next Mode, refusal *providers.Error)
}

// Provider offers tools to the models of one server. It is safe for use by many goroutines
// at once.
type Provider struct {
	next    providers.LLMProvider
	options Options
	learned refusals
}

// New wraps the provider of one server.
func New(p providers.LLMProvider, o Options) *Provider {
	if o.Mode == "" {
		o.Mode = Auto
	}
	if o.OnRefusal == nil {
		o.OnRefusal = func(string, Mode, *providers.Error) {}
	}
	return &Provider{next: p, options: o}
}

// question is one request.
type question struct {
	messages []providers.Message
	tools    []providers.ToolDefinition
	model    string
	options  map[string]any
	stream   bool
	emit     func(providers.StreamEvent)
}

// Chat implements [providers.LLMProvider].
func (p *Provider) Chat(
	ctx context.Context, messages []providers.Message,
	tools []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error) {
	none := func(providers.StreamEvent) {}
	return p.ask(ctx, &question{messages: messages, tools: tools, model: model, options: options, emit: none})
}

// ChatStream implements [providers.StreamingProvider].
func (p *Provider) ChatStream(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition,
	model string, options map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	if emit == nil {
		emit = func(providers.StreamEvent) {}
	}
	return p.ask(ctx, &question{messages: messages, tools: tools, model: model, options: options, stream: true, emit: emit})
}

// ask asks in the mode that holds for the model, and in others as its server refuses.
func (p *Provider) ask(ctx context.Context, q *question) (*providers.LLMResponse, error) {
	mode := p.options.Mode
	if mode == Auto {
		mode = Native
	}
	mode = p.learned.of(q.model, mode)
	for {
		resp, err := p.in(ctx, mode, q)
		if err == nil || ctx.Err() != nil || !q.hasTools() {
			return resp, err
		}
		next, refusal := p.options.other(mode, err)
		if refusal == nil {
			return nil, err
		}
		p.learned.note(q.model, next)
		p.options.OnRefusal(q.model, next, refusal)
		mode = next
	}
}

// choice is the caller's tool_choice.
func (q *question) choice() (exchange.Choice, error) {
	c, err := exchange.ToolChoice(q.options["tool_choice"])
	if refused, ok := errors.AsType[*providers.Error](err); ok {
		refused.Model = q.model
	}
	return c, err
}

// hasTools says whether a request is about tools at all.
func (q *question) hasTools() bool {
	if len(q.tools) > 0 {
		return true
	}
	for i := range q.messages {
		if q.messages[i].Role == providers.RoleTool || len(q.messages[i].ToolCalls) > 0 {
			return true
		}
	}
	return false
}

// in asks in one mode.
func (p *Provider) in(ctx context.Context, mode Mode, q *question) (*providers.LLMResponse, error) {
	switch {
	case mode == Native || !q.hasTools():
		return p.send(ctx, q)
	case mode != None && len(q.tools) > 0:
		return p.asJSON(ctx, mode, q)
	default:
		return p.without(ctx, q)
	}
}

func (p *Provider) send(ctx context.Context, q *question) (*providers.LLMResponse, error) {
	if !q.stream {
		return p.next.Chat(ctx, q.messages, q.tools, q.model, q.options)
	}
	return providers.Stream(ctx, p.next, q.messages, q.tools, q.model, q.options, q.emit)
}

// asJSON asks for an answer as JSON.
func (p *Provider) asJSON(ctx context.Context, mode Mode, q *question) (*providers.LLMResponse, error) {
	choice, err := q.choice()
	if err != nil {
		return nil, err
	}
	schema, err := replySchema(q.tools, choice)
	if err != nil {
		return nil, unusable(q.model, err)
	}
	tools, err := describe(q.tools)
	if err != nil {
		return nil, unusable(q.model, err)
	}
	asked := q.plain()
	if mode == byGrammar {
		asked.options[OptionGrammar] = replyGrammar(q.tools, choice)
	} else {
		asked.options[OptionFormat] = schema
	}
	asked.messages = rewrite(q.messages, textTools+tools+textForm, true)
	r := newReply(q)
	asked.emit = r.event
	resp, err := p.send(ctx, asked)
	if err != nil {
		return nil, err
	}
	return r.finish(resp), nil
}

// without asks with no tools.
func (p *Provider) without(ctx context.Context, q *question) (*providers.LLMResponse, error) {
	choice, err := q.choice()
	if err != nil {
		return nil, err
	}
	asked := q.plain()
	asked.messages = rewrite(q.messages, textNoTools, false)
	notice := ""
	if len(q.tools) > 0 && required(choice) && !toldOf(q.messages) {
		notice = textCannotCall + "\n\n"
	}
	said := false
	asked.emit = func(e providers.StreamEvent) {
		switch text, ok := e.(providers.TextDelta); {
		case ok && !said:
			said = true
			q.emit(providers.TextDelta{Text: notice + text.Text})
			return
		case ok:
		default:
			if _, restart := e.(providers.Restart); restart {
				said = false
			}
		}
		q.emit(e)
	}
	resp, err := p.send(ctx, asked)
	if err != nil || notice == "" {
		return resp, err
	}
	own := *resp
	own.Content = notice + own.Content
	if q.stream && !said {
		q.emit(providers.TextDelta{Text: own.Content})
	}
	return &own, nil
}

// plain is a copy of the question without tools.
func (q *question) plain() *question {
	asked := *q
	asked.tools, asked.options = nil, maps.Clone(q.options)
	if asked.options == nil {
		asked.options = map[string]any{}
	}
	delete(asked.options, "tool_choice")
	return &asked
}

// toldOf says whether the person was told of the missing tools in this conversation.
func toldOf(messages []providers.Message) bool {
	for i := range messages {
		if m := &messages[i]; m.Role == providers.RoleAssistant && strings.Contains(m.Content, textCannotCall) {
			return true
		}
	}
	return false
}

func unusable(model string, err error) error {
	return &providers.Error{Kind: providers.KindInvalid, Model: model, Message: err.Error(), Err: err}
}
