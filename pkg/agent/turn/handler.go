package turn

import (
	"context"
	"errors"
	"time"

	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// ErrDone says that a handler has committed its turn: no model is asked.
var ErrDone = errors.New("the turn is committed")

// Done is [ErrDone] for a turn that was committed, or the error of that.
func Done(err error) error {
	if err == nil {
		return ErrDone
	}
	return err
}

// Handler is one turn of one kind: a message, a command, a decision, a job, the report
// of a task, or the work of a background agent. The methods are called in their order,
// by one goroutine; a turn that took three processes with it goes from Enter to Reply. A
// method that returns [ErrDone] has committed the turn itself. [Message] is the handler of
// a plain message; the other kinds embed it and replace the methods that differ.
type Handler interface {
	// Enter waits until the turn may run. Without an error the caller calls leave once.
	Enter(ctx context.Context) (leave func(), err error)
	// Begin finds the principal of the turn and returns the model's input.
	Begin(ctx context.Context) (Input, error)
	// Offers reports whether the turn has a tool that its level and its chat allow.
	Offers(tool string) bool
	// Reply says how the turn ends.
	Reply(ctx context.Context, res *Result) (Reply, error)
	// Commit stores that end, together with the records that end with the turn.
	Commit(ctx context.Context, re Reply) error
}

// Input is the input of a turn. All but the items are zero for most turns.
type Input struct {
	// Items are the items that the model reads.
	Items []session.Item
	// Words stand in place of the items' own, nil for most turns; Note is for the model, beside
	// the date.
	Words []providers.Message
	Note  string
	// Role is the purpose for which the model is asked; "": [RoleChat].
	Role Role
	// Closing ends the instructions; "" tells which channel the model is talking on.
	Closing string
	// Decided is the approval of the call that the turn makes first.
	Decided *session.Approval
	// Task is the task for which the turn asks people: its approvals belong to the task,
	// and no chat sees how the answer grows.
	Task *session.Task
	// Handed is the wish of the task that the turn reports on, or of its job, or nil.
	Handed *channels.Wish
	// Mute is the error of calls that want to send something; nil: they may.
	Mute error
	// Check is asked before each call of a tool.
	Check func(ctx context.Context, req *tools.ToolRequest) error
	// Event gets the events while the loop runs; nil: the preview does.
	Event func(e *tools.Event)
	// Over ends the loop when it ends with [ErrTaskOver].
	Over context.Context //nolint:containedctx // the lifetime of the turn's task
	// Place is the turn's place for a step; nil where it has one for all steps.
	Place Place
	// Blank reports whether the beginning of an answer may turn out to be empty of
	// news.
	Blank func(text string) bool
	// Whole says that the request has all that the chat said before: there is no part to recall.
	Whole bool
}

// Place is the place of a turn that has one for each step. A step is a request to the
// model with the calls of its answer.
type Place interface {
	// Next is called before each further step.
	Next(ctx context.Context) error
	// Leave gives the place back until the next step.
	Leave()
}

// Result is how the work on a turn came to its end, with the facts for a reply.
type Result struct {
	Kind ResultKind
	// Messages are those of the turn so far.
	Messages []providers.Message
	// Reason is for the record, Person is a sentence for the chat.
	Reason, Person string
	// Loop is the model's result.
	Loop *tools.ToolLoopResult
	// Limit is the limit of the chat's day that is reached; Acted says that the turn did
	// something before.
	Limit *budget.LimitError
	Acted bool
}

// ResultKind is the way in which the work on a turn ends.
type ResultKind int

const (
	// Finished is a turn which the model brought to its end.
	Finished ResultKind = iota
	// Failed is a turn without an answer.
	Failed
	// Limited is a turn which may ask the model no more today.
	Limited
	// Refused is a turn with items that the policy does not allow.
	Refused
	// Lost is a turn which took three processes with it.
	Lost
)

// Reply is the end of a turn: its commit, and the last message to its chat.
type Reply struct {
	session.Commit

	// Text is the last message, or "". ID is its outbound id; "" for the turn's own.
	Text, ID string
	// Dated texts begin with the age of their question, where that is old.
	Dated bool
	// Finishes is the outbound id of a message that the text takes over; "" for the one
	// that shows how the answer grows.
	Finishes string
	// Aged marks a message with an age that counts, see [channels.Outbound].
	Aged bool
	// Loop is the end of the model's loop, or nil.
	Loop *tools.ToolLoopResult
}

// Kind has the parts that all turns of one kind have in common: a row of the agent's
// dispatcher.
type Kind struct {
	// Fits reports whether a turn is of the kind.
	Fits func(info *session.TurnInfo) bool
	// Handler makes the handler of one turn.
	Handler func(t *Turn) Handler
	// Purpose is that part of the chat's budget which pays.
	Purpose session.Purpose
	// Start is the mark of what such turns write to the history.
	Start session.Start
	// Unasked marks messages that no person waits for.
	Unasked channels.Unasked
	// Steady turns go on when a newer message arrives, also where those interrupt.
	Steady bool
	// Late begins an answer that comes late; it has one verb, for the age.
	Late string
	// MissedBy is how late the turn of an item runs by the clock of the schedules; nil:
	// all are in time.
	MissedBy func(it *session.Item, at time.Time) time.Duration
}
