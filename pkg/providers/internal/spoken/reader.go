package spoken

import (
	"bytes"
	"strings"

	"parley/pkg/providers"
)

// Habits are the ways of one model with markup.
type Habits struct {
	// Calls are the forms in which it writes calls.
	Calls Forms
	// Opened says that its template opens the reasoning, so that an answer begins inside,
	// unless the server tells reasoning apart.
	Opened bool
}

// maxTries bounds how many places of one answer are tried as the beginning of its calls.
const maxTries = 8

// part is the part of an answer that is being read.
type part int

const (
	beginning part = iota // markup of reasoning may come
	thinking              // between two marks
	telling               // text for the person
	holding               // the rest may be calls
)

// Reader reads the answer to one request while it grows. It stands between an adapter and
// the receiver of its events.
type Reader struct {
	habits Habits
	asked  question
	emit   func(providers.StreamEvent)

	state
	content   strings.Builder // of the answer, without markup
	reasoning strings.Builder
}

// question is the part of a request that calls are checked against.
type question struct {
	messages []providers.Message
	tools    []providers.ToolDefinition
}

// state is where the reader is in the answer.
type state struct {
	at      part
	pending []byte // arrived, and neither emitted nor known to be markup
	scanned int    // how many bytes of pending were looked at
	solid   int    // the end of the last word among them
	code    code
	openers []opener
	marked  bool // markup came before
	// channels says that a mark ends the text for the person; gap, that another text ended.
	channels, gap bool
	tries         int // how many places may still be tried as the beginning of calls

	open  strings.Builder // the mark that is open, and the reasoning behind it
	skip  int             // the length of that mark
	close string          // the mark that ends it
}

// NewReader reads an answer to messages for which tools were offered. Emit receives the
// events, the last of them before Finish returns.
func NewReader(
	h Habits, messages []providers.Message, tools []providers.ToolDefinition, emit func(providers.StreamEvent),
) *Reader {
	if len(tools) == 0 {
		h.Calls = 0
	}
	return &Reader{
		habits: h, asked: question{messages, tools}, emit: emit,
		state: state{openers: openersOf(h.Calls), tries: maxTries},
	}
}

// Emit takes the next event of the answer.
func (r *Reader) Emit(e providers.StreamEvent) {
	if _, apart := e.(providers.ReasoningDelta); apart {
		r.habits.Opened = false
	}
	text, ok := e.(providers.TextDelta)
	if !ok {
		r.emit(e)
		return
	}
	if r.at == telling && len(r.openers) == 0 && !r.channels && len(r.pending) == 0 {
		r.say(text.Text) // the usual answer
		return
	}
	r.pending = append(r.pending, text.Text...)
	r.read()
}

// read goes on as far as the text that has arrived determines.
func (r *Reader) read() {
	for more := true; more; {
		switch r.at {
		case beginning:
			more = r.begin()
		case thinking:
			more = r.think()
		case telling:
			more = r.tell()
		default:
			more = false
		}
	}
}

// begin looks for a mark at the beginning of the answer, or behind the marks there.
func (r *Reader) begin() bool {
	for r.scanned < len(r.pending) && isSpace(r.pending[r.scanned]) {
		r.scanned++
	}
	rest := r.pending[r.scanned:]
	o := opens(string(rest[:min(len(rest), maxMark)]))
	switch {
	case o.think != nil:
		if !r.marked {
			r.open.Write(r.pending[:r.scanned])
		}
		r.open.WriteString(o.think.open)
		r.enter(o.think.close, rest[len(o.think.open):])
	case o.skip > 0:
		r.marked, r.channels = true, true
		r.take(r.scanned + o.skip)
		r.at = telling
	case o.more:
		return false
	case r.habits.Opened && !r.marked:
		r.enter("</think>", r.pending)
	default:
		r.endBeginning()
	}
	return true
}

// enter begins reasoning that close ends.
func (r *Reader) enter(closing string, rest []byte) {
	r.at, r.skip, r.close = thinking, r.open.Len(), closing
	r.pending, r.scanned = rest, 0
}

// endBeginning begins the text for the person.
func (r *Reader) endBeginning() {
	if r.marked {
		r.take(r.scanned)
	}
	r.at = telling
	space := r.scanned
	r.scanned = 0
	if r.habits.Calls&Bare != 0 && r.content.Len() == 0 && bytes.HasPrefix(r.pending[space:], []byte("{")) {
		r.at, r.scanned = holding, space
	}
}

