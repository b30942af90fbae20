package tools

import (
	"context"
	"errors"
	"fmt"

	"parley/pkg/providers"
	"parley/pkg/text"
)

// hooks connect a call with its surroundings: the loop that made it, and the calls
// around it.
type hooks struct {
	loop *loop // nil outside a loop
	// round and callID are those of the loop's own call.
	round  int
	callID string
	// callee runs the calls that this one makes, or is nil.
	callee *dispatcher
	// depth counts the calls around this one.
	depth int
	// covered says that no person is asked about the calls that this one makes.
	covered bool
	// brings records that the loop's own call brings in content from outside.
	brings func()
	// onProgress is told the progress of work in the background; detached says that
	// the loop of the call may be over.
	onProgress func(line string)
	detached   bool
	model      string // of the loop
}

// asked is the model that made the call, or the calls around it; "" without one.
func (h *hooks) asked() string {
	if h == nil {
		return ""
	}
	return h.model
}

// detach gives the hooks of a call that goes on in the background. They keep no part
// of its loop in memory.
func (h *hooks) detach(q *request) *hooks {
	d := &hooks{detached: true}
	if h != nil {
		d.callee, d.depth, d.covered, d.brings, d.model = h.callee, h.depth, h.covered, h.brings, h.model
	}
	if q.makeProgress != nil {
		d.onProgress = q.makeProgress(q.call)
	}
	return d
}

// BringsOutside says that the result of the running call may hold content from outside,
// which its examination could not know. Call it before the result is returned.
func BringsOutside(ctx context.Context) {
	if h := scopeFrom(ctx).hooks; h != nil && h.brings != nil {
		h.brings()
	}
}

// progress passes on a line about a call.
func (h *hooks) progress(line string) {
	if h != nil && h.onProgress != nil {
		h.onProgress(text.ClipBytes(line, shortResult))
		return
	}
	if h != nil && h.loop != nil {
		h.loop.event(Event{Kind: EventProgress, Round: h.round, CallID: h.callID, Text: text.ClipBytes(line, shortResult)})
	}
}

// unattended decides on the calls that work in the background makes: the turn that
// could ask a person may be over.
type unattended struct{}

// Pass implements [Gate].
func (unattended) Pass(_ context.Context, req ToolRequest) error {
	if req.Annotations.ReadOnly || req.Covered {
		return nil
	}
	return ErrAsk
}

// Ask implements [Gate]. Only a loop's own calls are asked about, so it is an error.
func (unattended) Ask(context.Context, Call, Examination) (*ToolResult, error) {
	return nil, ErrAsk
}

// descend counts a call that another one makes. It leaves a loop's own call, and one
// that stands alone, as it is.
func (d dispatcher) descend(ctx context.Context, q *request) (context.Context, *Error) {
	s := scopeFrom(ctx)
	if q.own || s.hooks == nil {
		return ctx, nil
	}
	inner := *s.hooks
	inner.depth++
	if inner.depth >= d.view.catalog.options.MaxDepth {
		return ctx, Fail(ErrExecutionFailed,
			fmt.Sprintf("tools may call each other %d deep (max_tool_depth) and no deeper", d.view.catalog.options.MaxDepth), nil)
	}
	q.nested = true
	next := *s
	next.hooks = &inner
	return next.into(ctx), nil
}

// equip gives a tool that calls others the means for that.
func (d dispatcher) equip(ctx context.Context, q *request) context.Context {
	if !q.call.Annotations.Composed && !q.call.Annotations.Finds {
		return ctx
	}
	next := *scopeFrom(ctx)
	inner := hooks{}
	if next.hooks != nil {
		inner = *next.hooks
	}
	inner.callee = &d
	inner.covered = inner.covered && q.nested || len(q.examination.Steps) > 0
	next.hooks = &inner
	return next.into(ctx)
}

var errNoCaller = errors.New("tools: CallTool outside of a tool that says that it is composed")

// CallTool calls another tool from within one with annotations that say that it is
// composed: with the rights of its caller, in the same chat, and [Options].MaxDepth
// deep at most.
func CallTool(ctx context.Context, name string, args map[string]any) *ToolResult {
	h := scopeFrom(ctx).hooks
	if h == nil || h.callee == nil {
		return Fail(ErrExecutionFailed, "this tool cannot call others here", nil).Because(errNoCaller).Result()
	}
	inv := InvocationFrom(ctx)
	return h.callee.execute(ctx, name, args, inv.Channel, inv.Chat, nil)
}

// Callable are the tools that the caller of the running call may call, by name, the called
// one among them. It is for a tool with annotations that say that it finds others.
func Callable(ctx context.Context) []providers.ToolDefinition {
	if h := scopeFrom(ctx).hooks; h != nil && h.callee != nil {
		return h.callee.view.definitions()
	}
	return nil
}

// ExamineTool examines a call as [CallTool] would make it; it is for the Examine of
// a composed tool. A call that the caller may not make is an error.
func ExamineTool(ctx context.Context, name string, args map[string]any) (Examination, error) {
	h := scopeFrom(ctx).hooks
	if h == nil || h.callee == nil {
		return Examination{}, errNoCaller
	}
	q := request{call: Call{Name: name, Arguments: args}}
	ctx, fail := h.callee.descend(ctx, &q)
	if fail == nil {
		_, fail = h.callee.examined(ctx, &q)
	}
	if fail != nil {
		return Examination{}, fail
	}
	return q.examination, nil
}

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
