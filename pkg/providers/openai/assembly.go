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

// draft is a tool call that grows.
type draft struct {
	index    int    // the server's
	serverID string // may be empty or repeated
	id, name string
	args     strings.Builder
	extra    map[string]json.RawMessage
}

func newAssembly(messages []providers.Message, m exchange.Mark, emit func(providers.StreamEvent)) *assembly {
	return &assembly{messages: messages, mark: m, emit: emit}
}

func (a *assembly) add(c *chunk) error {
	if c.Model != "" {
		a.model = c.Model
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
	if name != c.name && c.args.Len() == 0 {
		c.name += name // a host may cut a name, too; a whole repetition adds no text
	}
	c.args.WriteString(args)
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
		if c = a.last(*d.Index); c == nil {
			return nil
		}
	}
	if d.ID != "" && c.serverID != "" && string(d.ID) != c.serverID {
		return nil
	}
	// A name and a new object after a complete one: the same id once more.
	if d.Function.Name != "" && strings.HasPrefix(string(d.Function.Arguments), "{") && json.Valid([]byte(c.args.String())) {
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
		c.index = *d.Index
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
	r := &providers.LLMResponse{
		Content: a.content.String(), FinishReason: a.finish, Usage: a.usage,
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

// details are OpenRouter's reasoning blocks, which it wants back whole.
type details struct{ blocks []*block }

// block is one of them. The texts that come in pieces grow aside, so that a long
// one costs no more than its length.
type block struct {
	fields map[string]json.RawMessage
	grown  map[string]*strings.Builder
}

// add takes the blocks of one frame; a piece of the block before it is joined to it.
func (d *details) add(pieces []json.RawMessage) {
	for _, raw := range pieces {
		var piece map[string]json.RawMessage
		if json.Unmarshal(raw, &piece) != nil {
			continue
		}
		if n := len(d.blocks); n > 0 && d.blocks[n-1].goesOn(piece) {
			d.blocks[n-1].join(piece)
			continue
		}
		d.blocks = append(d.blocks, &block{fields: piece, grown: map[string]*strings.Builder{}})
	}
}

func (d *details) whole() json.RawMessage {
	if len(d.blocks) == 0 {
		return nil
	}
	blocks := make([]map[string]json.RawMessage, len(d.blocks))
	for i, b := range d.blocks {
		for k, text := range b.grown {
			joined, err := json.Marshal(text.String())
			if err != nil {
				return nil
			}
			b.fields[k] = joined
		}
		blocks[i] = b.fields
	}
	out, err := json.Marshal(blocks)
	if err != nil {
		return nil
	}
	return out
}

// goesOn says whether piece belongs to b.
func (b *block) goesOn(piece map[string]json.RawMessage) bool {
	return string(b.fields["type"]) == string(piece["type"]) &&
		len(piece["index"]) > 0 && string(b.fields["index"]) == string(piece["index"])
}

func (b *block) join(piece map[string]json.RawMessage) {
	for k, v := range piece {
		var add string
		isText := k == "text" || k == "summary" || k == "data"
		if isText && json.Unmarshal(v, &add) == nil {
			if text := b.growing(k); text != nil {
				text.WriteString(add)
				continue
			}
		}
		if string(v) != "null" {
			b.fields[k] = v
			delete(b.grown, k)
		}
	}
}

// growing is a field's text so far, to be appended to; nil where it is no text.
func (b *block) growing(k string) *strings.Builder {
	text := b.grown[k]
	if text != nil {
		return text
	}
	var old string
	if json.Unmarshal(b.fields[k], &old) != nil {
		return nil
	}
	text = &strings.Builder{}
	text.WriteString(old)
	b.grown[k] = text
	return text
}
