package agent

import (
	"context"
	"errors"

	"parley/pkg/agent/budget"
	"parley/pkg/agent/subagent"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// errDone says that a handler has committed its turn: no model is asked.
var errDone = errors.New("the turn is committed")

// handler is one turn of one kind: a message, a command, a decision, a job, the report
// of a task, or the work of a background agent. The methods are called in their order,
// by one goroutine; a turn that took three processes with it goes from enter to reply. A
// method that returns errDone has committed the turn itself.
type handler interface {
	// enter waits until the turn may run. Without an error the caller calls leave once.
	enter(ctx context.Context) (leave func(), err error)
	// begin finds out for whom the turn runs and returns what the model reads.
	begin(ctx context.Context) (input, error)
	// offers reports whether the turn has a tool that its level and its chat allow.
	offers(tool string) bool
	// reply says how the turn ends.
	reply(ctx context.Context, e *ending) (reply, error)
	// commit stores that end, together with the records that end with the turn.
	commit(ctx context.Context, r reply) error
}

// input is what a turn works on. All but the items are zero for most turns.
type input struct {
	// items are what the model reads.
	items []session.Item
	// decided is the approval whose call the turn makes first.
	decided *session.Approval
	// task is the task for which the turn asks people: its approvals belong to the task.
	task *session.Task
	// mute is the error of calls that want to send something; nil: they may.
	mute error
	// check is asked before each call of a tool.
	check func(ctx context.Context, req *tools.ToolRequest) error
	// event gets what happens while the loop runs; nil: the preview does.
	event func(e *tools.Event)
	// over ends the loop when it ends with task.ErrOver.
	over context.Context //nolint:containedctx // the lifetime of what the turn works for
	// place is the turn's place for a step, where it has one for each step.
	place *subagent.Seat
	// blank reports whether the beginning of an answer may turn out to say nothing.
	blank func(text string) bool
}

// ending is how the work on a turn came to its end, with what a reply needs of it.
type ending struct {
	how endingKind
	// messages are those of the turn so far.
	messages []providers.Message
	// reason is for the record, person is a sentence for the chat.
	reason, person string
	// loop is what the model came to; compactTo is where the history begins from now on.
	loop      *tools.ToolLoopResult
	compactTo uint64
	// limit is the limit of the chat's day that is reached; acted says that the turn did
	// something before.
	limit *budget.LimitError
	acted bool
}

type endingKind int

// The ways in which the work on a turn ends.
const (
	// An endFinished is that of a turn which the model brought to its end.
	endFinished endingKind = iota
	// An endFailed is that of a turn without an answer.
	endFailed
	// An endLimited is that of a turn which may ask the model no more today.
	endLimited
	// An endRefused is that of a turn whose items the policy does not allow.
	endRefused
	// An endLost is that of a turn which took three processes with it.
	endLost
)

// reply is the end of a turn: its commit, and the last message to its chat.
type reply struct {
	session.Commit

	// text is the last message; "" for none. id is its outbound id; "" for the turn's own.
	text, id string
	// dated lets the text begin with the age of what it answers, where that is late.
	dated bool
	// finishes is the outbound id of a message that the text takes over; "" for the one
	// that shows how the answer grows.
	finishes string
	// aged marks the message as one whose age counts, see [channels.Outbound].
	aged bool
}

// kind is what all turns of one kind have in common.
type kind struct {
	// fits reports whether a turn is of the kind.
	fits func(info *session.TurnInfo) bool
	// handler makes the handler of one turn.
	handler func(r *run) handler
	// purpose is that part of the chat's budget which pays.
	purpose session.Purpose
	// unasked marks messages that no person waits for.
	unasked channels.Unasked
	// steady turns go on when a newer message arrives, also where those interrupt.
	steady bool
	// late begins an answer that comes late; it has one verb, for the age.
	late string
}

// kinds are the rows of the dispatcher: the first that fits is the turn's kind.
func kinds() []kind {
	return []kind{
		{
			fits: isAgentTurn, handler: newAgentTurn,
			purpose: session.ForBackground, late: textWrittenLate,
		},
		{
			fits: isDecisionTurn, handler: newDecisionTurn,
			purpose: session.ForPeople, late: textWrittenLate,
		},
		{
			fits: isJobTurn, handler: newJobTurn,
			purpose: session.ForJobs, unasked: channels.ByJob, steady: true,
			late: textDueLate,
		},
		{
			fits: isReportTurn, handler: newReportTurn,
			purpose: session.ForBackground, unasked: channels.ByTask,
			late: textReportLate,
		},
		{
			fits: isCommandTurn, handler: newCommandTurn,
			purpose: session.ForPeople, late: textWrittenLate,
		},
		{
			fits:    func(*session.TurnInfo) bool { return true },
			handler: newChatTurn,
			purpose: session.ForPeople, late: textWrittenLate,
		},
	}
}

// kindOf is the kind of a turn.
func kindOf(info *session.TurnInfo) kind {
	for _, k := range kinds() {
		if k.fits(info) {
			return k
		}
	}
	return kind{}
}