// take removes the first n bytes that wait.
func (r *Reader) take(n int) {
	r.pending = r.pending[n:]
	r.scanned, r.solid = max(0, r.scanned-n), max(0, r.solid-n)
}

// think reads reasoning up to the mark that ends it.
func (r *Reader) think() bool {
	n, found := bytes.Index(r.pending, []byte(r.close)), true
	if n < 0 {
		n, found = len(r.pending)-partial(r.pending, r.close), false
	}
	if n > 0 {
		r.open.Write(r.pending[:n])
		r.emit(providers.ReasoningDelta{Text: string(r.pending[:n])})
		r.take(n)
	}
	if !found {
		return false
	}
	r.take(len(r.close))
	r.scanned, r.solid = 0, 0
	r.reasoning.WriteString(r.open.String()[r.skip:])
	r.open.Reset()
	r.at, r.marked = beginning, true
	return true
}

// tell emits the text for the person up to the next mark. Space before a mark waits.
func (r *Reader) tell() bool {
	if len(r.openers) == 0 && !r.channels {
		r.solid = len(r.pending)
		r.show()
		return false
	}
	for ; r.scanned < len(r.pending); r.scanned++ {
		b := r.pending[r.scanned]
		if (b == '<' || b == '[') && !r.code.inside() {
			if marked, more := r.mark(r.pending[r.scanned:]); marked || more {
				r.show()
				return marked && r.at != holding
			}
		}
		r.code.add(b)
		if !isSpace(b) {
			r.solid = r.scanned + 1
		}
	}
	r.show()
	return false
}

// mark says whether a text for the person has reached a mark, and follows it; more is true
// for the beginning of one.
func (r *Reader) mark(rest []byte) (marked, more bool) {
	text := string(rest[:min(len(rest), maxMark)])
	o, more := begins(text, r.openers)
	if o != nil {
		r.at = holding
		return true, false
	}
	if !r.channels {
		return false, more
	}
	for _, end := range endMarks() {
		if strings.HasPrefix(text, end) {
			r.show()
			r.take(r.scanned + len(end))
			r.at, r.channels, r.gap, r.code = beginning, false, true, code{}
			return true, false
		}
		more = more || strings.HasPrefix(end, text)
	}
	return false, more
}

// show emits the words that wait.
func (r *Reader) show() {
	if r.solid > 0 {
		r.say(string(r.pending[:r.solid]))
		r.take(r.solid)
	}
}

func (r *Reader) say(text string) {
	if r.gap && r.content.Len() > 0 {
		text = "\n\n" + text
	}
	r.gap = false
	r.content.WriteString(text)
	r.emit(providers.TextDelta{Text: text})
}

// Finish gives the answer without its markup. The response is the whole answer as its text
// came; it stays unchanged.
func (r *Reader) Finish(resp *providers.LLMResponse) *providers.LLMResponse {
	if len(resp.ToolCalls) > 0 { // the server reads its model's calls itself
		r.tries = 0
	}
	calls := r.finish()
	if !r.marked && len(calls) == 0 {
		return resp
	}
	own := *resp
	own.Content = r.content.String()
	if thoughts := strings.TrimSpace(r.reasoning.String()); thoughts != "" {
		own.Reasoning = strings.TrimSpace(own.Reasoning + "\n" + thoughts)
	}
	if len(calls) > 0 {
		own.ToolCalls = calls
		if own.FinishReason == providers.FinishStop {
			own.FinishReason = providers.FinishToolCalls
		}
	}
	return &own
}

// finish reads the rest: as calls where it is nothing else, or as text.
func (r *Reader) finish() []providers.ToolCall {
	switch r.at {
	case beginning:
		if r.marked {
			r.take(r.scanned)
		}
	case thinking: // the mark was none
		r.pending = append([]byte(r.open.String()), r.pending...)
	default:
		for ; r.tries > 0 && r.at == holding; r.tries-- {
			if calls, echo := r.asked.calls(string(r.pending[r.scanned:]), r.openers); echo {
				break
			} else if len(calls) > 0 {
				r.announce(calls)
				return calls
			}
			r.code.add(r.pending[r.scanned])
			r.at, r.scanned, r.solid = telling, r.scanned+1, r.scanned+1
			r.read()
		}
	}
	if len(r.pending) > 0 {
		r.say(string(r.pending))
	}
	return nil
}

func (r *Reader) announce(calls []providers.ToolCall) {
	for i := range calls {
		r.emit(providers.ToolCallDelta{Index: i, ID: calls[i].ID, Name: calls[i].Name, Arguments: calls[i].RawArguments})
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }
