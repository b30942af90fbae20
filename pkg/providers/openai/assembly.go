package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// assembly puts the pieces of one answer together and emits them.
type assembly struct {
	mark     exchange.Mark
	messages []providers.Message
	emit     func(providers.StreamEvent)

	answered  bool // there was a choice
	content   strings.Builder
	reasoning strings.Builder
	details   details
	extra     map[string]json.RawMessage
	calls     []*draft
	full      bool // a call was left out
	ids       map[string]bool
	finish    string
	usage     providers.Usage
	model     string
}

// maxName is how long a name may be to be taken for cut; no tool has a longer one.
const maxName = 256

// draft is a tool call that grows.
type draft struct {
	index    int    // the server's
	serverID string // may be empty or repeated
	id, name string
	args     strings.Builder
	object   object // how far the object of args is open
	extra    map[string]json.RawMessage
}

func newAssembly(messages []providers.Message, m exchange.Mark, emit func(providers.StreamEvent)) *assembly {
	return &assembly{messages: messages, mark: m, emit: emit}
}

func (a *assembly) add(c *chunk) error {
	if c.Model != "" {
		a.model = string(c.Model)
	}
	if c.Usage != nil {
		a.usage = c.Usage.translate()
	}
	for i := range c.Choices {
		if c.Choices[i].Index != 0 { // only one was asked for
			continue
		}
		if err := a.addChoice(&c.Choices[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *assembly) addChoice(c *choice) error {
	a.answered = true
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return exchange.ErrorOf(c.Error)
	}
	for _, d := range []*delta{c.Delta, c.Message} {
		if d == nil {
			continue
		}
		if err := a.addDelta(d); err != nil {
			return err
		}
	}
	if c.FinishReason != "" {
		a.finish = string(c.FinishReason)
	}
	return nil
}

func (a *assembly) addDelta(d *delta) error {
	reasoning := d.ReasoningContent
	if reasoning == "" {
		reasoning = d.Reasoning // hosts that send both send the same twice
	}
	reasoning += d.Content.thinking
	if reasoning != "" {
		a.reasoning.WriteString(string(reasoning))
		a.emit(providers.ReasoningDelta{Text: string(reasoning)})
	}
	if content := d.Content.text + d.Refusal; content != "" {
		a.content.WriteString(string(content))
		a.emit(providers.TextDelta{Text: string(content)})
	}
	a.details.add(d.ReasoningDetails)
	a.extra = keep(a.extra, "extra_content", d.ExtraContent)
	for i := range d.ToolCalls {
		if err := a.addCall(&d.ToolCalls[i]); err != nil {
			return err
		}
	}
	return nil
}

// keep puts a field into m, unless it is empty.
func keep(m map[string]json.RawMessage, name string, value json.RawMessage) map[string]json.RawMessage {
	if len(value) == 0 || string(value) == "null" {
		return m
	}
	if m == nil {
		m = make(map[string]json.RawMessage)
	}
	m[name] = value
	return m
}

func (a *assembly) addCall(d *callDelta) error {
	if a.full && d.Index == nil {
		return nil // it may continue a call that was left out
	}
	c := a.find(d)
	first := c == nil
	if first {
		if len(a.calls) >= providers.MaxCalls {
			a.full = true
			return nil // no caller runs so many
		}
		c = a.begin(d)
	}
	name, args := string(d.Function.Name), string(d.Function.Arguments)
	if name != c.name && c.args.Len() == 0 && len(c.name) <= maxName {
		c.name += name // a host may cut a name, too; a whole repetition adds no text
	}
	c.args.WriteString(args)
	c.object.read(args)
	c.extra = keep(c.extra, "extra_content", d.ExtraContent)
	event := providers.ToolCallDelta{Index: slices.Index(a.calls, c), Arguments: args}
	if first {
		event.ID, event.Name = c.id, c.name
	}
	a.emit(event)
	return nil
}

// find gives the call that d continues, nil when d begins one. Hosts leave the
// index out, give every call the same one, or repeat id and name in each piece.
func (a *assembly) find(d *callDelta) *draft {
	if len(a.calls) == 0 {
		return nil
	}
	c := a.calls[len(a.calls)-1]
	if d.Index != nil {
		if c = a.last(int(*d.Index)); c == nil {
			return nil
		}
	}
	if d.ID != "" && c.serverID != "" && string(d.ID) != c.serverID {
		return nil
	}
	// A name and a new object after a complete one: the same id once more.
	if d.Function.Name != "" && strings.HasPrefix(string(d.Function.Arguments), "{") && c.object.complete() {
		return nil
	}
	if d.Index == nil && d.ID == "" && d.Function.Name != "" && c.args.Len() > 0 {
		return nil
	}
	return c
}

// last gives the newest call of a server's index.
func (a *assembly) last(index int) *draft {
	for _, c := range slices.Backward(a.calls) {
		if c.index == index {
			return c
		}
	}
	return nil
}

func (a *assembly) begin(d *callDelta) *draft {
	c := &draft{index: len(a.calls), serverID: string(d.ID), id: string(d.ID)}
	if d.Index != nil {
		c.index = int(*d.Index)
	}
	if c.id == "" || a.ids[c.id] {
		c.id = exchange.OwnID(a.messages, len(a.calls))
	}
	if a.ids == nil {
		a.ids = make(map[string]bool)
	}
	a.ids[c.id] = true
	a.calls = append(a.calls, c)
	return c
}

// response gives the finished answer.
func (a *assembly) response() (*providers.LLMResponse, error) {
	if !a.answered {
		return nil, exchange.Cut("the server sent no answer", nil)
	}
	finish, whole := ending(a.finish)
	if !whole {
		return nil, exchange.Cut("the server broke the answer off: "+a.finish, nil)
	}
	r := &providers.LLMResponse{
		Content: a.content.String(), FinishReason: finish, Usage: a.usage,
		Reasoning: a.reasoning.String(), Model: a.model,
	}
	a.extra = keep(a.extra, "reasoning_details", a.details.whole())
	r.Extra = a.mark.Wrap(a.extra)
	for _, c := range a.calls {
		r.ToolCalls = append(r.ToolCalls, c.call(a.mark))
	}
	return r, nil
}

func (c *draft) call(m exchange.Mark) providers.ToolCall {
	call := providers.ToolCall{
		ID: c.id, Type: "function", Name: c.name, RawArguments: c.args.String(), Extra: m.Wrap(c.extra),
	}
	var err error
	if call.Arguments, err = providers.DecodeArguments(call.RawArguments); err != nil {
		call.BadArguments = err.Error()
	}
	return call
}
