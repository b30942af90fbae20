package anthropic

import (
	"encoding/json"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// The stop reasons of the protocol that have a meaning here.
const (
	stopEnd      = "end_turn"
	stopSequence = "stop_sequence"
	stopTool     = "tool_use"
	stopLength   = "max_tokens"
	stopContext  = "model_context_window_exceeded"
	stopRefusal  = "refusal"
	stopPause    = "pause_turn"
)

// answer puts the pieces of one answer together and emits them.
type answer struct {
	mark     exchange.Mark
	messages []providers.Message
	emit     func(providers.StreamEvent)

	blocks []*block
	starts int            // how many blocks have begun, those without effect included
	size   int64          // of all that was read, in bytes
	open   map[int]*block // of the request that runs, by the server's index
	calls  int
	ids    map[string]bool
	begun  bool
	stop   string
	detail *stopDetails
	counts counts
	usage  providers.Usage // of the requests before
	model  string
}

// block is one part of an answer. Its texts grow aside, so that a long one costs no more
// than its length.
type block struct {
	kind      string
	raw       json.RawMessage // as it began
	text      strings.Builder
	thinking  strings.Builder
	signature strings.Builder
	input     strings.Builder
	citations []json.RawMessage
	call      int // its number among the calls
	id, name  string
}

func newAnswer(messages []providers.Message, m exchange.Mark, emit func(providers.StreamEvent)) *answer {
	return &answer{messages: messages, mark: m, emit: emit, open: map[int]*block{}}
}

// stopped says that the server has told how the answer ends.
func (a *answer) stopped() bool { return a.stop != "" }

// paused says that the server waits for the same conversation with the answer so far.
func (a *answer) paused() bool { return a.stop == stopPause && len(a.blocks) > 0 }

// goOn prepares for the next request of the same answer.
func (a *answer) goOn() {
	a.counts.addTo(&a.usage)
	a.counts, a.stop, a.detail = counts{}, "", nil
	clear(a.open)
}

// add takes one event of a stream, and says whether it is the last.
func (a *answer) add(raw []byte) (last bool, err error) {
	a.size += int64(len(raw))
	var f frame
	if err := json.Unmarshal(raw, &f); err != nil {
		return false, exchange.Cut("a piece of the answer is not JSON", err)
	}
	switch f.Type {
	case "message_start":
		return false, a.begin(f.Message)
	case "content_block_start":
		a.begun = true
		return false, a.addBlock(f.Index, f.Block)
	case "content_block_delta":
		return false, a.addDelta(&f)
	case "message_delta":
		a.counts.add(f.Usage)
		a.end(f.Delta.StopReason, f.Delta.StopDetails)
	case "message_stop":
		return a.stopped(), nil
	}
	return false, nil // a ping, the end of a block, or an event of a later version
}

// begin takes the beginning of a streamed answer, which may hold blocks already.
func (a *answer) begin(m *message) error {
	if m == nil {
		return nil
	}
	a.begun = true
	if m.Model != "" {
		a.model = string(m.Model)
	}
	a.counts.add(m.Usage)
	for i := range m.Content {
		if err := a.addBlock(i, m.Content[i]); err != nil {
			return err
		}
	}
	return nil
}

// addWhole takes an answer that came in one piece.
func (a *answer) addWhole(m *message) error {
	if m.Type != "message" && len(m.Content) == 0 && m.StopReason == "" {
		return exchange.Cut("the server sent no answer", nil)
	}
	for _, raw := range m.Content {
		a.size += int64(len(raw))
	}
	if err := a.begin(m); err != nil {
		return err
	}
	reason := m.StopReason
	if reason == "" { // a whole answer has ended
		reason = stopEnd
	}
	a.end(reason, m.StopDetails)
	return nil
}

func (a *answer) end(reason string, details *stopDetails) {
	if reason != "" {
		a.stop = reason
	}
	if details != nil {
		a.detail = details
	}
}

// mostBlocks is how many blocks an answer may have: each takes many times the memory of
// its text.
const mostBlocks = 2048

// addBlock begins a block, with the content that it begins with.
func (a *answer) addBlock(index int, raw json.RawMessage) error {
	if a.starts++; a.starts > mostBlocks {
		return exchange.TooBig()
	}
	var s blockStart
	if err := json.Unmarshal(raw, &s); err != nil {
		return exchange.Cut("a part of the answer is not JSON", err)
	}
	b := &block{kind: s.Type, raw: raw}
	switch s.Type {
	case "": // its pieces tell its kind
		delete(a.open, index)
		return nil
	case kindText:
		a.addText(b, s.Text)
	case kindThinking:
		a.addThinking(b, s.Thinking)
	case kindCall:
		if a.calls >= providers.MaxCalls {
			a.open[index] = &block{kind: kindCall, call: -1}
			return nil // no caller runs so many
		}
		b.call, b.name = a.calls, s.Name
		b.id = a.callID(s.ID)
		a.calls++
		a.emit(providers.ToolCallDelta{Index: b.call, ID: b.id, Name: b.name})
		a.addInput(b, firstInput(s.Input))
	}
	a.open[index] = b
	a.blocks = append(a.blocks, b)
	return nil
}

// firstInput is the input that a call begins with: in a stream, an empty object stands
// for the pieces that follow.
func firstInput(raw json.RawMessage) string {
	if s := string(raw); s != "{}" && s != "null" {
		return s
	}
	return ""
}

// callID gives the id of a call, which is the server's where it is usable.
func (a *answer) callID(server string) string {
	id := server
	if id == "" || a.ids[id] {
		id = exchange.OwnID(a.messages, a.calls)
	}
	if a.ids == nil {
		a.ids = make(map[string]bool)
	}
	a.ids[id] = true
	return id
}

// addDelta takes a piece of a block. Some hosts leave the beginning of a text out.
func (a *answer) addDelta(f *frame) error {
	b := a.open[f.Index]
	if b == nil {
		kind := map[string]string{"text_delta": kindText, "thinking_delta": kindThinking}[f.Delta.Type]
		if kind == "" {
			return exchange.Cut("a piece of the answer belongs to no part of it", nil)
		}
		a.begun = true
		if err := a.addBlock(f.Index, json.RawMessage(`{"type":"`+kind+`"}`)); err != nil {
			return err
		}
		b = a.open[f.Index]
	}
	switch f.Delta.Type {
	case "text_delta":
		a.addText(b, f.Delta.Text)
	case "thinking_delta":
		a.addThinking(b, f.Delta.Thinking)
	case "signature_delta":
		b.signature.WriteString(f.Delta.Signature)
	case "input_json_delta":
		a.addInput(b, f.Delta.PartialJSON)
	case "citations_delta":
		if len(f.Delta.Citation) > 0 {
			b.citations = append(b.citations, f.Delta.Citation)
		}
	}
	return nil
}

func (a *answer) addText(b *block, text string) {
	if text != "" {
		b.text.WriteString(text)
		a.emit(providers.TextDelta{Text: text})
	}
}

func (a *answer) addThinking(b *block, text string) {
	if text != "" {
		b.thinking.WriteString(text)
		a.emit(providers.ReasoningDelta{Text: text})
	}
}

func (a *answer) addInput(b *block, piece string) {
	if piece == "" || b.call < 0 {
		return
	}
	b.input.WriteString(piece)
	if b.kind == kindCall {
		a.emit(providers.ToolCallDelta{Index: b.call, Arguments: piece})
	}
}

// response gives the finished answer.
func (a *answer) response() (*providers.LLMResponse, error) {
	if !a.begun {
		return nil, exchange.Cut("the server sent no answer", nil)
	}
	usage := a.usage
	a.counts.addTo(&usage)
	r := &providers.LLMResponse{FinishReason: finishReason(a.stop), Usage: usage, Model: a.model}
	var text, thinking strings.Builder
	for _, b := range a.blocks {
		text.WriteString(b.text.String())
		thinking.WriteString(b.thinking.String())
		if b.kind == kindCall {
			r.ToolCalls = append(r.ToolCalls, b.toolCall())
		}
	}
	r.Content, r.Reasoning = text.String(), thinking.String()
	if a.stop == stopRefusal && strings.TrimSpace(r.Content) == "" && len(r.ToolCalls) == 0 {
		return nil, a.refused()
	}
	r.Extra = layoutOf(a.blocks).wrap(a.mark)
	return r, nil
}

// refused is the error for an answer that is a refusal alone.
func (a *answer) refused() error {
	err := &providers.Error{Kind: providers.KindFiltered, Code: stopRefusal, Message: "the model refused to answer"}
	if a.detail != nil && a.detail.Explanation != "" {
		err.Message = a.detail.Explanation
	}
	return err
}

func (b *block) toolCall() providers.ToolCall {
	call := providers.ToolCall{ID: b.id, Type: "function", Name: b.name, RawArguments: b.input.String()}
	if call.RawArguments == "" {
		call.RawArguments = "{}"
	}
	var err error
	if call.Arguments, err = providers.DecodeArguments(call.RawArguments); err != nil {
		call.BadArguments = err.Error()
	}
	return call
}

// finishReason translates a stop reason; an unknown one stays.
func finishReason(stop string) string {
	switch stop {
	case stopEnd, stopSequence, stopPause:
		return providers.FinishStop
	case stopTool:
		return providers.FinishToolCalls
	case stopLength, stopContext:
		return providers.FinishLength
	case stopRefusal:
		return providers.FinishContentFilter
	default:
		return stop
	}
}
