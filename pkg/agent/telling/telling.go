package telling

import (
	"cmp"
	"encoding/json"
	"strings"
	"sync"

	"parley/pkg/agent/prompt"
	"parley/pkg/events"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// Telling tells the readers of a chat what one turn does. The zero value has no readers.
type Telling struct {
	to   *events.Turn           // nil where events cannot be read
	runs func(tool string) bool // says that the program runs a tool itself
	// streamed says that pieces of the round's answer were told.
	streamed bool
	// back are the pieces that are kept back, as they may mean that no message is sent.
	back string

	mu   sync.Mutex
	done events.Done
	last string // the id of the turn's last message
}

// Begin tells the readers of a hub that a turn begins; a nil hub has none. The calls of tools that
// the program behind the turn runs itself are told as its own.
func (l *Telling) Begin(hub *events.Hub, info *session.TurnInfo, runs func(tool string) bool) {
	d := events.TurnBegun{Turn: info.ID, Chat: info.Address.Chat}
	if it := &info.Items[0]; it.Inbound != nil {
		d.Message, d.Text, d.Files = it.ID, it.Inbound.Words(), it.Inbound.Kept()
	}
	l.done, l.runs = events.Done{Turn: info.ID, Stop: events.StopEnd}, runs
	l.to = hub.Begin(info.Address, d)
	l.Joined(info.Items[1:])
}

// Joined tells of further messages that the turn answers.
func (l *Telling) Joined(items []session.Item) {
	for i := range items {
		if m := items[i].Inbound; m != nil {
			l.to.Tell(events.Joined{Message: items[i].ID, Text: m.Words(), Files: m.Kept()})
		}
	}
}

// End tells that the turn is committed, with its use of models, or with an error that it will run
// again.
func (l *Telling) End(used events.Usage, err error) {
	if l.to == nil {
		return
	}
	if err != nil {
		l.to.Abandon()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done.Usage = used
	l.to.Done(l.done, l.last)
}

// Event tells a step of the loop.
func (l *Telling) Event(e *tools.Event) {
	if l.to == nil {
		return
	}
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
func (l *Telling) piece(said string) {
	said, l.back = l.back+said, ""
	if !l.streamed && strings.HasPrefix(prompt.NoReply, strings.TrimSpace(said)) { //nolint:gocritic // argOrder: said may begin it
		l.back = said
		return
	}
	l.streamed = true
	l.to.Token(said)
}

// call tells a whole call.
func (l *Telling) call(round int, id, tool, arguments string) {
	run := events.RunServer
	if l.runs(tool) {
		run = events.RunClient
	}
	l.to.Tell(events.Call{
		ID: id, Called: tool, Arguments: json.RawMessage(arguments), Run: run, Summary: summaryOf(tool, arguments), Round: round,
	})
}

// Answered tells the end of a round's answer, and all of one that came in one piece.
func (l *Telling) Answered(resp *providers.LLMResponse) {
	if l.to == nil {
		return
	}
	if !l.streamed && resp.Content != "" && strings.TrimSpace(resp.Content) != prompt.NoReply {
		l.to.Token(resp.Content)
	}
	l.streamed, l.back = false, ""
	l.to.Answered()
}

// Again tells a step of an earlier attempt, which the readers of this process have not
// seen.
func (l *Telling) Again(s *session.Step) {
	if l.to == nil {
		return
	}
	switch {
	case s.Kind == session.StepAnswer && s.Answer != nil:
		l.Answered(s.Answer)
		for i := range s.Answer.ToolCalls {
			c := &s.Answer.ToolCalls[i]
			l.call(s.Round, c.ID, c.Name, c.RawArguments)
		}
	case s.Kind == session.StepEnded && s.Call != nil && s.Call.Approval == "":
		l.to.Result(events.Result{ID: s.Call.ID, Called: s.Call.Tool, Result: s.Call.Result, IsError: s.Call.IsError})
	}
}

// Leaves notes a message of the turn. The turn is done once its last one is delivered.
func (l *Telling) Leaves(id, said string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.done.Text = id, said
}

// Stopped notes that something from outside ended the loop.
func (l *Telling) Stopped(res *tools.ToolLoopResult) { l.over(res, events.StopStopped) }

// Ended notes how the loop ended by itself, or with an error.
func (l *Telling) Ended(res *tools.ToolLoopResult, err error) {
	stop := events.StopEnd
	switch {
	case err != nil:
		stop = events.StopError
	case res.Asked:
		stop = events.StopAsked
	case len(res.Caller) > 0:
		stop = events.StopCaller
	case res.LimitReached:
		stop = events.StopLimit
		l.Notice(events.StopLimit, textLimitNotice)
	case res.FinishReason == providers.FinishLength:
		stop = events.StopLength
	case res.FinishReason == providers.FinishContentFilter:
		stop = events.StopFiltered
	}
	l.over(res, stop)
}

func (l *Telling) over(res *tools.ToolLoopResult, stop string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done.Rounds, l.done.Stop = res.Iterations, stop
}

// Notice tells a sentence beside the answer.
func (l *Telling) Notice(code, said string) { l.to.Tell(events.Notice{Code: code, Text: said}) }

// Fails tells the error that ends the turn.
func (l *Telling) Fails(code, person string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to.Tell(events.Failure{Code: code, Message: person, Ref: l.done.Turn})
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
