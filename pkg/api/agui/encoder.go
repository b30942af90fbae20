package agui

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/pkg/events"
)

// encoder tells the events of turns as those of a run. Everything that it begins is ended
// before [encoder.end] returns.
type encoder struct {
	put func(*frame)
	// thoughts may be shown.
	thoughts bool
	// held is the id under which the client knows a call that was allowed, or "".
	held func(call string) string

	turn string
	// round counts the answers of the model, for the ids of their messages; n those parts of
	// one that need an id of their own.
	round, n int
	// text and thought are the ids of what is open, or "". parent is the message of the
	// round's calls.
	text, thought, parent string
	// words are those of the round so far.
	words string
	calls []*call
	// acted says that calls of the round run: what the model says next is another round.
	acted bool
	usage usage
}

// call is a call of the run.
type call struct {
	turn, raw, id           string
	client, asked, answered bool
}

// callID is the id of a call on the wire: models repeat theirs in later rounds and turns.
func callID(turn string, round int, id string) string { return turn + "." + itoa(round) + "." + id }

// begin is the beginning of a turn. One that begins anew says its words again, and the
// calls that the client has already are not told again.
func (e *encoder) begin(turn string) {
	e.endWords()
	if turn == e.turn {
		e.put(&frame{Type: typeCustom, Name: "restart", Value: events.Restart{}})
	}
	e.turn = turn
	e.next()
}

// next begins a round.
func (e *encoder) next() {
	e.endWords()
	e.round++
	e.n, e.parent, e.words, e.acted = 0, "", "", false
}

// event tells an event of the turn.
func (e *encoder) event(d events.Data) {
	switch d := d.(type) {
	case events.Token:
		e.token(d.Text)
	case events.Reasoning:
		e.reasoning(d.Text)
	case events.Restart:
		e.endWords()
		e.put(&frame{Type: typeCustom, Name: "restart", Value: d})
		e.next()
	case events.Call:
		e.called(&d)
	case events.Executing:
		e.acted = true
	case events.Progress:
		e.acted = true
		e.put(&frame{Type: typeCustom, Name: "tool_progress", Value: progress{e.idOf(d.ID), d.Text}})
	case events.Result:
		e.acted = true
		e.result(d.ID, d.Result)
	case events.Question:
		e.acted = true
		if c := e.find(d.ToolCallID); c != nil {
			c.asked = true
		}
	case events.Message:
		e.message(&d)
	case events.Notice:
		e.put(&frame{Type: typeCustom, Name: "notice", Value: d})
	}
}

// token adds a piece to the text of the round.
func (e *encoder) token(piece string) {
	e.talk()
	e.endThought()
	if e.text == "" {
		e.text = e.fresh("m")
		if e.parent == "" {
			e.parent = e.text
		}
		e.put(&frame{Type: typeTextStart, MessageID: e.text, Role: roleAssistant})
	}
	e.words += piece
	e.put(&frame{Type: typeTextContent, MessageID: e.text, Delta: piece})
}

// reasoning adds a piece to the thoughts of the round.
func (e *encoder) reasoning(piece string) {
	if !e.thoughts || piece == "" {
		return
	}
	e.talk()
	e.endText()
	if e.thought == "" {
		e.thought = e.fresh("r")
		e.put(&frame{Type: typeReasoningStart, MessageID: e.thought})
		e.put(&frame{Type: typeThoughtStart, MessageID: e.thought, Role: roleReasoning})
	}
	e.put(&frame{Type: typeThoughtContent, MessageID: e.thought, Delta: piece})
}

// talk notes that the model speaks: behind calls that run, in another round.
func (e *encoder) talk() {
	if e.acted {
		e.next()
	}
}

// fresh is a new id of a part of the round.
func (e *encoder) fresh(kind string) string {
	e.n++
	id := e.turn + "." + kind + itoa(e.round)
	if e.n > 1 {
		id += "-" + itoa(e.n)
	}
	return id
}

// find is the newest call with an id of its model, in the present turn.
func (e *encoder) find(raw string) *call {
	for _, c := range slices.Backward(e.calls) {
		if c.raw == raw && c.turn == e.turn {
			return c
		}
	}
	return nil
}

