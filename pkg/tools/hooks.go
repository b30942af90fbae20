package tools

import (
	"context"
	"errors"
	"fmt"
)

// hooks are what a call finds in its context: the loop that made it, and how deep
// within other calls it is.
type hooks struct {
	loop *loop // nil outside a loop
	// round and callID are those of the loop's own call.
	round  int
	callID string
	// registry is what the call may call in its turn.
	registry *ToolRegistry
	// depth counts the calls round this one.
	depth int
	// covered says that nobody is asked about the calls that this one makes.
	covered bool
	// brings notes that the loop's own call brings in content from outside.
	brings func()
	// far is told how far work in the background is; left says that its loop may be over.
	far  func(line string)
	left bool
}

// detached are the hooks of a call that goes on in the background: they keep
// nothing of its loop alive.
func (h *hooks) detached(q *request) *hooks {
	d := &hooks{left: true}
	if h != nil {
		d.registry, d.depth, d.covered, d.brings = h.registry, h.depth, h.covered, h.brings
	}
	if q.makeProgress != nil {
		d.far = q.makeProgress(q.call)
	}
	return d
}

// BringsOutside notes that what the running call brings may be content from outside,
// which its examination could not know. It is told before the call's result is.
func BringsOutside(ctx context.Context) {
	if h := scopeFrom(ctx).hooks; h != nil && h.brings != nil {
		h.brings()
	}
}

// progress passes on a line about a call.
func (h *hooks) progress(line string) {
	if h != nil && h.far != nil {
		h.far(clip(line, shortResult))
		return
	}
	if h != nil && h.loop != nil {
		h.loop.event(Event{Kind: EventProgress, Round: h.round, CallID: h.callID, Text: clip(line, shortResult)})
	}
}

// unattended decides on the calls that work in the background makes itself: the
// turn that could ask for them may be over.
type unattended struct{}

// Pass implements [Gate].
func (unattended) Pass(_ context.Context, req ToolRequest) error {
	if req.Annotations.ReadOnly || req.Covered {
		return nil
	}
	return ErrAsk
}

// Ask implements [Gate]. Nothing asks: only a loop's own calls are asked about.
func (unattended) Ask(context.Context, Call, Examination) (*ToolResult, error) {
	return nil, ErrAsk
}

// descend counts a call that another one makes. A loop's own call, and one that
// nothing surrounds, changes nothing.
func (r *ToolRegistry) descend(ctx context.Context, q *request) (context.Context, *Error) {
	s := scopeFrom(ctx)
	if q.own || s.hooks == nil {
		return ctx, nil
	}
	inner := *s.hooks
	inner.depth++
	if inner.depth >= r.shared.options.MaxDepth {
		return ctx, Fail(ErrExecutionFailed,
			fmt.Sprintf("tools may call each other %d deep (max_tool_depth) and no deeper", r.shared.options.MaxDepth), nil)
	}
	q.nested = true
	next := *s
	next.hooks = &inner
	return next.into(ctx), nil
}

// lend gives a tool that calls others what it needs for that.
func (r *ToolRegistry) lend(ctx context.Context, q *request) context.Context {
	if !q.call.Annotations.Composed {
		return ctx
	}
	next := *scopeFrom(ctx)
	inner := hooks{}
	if next.hooks != nil {
		inner = *next.hooks
	}
	inner.registry = r
	inner.covered = inner.covered && q.nested || len(q.examination.Steps) > 0
	next.hooks = &inner
	return next.into(ctx)
}

var errNoCaller = errors.New("tools: CallTool outside of a tool that says that it is composed")

// CallTool calls another tool from within one whose annotations say that it is
// composed: with the rights of its caller, in the same chat, and
// [Options].MaxDepth deep at most.
func CallTool(ctx context.Context, name string, args map[string]any) *ToolResult {
	h := scopeFrom(ctx).hooks
	if h == nil || h.registry == nil {
		return Fail(ErrExecutionFailed, "this tool cannot call others here", nil).Because(errNoCaller).Result()
	}
	inv := InvocationFrom(ctx)
	return h.registry.ExecuteWithContext(ctx, name, args, inv.Channel, inv.Chat, nil)
}

// Examine says what a call would do, as far as its tool can tell, or why it would be
// refused before anybody is asked.
func (r *ToolRegistry) Examine(ctx context.Context, name string, args map[string]any) (Examination, error) {
	q := request{call: Call{Name: name, Arguments: args}, own: true}
	if _, fail := r.examined(ctx, &q); fail != nil {
		return Examination{}, fail
	}
	return q.examination, nil
}

// ExamineTool examines a call as [CallTool] would make it; it is for the Examine of
// a composed tool. What the caller may not do is an error.
func ExamineTool(ctx context.Context, name string, args map[string]any) (Examination, error) {
	h := scopeFrom(ctx).hooks
	if h == nil || h.registry == nil {
		return Examination{}, errNoCaller
	}
	q := request{call: Call{Name: name, Arguments: args}}
	ctx, fail := h.registry.descend(ctx, &q)
	if fail == nil {
		_, fail = h.registry.examined(ctx, &q)
	}
	if fail != nil {
		return Examination{}, fail
	}
	return q.examination, nil
}
