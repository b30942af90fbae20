package tools

import (
	"context"
	"fmt"
)

// maxStuck bounds the calls of one tool that were given up and have not ended.
const maxStuck = 16

// admit makes the checks, in their fixed order, and fills in what is known of the tool.
func (r *ToolRegistry) admit(ctx context.Context, q *request) (*entry, *Error) {
	s := r.shared.now.Load()
	e := s.byName[q.call.Name]
	if e == nil {
		return nil, r.unknownTool(q.call.Name)
	}
	q.call.Annotations, q.call.Async = r.limits(e), e.async
	if err := s.whyNot(e); err != nil {
		return nil, disabled(e).Because(err)
	}
	if !r.offers(e) {
		return nil, Fail(ErrPermissionDenied, "the tool "+e.name+" may not be used here", nil)
	}
	if q.bad != "" {
		return nil, Fail(ErrInvalidArguments, "the arguments are not valid: "+clip(q.bad, maxProblemBytes), nil)
	}
	if q.call.Arguments == nil {
		q.call.Arguments = map[string]any{}
	}
	if fail := e.fits(q.call.Arguments); fail != nil {
		return nil, fail
	}
	if fail := r.authorize(ctx, q.call); fail != nil {
		return nil, fail
	}
	if e.stuck.Load() >= maxStuck {
		return nil, Fail(ErrBusy, "too many earlier calls of this tool have not ended", nil)
	}
	return e, nil
}

func (r *ToolRegistry) unknownTool(name string) *Error {
	var offered []string
	for _, e := range r.usable() {
		if offered = append(offered, e.name); len(offered) == 50 {
			break
		}
	}
	return Fail(ErrNotFound, fmt.Sprintf("there is no tool %q", clip(name, 64)), map[string]any{"tools": offered})
}

func (r *ToolRegistry) authorize(ctx context.Context, call Call) *Error {
	inv := InvocationFrom(ctx)
	if inv.Level != "" && rank(inv.Level) < rank(call.Annotations.Level) {
		return Fail(ErrPermissionDenied, fmt.Sprintf("the tool %s needs the level %s; this chat has %s",
			call.Name, call.Annotations.Level, inv.Level), nil)
	}
	a := r.shared.options.Authorizer
	if a == nil {
		return nil
	}
	_, err := protect(func() (struct{}, error) {
		return struct{}{}, a.AuthorizeTool(ctx, ToolRequest{
			Tool: call.Name, Annotations: call.Annotations, Arguments: call.Arguments, Invocation: inv,
		})
	})
	if err == nil {
		return nil
	}
	return typed(err, ErrPermissionDenied, err.Error())
}

// rank orders the levels; a word that is none of them gives no right and grants none.
func rank(l Level) int {
	switch l {
	case LevelNone:
		return 0
	case LevelChat:
		return 1
	case LevelRead:
		return 2
	case LevelWrite:
		return 3
	case LevelExec:
		return 4
	default:
		return -1
	}
}

// Validate checks arguments against a tool's schema, without running it. The
// error is an [*Error].
func (r *ToolRegistry) Validate(name string, args map[string]any) error {
	s := r.shared.now.Load()
	e := s.byName[name]
	if e == nil || !r.offers(e) {
		return r.unknownTool(name)
	}
	if err := e.check(); err != nil {
		return disabled(e).Because(err)
	}
	fail := e.fits(args)
	if fail == nil {
		return nil
	}
	return fail
}

func disabled(e *entry) *Error {
	return Fail(ErrDisabled, "the tool "+clip(e.name, 64)+" is disabled", nil)
}
