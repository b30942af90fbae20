package tools

import (
	"errors"
	"maps"
	"time"

	"parley/pkg/tools/internal/counts"
	"parley/pkg/tools/internal/output"
)

// ErrorType says, in one word, why a call has no result.
type ErrorType = counts.Type

// The types of an [Error], in the order in which a call is checked.
const (
	// ErrNotFound means that no tool has the name.
	ErrNotFound ErrorType = "not_found"
	// ErrDisabled means that the tool is switched off or broken.
	ErrDisabled ErrorType = "disabled"
	// ErrInvalidArguments means that the arguments do not fit the schema.
	ErrInvalidArguments ErrorType = "invalid_arguments"
	// ErrSecurityViolation means that a path, a command or an address is out of bounds.
	ErrSecurityViolation ErrorType = "security_violation"
	// ErrPermissionDenied means that the chat may not use the tool, or not like this.
	ErrPermissionDenied ErrorType = "permission_denied"
	// ErrApprovalDenied means that a person said no, or that there was no person to
	// ask.
	ErrApprovalDenied ErrorType = "approval_denied"
	// ErrBusy means that the tool serves another call, or has too many that do not end.
	ErrBusy ErrorType = "busy"
	// ErrTimeout means that the call did not end in time.
	ErrTimeout ErrorType = "timeout"
	// ErrInterrupted means that the call was cut off; whether it took effect may be unknown.
	ErrInterrupted ErrorType = "interrupted"
	// ErrExecutionFailed means that the tool ran and failed.
	ErrExecutionFailed ErrorType = "execution_failed"
)

// Error is a failure with a type. A tool made by [New] returns one as its
// error, any other returns its Result.
type Error struct {
	Type    ErrorType
	Message string
	// Details are for the model: facts that it needs to do better.
	Details map[string]any
	// Err is the cause, for logs only.
	Err error
}

// Fail makes an [Error]; details may be nil.
func Fail(t ErrorType, message string, details map[string]any) *Error {
	return &Error{Type: t, Message: message, Details: details}
}

// TimedOut makes an [ErrTimeout] of a call that had this much time. Its details say
// so as "timeout", in seconds, beside those that are given; details may be nil.
func TimedOut(limit time.Duration, message string, details map[string]any) *Error {
	all := map[string]any{"timeout": limit.Seconds()}
	maps.Copy(all, details)
	return Fail(ErrTimeout, message, all)
}

// Error gives one line for logs.
func (e *Error) Error() string { return string(e.Type) + ": " + e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Because sets the cause and returns e.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// Result turns the error into the model's text.
func (e *Error) Result() *ToolResult {
	return ErrorResult(ErrorText(e.Type, e.Message, e.Details)).WithError(e)
}

// ErrorText is the one shape in which the model sees a failure:
// {"error":true,"type":T,"message":M,"details":{…}}.
func ErrorText(t ErrorType, message string, details map[string]any) string {
	return output.Failure(string(t), message, details)
}

// typed keeps an error's own type where it has one.
func typed(err error, t ErrorType, message string) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	return Fail(t, message, nil).Because(err)
}

// interrupted is the result of a call that was cut off.
func interrupted(begun bool) *Error { //nolint:revive // flag-parameter: it chooses between two sentences
	if begun {
		return Fail(ErrInterrupted, "interrupted: it is unknown whether it took effect", nil)
	}
	return Fail(ErrInterrupted, "interrupted: the call was not run", nil)
}
