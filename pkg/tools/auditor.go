package tools

import (
	"context"
	"errors"
	"time"
)

// Auditor keeps the record of calls. It hears of every call of a registry, from many
// goroutines; [InvocationFrom] says where the call was made from.
type Auditor interface {
	// Begins is asked before a call that overwrites, deletes or executes, after
	// every check. When it returns nil the record is durable; an error refuses the call.
	Begins(ctx context.Context, call Call) error
	// Ended is told how a call ended, or that it was refused. It must not block.
	Ended(ctx context.Context, call Call, end Ending)
}

// Ending is how a call ended.
type Ending struct {
	// Ran says that the tool was run, Memory that its earlier result was given again.
	Ran, Memory bool
	// Asked says that a person was asked, and the call has not run.
	Asked bool
	// Background is set for the end of work that went on after the call, Async for the
	// call that started it.
	Background, Async bool
	// Failure is the type of a failure; "" means that it went well.
	Failure ErrorType
	// Reason is the reason for a refusal, in a sentence that may name a path or an
	// address; "" for failures that could repeat people's words.
	Reason string
	Took   time.Duration
}

// begins lets the auditor write down a call that does harm, or refuses it.
func (d dispatcher) begins(ctx context.Context, call Call, destructive bool) *Error { //nolint:revive // flag-parameter: a fact of the call
	a := d.view.catalog.options.Auditor
	if a == nil || !destructive {
		return nil
	}
	if err := a.Begins(ctx, call); err != nil {
		return Fail(ErrExecutionFailed, "the call was not run because the audit log cannot be written", nil).Because(err)
	}
	return nil
}

// record counts a call's end and tells the auditor.
func (d dispatcher) record(ctx context.Context, call *Call, out *outcome) {
	count(d.view.catalog.countersOf(call.Name, scopeFrom(ctx).hooks.asked()), out)
	if a := d.view.catalog.options.Auditor; a != nil {
		fail := failureOf(out.result)
		a.Ended(ctx, *call, Ending{
			Ran: out.begun, Memory: out.memory, Asked: out.asked, Async: out.result.Async,
			Failure: fail, Reason: reasonOf(out.result), Took: out.took,
		})
	}
}

// recordBackground does the same for the end of background work, after its call was
// counted.
func (d dispatcher) recordBackground(ctx context.Context, c *running, res *ToolResult) {
	fail := failureOf(res)
	c.entry.counts.Of(scopeFrom(ctx).hooks.asked()).Fail(fail)
	if a := d.view.catalog.options.Auditor; a != nil {
		a.Ended(ctx, c.request.call, Ending{Ran: true, Background: true, Failure: fail, Took: time.Since(c.started)})
	}
}

// reasonOf is the sentence of a refusal by a rule.
func reasonOf(res *ToolResult) string {
	fail, ok := errors.AsType[*Error](res.Err)
	if !ok {
		return ""
	}
	switch fail.Type {
	case ErrSecurityViolation, ErrPermissionDenied, ErrApprovalDenied, ErrDisabled, ErrBusy:
		return fail.Message
	case ErrNotFound, ErrInvalidArguments, ErrTimeout, ErrInterrupted, ErrExecutionFailed:
	}
	return ""
}
