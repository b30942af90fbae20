package turn

import (
	"cmp"
	"encoding/json"
	"strings"
	"sync"

	"parley/pkg/agent/caller"
	"parley/pkg/agent/prompt"
	"parley/pkg/events"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// telling tells the readers of a chat what its turn does. It neither waits for them nor
// depends on one.
type telling struct {
	to *events.Turn // nil where events cannot be read
	of *Turn
	// streamed says that pieces of the round's answer were told.
	streamed bool
	// back are the pieces that are kept back, as they may mean that no message is sent.
	back string

	mu   sync.Mutex
	done events.Done
	last string // the id of the turn's last message
}

// begin tells that the turn begins. The conversation of a background agent has no readers.
func (l *telling) begin(t *Turn) {
	if t.Info.Address.Channel == session.AgentChannel {
		return
	}
	d := events.TurnBegun{Turn: t.Info.ID, Chat: t.Info.Address.Chat}
	if it := &t.Info.Items[0]; it.Inbound != nil {
		d.Message, d.Text, d.Files = it.ID, it.Inbound.Words(), it.Inbound.Kept()
	}
	l.done, l.of = events.Done{Turn: t.Info.ID, Stop: events.StopEnd}, t
	l.to = t.Deps.Surfaces.At(t.Info.Address).Events.Begin(t.Info.Address, d)
	l.joined(t.Info.Items[1:])
}

// joined tells of further messages that the turn answers.
func (l *telling) joined(items []session.Item) {
	for i := range items {
		if m := items[i].Inbound; m != nil {
			l.to.Tell(events.Joined{Message: items[i].ID, Text: m.Words(), Files: m.Kept()})
		}
	}
}

// end tells that the turn is committed, or with an error that it will run again.
func (l *telling) end(t *Turn, err error) {
	if l.to == nil {
		return
	}
	if err != nil {
		l.to.Abandon()
		return
	}
	used := t.Usage.Used()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done.Usage = events.Usage{Input: used.Input, Output: used.Output}
	l.to.Done(l.done, l.last)
}

// event tells a step of the loop.
func (l *telling) event(e *tools.Event) {
	switch e.Kind {
	case tools.EventDelta:
		l.piece(e.Text)
	case tools.EventReasoning:
		l.to.Reasoning(e.Text)
	case tools.EventRestart:
		l.streamed, l.back = false, ""
		l.to.Restart()
	case tools.EventToolCallDelta:
		l.to.CallDelta(e.CallID, e.Tool, e.Arguments)
	case tools.EventToolCall:
		l.call(e.Round, e.CallID, e.Tool, e.Arguments)
	case tools.EventExecuting:
		l.to.Tell(events.Executing{ID: e.CallID, Called: e.Tool})
	case tools.EventProgress:
		l.to.Progress(e.CallID, e.Text)
	case tools.EventConfirmationRequired:
		l.to.Asked(e.CallID)
	case tools.EventToolResult:
		l.to.Result(events.Result{
			ID: e.CallID, Called: e.Tool, Result: e.Result, IsError: e.IsError, Truncated: e.Truncated,
			DurationMS: new(e.Duration.Milliseconds()),
		})
	default: // done is told when the turn is committed
	}
}

// piece tells a piece of the round's answer, unless the answer may be the word for silence so far.
func (l *telling) piece(said string) {
	said, l.back = l.back+said, ""
	if !l.streamed && strings.HasPrefix(prompt.NoReply, strings.TrimSpace(said)) { //nolint:gocritic // argOrder: see mayBeNoNews
		l.back = said
		return
	}
	l.streamed = true
	l.to.Token(said)
}

// call tells a whole call.
func (l *telling) call(round int, id, tool, arguments string) {
	run := events.RunServer
	if caller.Runs(Wish(l.of), tool) {
		run = events.RunClient
	}
	l.to.Tell(events.Call{
		ID: id, Called: tool, Arguments: json.RawMessage(arguments), Run: run, Summary: summaryOf(tool, arguments), Round: round,
	})
}

// answered tells the end of a round's answer, and all of one that came in one piece.
func (l *telling) answered(resp *providers.LLMResponse) {
	if l.to == nil {
		return
	}
	if !l.streamed && resp.Content != "" && strings.TrimSpace(resp.Content) != prompt.NoReply {
		l.to.Token(resp.Content)
	}
	l.streamed, l.back = false, ""
	l.to.Answered()
}

// again tells a step of an earlier attempt, which the readers of this process have not
// seen.
func (l *telling) again(s *session.Step) {
	if l.to == nil {
		return
	}
	switch {
	case s.Kind == session.StepAnswer && s.Answer != nil:
		l.answered(s.Answer)
		for i := range s.Answer.ToolCalls {
			c := &s.Answer.ToolCalls[i]
			l.call(s.Round, c.ID, c.Name, c.RawArguments)
		}
	case s.Kind == session.StepEnded && s.Call != nil && s.Call.Approval == "":
		l.to.Result(events.Result{ID: s.Call.ID, Called: s.Call.Tool, Result: s.Call.Result, IsError: s.Call.IsError})
	}
}

// leaves notes a message of the turn. The turn is done once its last one is delivered.
func (l *telling) leaves(id, said string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.done.Text = id, said
}

// stops notes how the loop ended.
func (l *telling) stops(res *tools.ToolLoopResult, err error) {
	stop := events.StopEnd
	switch {
	case IsEnded(err):
		stop = events.StopStopped
	case err != nil:
		stop = events.StopError
	case res.Asked:
		stop = events.StopAsked
	case len(res.Caller) > 0:
		stop = events.StopCaller
	case res.LimitReached:
		stop = events.StopLimit
		l.to.Tell(events.Notice{Code: events.StopLimit, Text: textLimitNotice})
	case res.FinishReason == providers.FinishLength:
		stop = events.StopLength
	case res.FinishReason == providers.FinishContentFilter:
		stop = events.StopFiltered
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done.Rounds, l.done.Stop = res.Iterations, stop
}

// fails tells the error that ends the turn.
func (l *telling) fails(code, turn, person string) {
	l.to.Tell(events.Failure{Code: code, Message: person, Ref: turn})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done.Stop = events.StopError
}

// maxSummary is the longest line about a call, in code points.
const maxSummary = 100

// summaryOf is a call in one line: the tool, and the argument that says what it is about.
func summaryOf(tool, arguments string) string {
	var given map[string]any
	if json.Unmarshal([]byte(arguments), &given) != nil {
		return tool
	}
	about := ""
	for _, name := range [...]string{"query", "path", "url", "expression", "command", "task", "text", "name", "action", "id"} {
		if said, ok := given[name].(string); ok {
			about = cmp.Or(about, said)
		}
	}
	if about == "" {
		return tool
	}
	return text.Clip(tool+": "+strings.Join(strings.Fields(about), " "), maxSummary)
}
