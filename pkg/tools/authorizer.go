package tools

import (
	"context"
	"errors"
)

// Authorizer has the last word on a call, after its arguments were checked.
// The registry asks it once per call; nil from NewToolRegistry's means all is allowed.
type Authorizer interface {
	// AuthorizeTool returns nil to let the call run. The error's text goes to the model.
	AuthorizeTool(ctx context.Context, req ToolRequest) error
}

// ToolRequest is the call that an [Authorizer] decides on. The invocation's Channel and
// Chat may be empty for a direct call.
type ToolRequest struct {
	Tool        string
	Annotations Annotations
	Arguments   map[string]any
	Invocation  Invocation
	// Examination is the effect of this call, as far as the tool can tell.
	Examination Examination
	// Nested says that another tool makes the call, Covered that a person was shown
	// it, or did not have to be asked, when that tool was called.
	Nested, Covered bool
}

// ErrAsk says, also wrapped, of a call that a person has to allow it first.
var ErrAsk = errors.New("a person has to allow this call first")

// Gate decides on the calls of one loop, or of the context of [WithGate], after the registry's [Authorizer].
type Gate interface {
	// Pass returns nil to let a call run, an error that is [ErrAsk] when a person has
	// to be asked, and any other one to refuse it: its text goes to the model. It is
	// asked once per call, nested ones too, from several goroutines.
	Pass(ctx context.Context, req ToolRequest) error
	// Ask puts the question for a call that Pass wants asked, and gives its result
	// for now. The call does not run, and the loop ends with the answer in which it
	// stands. An error refuses the call.
	Ask(ctx context.Context, call Call, ex Examination) (*ToolResult, error)
}