// called is a whole call. Its pieces are not told: one that the model takes back would stay
// with the client, which takes a call without a result for its own to run.
func (e *encoder) called(d *events.Call) {
	e.talk()
	e.endWords()
	if id := e.held(d.ID); id != "" { // an earlier run told it
		e.calls = append(e.calls, &call{turn: e.turn, raw: d.ID, id: id})
		return
	}
	id := callID(e.turn, d.Round, d.ID)
	if slices.ContainsFunc(e.calls, func(c *call) bool { return c.id == id }) {
		return // told by an earlier attempt
	}
	if e.parent == "" {
		e.parent = e.fresh("m")
	}
	e.calls = append(e.calls, &call{turn: e.turn, raw: d.ID, id: id, client: d.Run == events.RunClient})
	var arguments string
	if json.Unmarshal(d.Arguments, &arguments) != nil { // an object, mostly
		arguments = string(d.Arguments)
	}
	e.put(&frame{Type: typeCallStart, CallID: id, CallName: d.Called, ParentID: e.parent})
	if arguments != "" {
		e.put(&frame{Type: typeCallArgs, CallID: id, Delta: arguments})
	}
	e.put(&frame{Type: typeCallEnd, CallID: id})
}

// idOf is the id of a call on the wire.
func (e *encoder) idOf(raw string) string {
	if c := e.find(raw); c != nil {
		return c.id
	}
	return e.turn + "." + raw
}

// result is the result of a call, once.
func (e *encoder) result(raw, text string) {
	if c := e.find(raw); c != nil && !c.answered {
		c.answered = true
		e.answer(c.id, text)
	}
}

// answer tells the result of a call by its id on the wire.
func (e *encoder) answer(id, text string) {
	e.put(&frame{Type: typeCallResult, MessageID: id + ".result", CallID: id, Content: &text, Role: roleTool})
}

// message is a delivered message. That of the round's own words was told already.
func (e *encoder) message(d *events.Message) {
	if d.Replaces != "" { // it closes a question, which the client has as an interrupt
		return
	}
	e.endThought()
	words, text := strings.TrimSpace(e.words), strings.TrimSpace(d.Text)
	rest, told := strings.CutPrefix(text, words) // the rest is such as a word about an answer that was cut off
	switch {
	case words == "" || !told:
	case e.text != "":
		if rest != "" {
			e.put(&frame{Type: typeTextContent, MessageID: e.text, Delta: rest})
		}
		text = ""
	case !e.acted && strings.HasPrefix(d.ID, e.turn+"/final/"): // a message of a call has ended the text
		text = strings.TrimSpace(rest)
	}
	e.endText()
	if text != "" {
		e.put(&frame{Type: typeTextStart, MessageID: d.ID, Role: roleAssistant})
		e.put(&frame{Type: typeTextContent, MessageID: d.ID, Delta: text})
		e.put(&frame{Type: typeTextEnd, MessageID: d.ID})
	}
	if d.File != "" {
		e.put(&frame{Type: typeCustom, Name: "file", Value: file{d.ID, d.File}})
	}
}

// endWords ends the open text and the open thought.
func (e *encoder) endWords() {
	e.endThought()
	e.endText()
}

func (e *encoder) endThought() {
	if e.thought != "" {
		e.put(&frame{Type: typeThoughtEnd, MessageID: e.thought})
		e.put(&frame{Type: typeReasoningEnd, MessageID: e.thought})
		e.thought = ""
	}
}

func (e *encoder) endText() {
	if e.text != "" {
		e.put(&frame{Type: typeTextEnd, MessageID: e.text})
		e.text = ""
	}
}

// end ends what is open, and returns the calls that the client has to run. Each call of
// ours without a result gets a text as its result.
func (e *encoder) end() (pending []string) {
	e.endWords()
	for _, c := range e.calls {
		switch {
		case c.answered, c.asked:
		case c.client:
			pending = append(pending, c.id)
		default:
			c.answered = true
			e.answer(c.id, textUnanswered)
		}
	}
	return pending
}
