package toolmode

import (
	"encoding/json"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/spoken"
)

// reply reads an answer that is JSON while it grows, and emits the text in it.
type reply struct {
	q    *question
	raw  strings.Builder // the answer as it came
	text *answerReader
	said strings.Builder
	// seen says that the text of the answer came as events.
	seen bool
}

func newReply(q *question) *reply { return &reply{q: q, text: &answerReader{}} }

// event takes the next event of the answer.
func (r *reply) event(e providers.StreamEvent) {
	switch e := e.(type) {
	case providers.TextDelta:
		r.seen = true
		r.add(e.Text)
	case providers.ToolCallDelta: // no tool was offered
	case providers.Restart:
		*r = *newReply(r.q)
		r.q.emit(e)
	default:
		r.q.emit(e)
	}
}

func (r *reply) add(text string) {
	r.raw.WriteString(text)
	r.say(r.text.add(text))
}

func (r *reply) say(text string) {
	if text != "" {
		r.said.WriteString(text)
		r.q.emit(providers.TextDelta{Text: text})
	}
}

// finish gives the answer with its text and its calls. An answer of another form is text.
func (r *reply) finish(resp *providers.LLMResponse) *providers.LLMResponse {
	if !r.seen {
		r.add(resp.Content)
	}
	own := *resp
	own.ToolCalls = nil
	text, calls, ok := r.read()
	if !ok && !r.cutCalls(resp) {
		calls, ok = r.broken()
	}
	switch {
	case !ok && !r.text.answering() && !r.cutCalls(resp):
		r.say(r.text.rest(r.raw.String()))
	case ok && r.said.Len() == 0:
		r.say(text)
	}
	own.Content = r.said.String()
	for i := range calls {
		r.q.emit(providers.ToolCallDelta{Index: i, ID: calls[i].ID, Name: calls[i].Name, Arguments: calls[i].RawArguments})
	}
	if len(calls) > 0 {
		own.ToolCalls = calls
		if own.FinishReason == providers.FinishStop {
			own.FinishReason = providers.FinishToolCalls
		}
	}
	return &own
}

// cutCalls says whether the answer reached its length limit within its calls: the person
// would read half of the JSON.
func (r *reply) cutCalls(resp *providers.LLMResponse) bool {
	return resp.FinishReason == providers.FinishLength && r.text.structured()
}

// read gives the text and the calls of a whole answer; ok is false for another form. The
// answer may be several objects, because the model's earlier texts with calls are told as two.
func (r *reply) read() (text string, calls []providers.ToolCall, ok bool) {
	raw := unfenced(r.raw.String())
	d := json.NewDecoder(strings.NewReader(raw))
	d.DisallowUnknownFields()
	var all []json.RawMessage
	for strings.TrimSpace(raw[d.InputOffset():]) != "" {
		var wire struct {
			Answer *string           `json:"answer"`
			Calls  []json.RawMessage `json:"calls"`
		}
		if d.Decode(&wire) != nil || wire.Answer == nil && len(wire.Calls) == 0 {
			return "", nil, false
		}
		if wire.Answer != nil && text == "" {
			text = *wire.Answer
		}
		all, ok = append(all, wire.Calls...), true
	}
	if !ok {
		return "", nil, false
	}
	all = all[:min(len(all), providers.MaxCalls)]
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = string(c)
		call, ok := callOf(c)
		if !ok {
			return "", nil, false
		}
		call.ID = spoken.CallID(r.q.messages, i, texts[i])
		calls = append(calls, call)
	}
	if spoken.Echoes(r.q.messages, texts) {
		return "", nil, false
	}
	return text, calls, true
}

// broken gives the first call of an answer that begins as calls and cannot be read, such as
// JSON that a server did not hold the model to. The call does not run: the model is told
// why, in place of the person, who would read the JSON.
func (r *reply) broken() (calls []providers.ToolCall, ok bool) {
	raw := unfenced(r.raw.String())
	d := json.NewDecoder(strings.NewReader(raw))
	var whole json.RawMessage
	if d.Decode(&whole) == nil && strings.TrimSpace(raw[d.InputOffset():]) != "" || !r.text.structured() {
		return nil, false // text that has JSON in it
	}
	d = json.NewDecoder(strings.NewReader(raw))
	for _, token := range []json.Token{json.Delim('{'), "calls", json.Delim('['), json.Delim('{'), "tool"} {
		if next, err := d.Token(); err != nil || next != token {
			return nil, false
		}
	}
	name, err := d.Token()
	tool, named := name.(string)
	_, arguments, found := strings.Cut(raw[d.InputOffset():], ":")
	if err != nil || !named || tool == "" || !found || spoken.Echoes(r.q.messages, []string{raw}) {
		return nil, false
	}
	c := providers.ToolCall{ID: spoken.CallID(r.q.messages, 0, raw), Type: "function", Name: tool}
	c.RawArguments = strings.TrimSuffix(arguments, "}]}")
	if c.Settle(); c.BadArguments == "" {
		c.BadArguments = textBrokenCalls
	}
	return []providers.ToolCall{c}, true
}

// callOf reads one call.
func callOf(raw json.RawMessage) (providers.ToolCall, bool) {
	var wire struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if d.Decode(&wire) != nil || wire.Tool == "" {
		return providers.ToolCall{}, false
	}
	c := providers.ToolCall{Type: "function", Name: wire.Tool, RawArguments: string(wire.Arguments)}
	c.Settle()
	return c, true
}

// unfenced is the inside of an answer that is one block of code.
func unfenced(raw string) string {
	raw = strings.TrimSpace(raw)
	inside, ok := strings.CutPrefix(raw, "```")
	if !ok {
		return raw
	}
	inside, ok = strings.CutSuffix(inside, "```")
	if !ok {
		return raw
	}
	return strings.TrimSpace(strings.TrimPrefix(inside, "json"))
}
