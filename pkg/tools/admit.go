package tools

import (
	"context"
	"fmt"

	"parley/pkg/providers"
)

// maxStuck bounds the calls of one tool that were given up and have not ended.
const maxStuck = 16

// admit makes the checks, in their fixed order, and fills in what is known of the
// tool. What a person has to allow is an error that is [ErrAsk].
func (r *ToolRegistry) admit(ctx context.Context, q *request) (*entry, *Error) {
	e, fail := r.examined(ctx, q)
	if fail != nil {
		return nil, fail
	}
	if fail := r.authorize(ctx, q); fail != nil {
		return nil, fail
	}
	if e.stuck.Load() >= maxStuck {
		return nil, Fail(ErrBusy, "too many earlier calls of this tool have not ended", nil)
	}
	return e, nil
}

// examined makes the checks up to what the call itself would do: the tool exists, is
// enabled and offered, its arguments fit, and so do paths, commands and addresses.
func (r *ToolRegistry) examined(ctx context.Context, q *request) (*entry, *Error) {
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
	args, fail := e.fits(q.call.Arguments)
	if fail != nil {
		return nil, fail
	}
	if providers.LeftOut(q.call.Arguments) {
		return nil, Fail(ErrInvalidArguments, "the arguments repeat a note that something is left out of this history; "+
			"nothing was done: give the whole value, and read it first where it is a file", nil)
	}
	q.call.Arguments = args
	fail = e.examine(r.lend(ctx, q), q)
	// What another call makes has no record of its own that could outlast the turn.
	q.call.Async = e.async && !q.nested && !q.examination.Foreground
	return e, fail
}

// examine asks a tool what a call would do.
func (e *entry) examine(ctx context.Context, q *request) *Error {
	q.examination = Examination{Destructive: q.call.Annotations.Destructive}
	x, ok := e.tool.(Examiner)
	if !ok {
		return nil
	}
	ex, err := protect(func() (Examination, error) { return x.Examine(ctx, q.call.Arguments) })
	if err != nil {
		return typed(err, ErrExecutionFailed, err.Error())
	}
	q.examination = ex
	q.examination.Examined = true
	return nil
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

func (r *ToolRegistry) authorize(ctx context.Context, q *request) *Error {
	call, s := &q.call, scopeFrom(ctx)
	if s.inv.Level != "" && rank(s.inv.Level) < rank(call.Annotations.Level) {
		return Fail(ErrPermissionDenied, fmt.Sprintf("the tool %s needs the level %s; this chat has %s",
			call.Name, call.Annotations.Level, s.inv.Level), nil)
	}
	a, gate := r.shared.options.Authorizer, s.gate()
	if a == nil && gate == nil {
		return nil
	}
	req := ToolRequest{
		Tool: call.Name, Annotations: call.Annotations, Arguments: call.Arguments, Invocation: s.inv,
		Examination: q.examination, Nested: q.nested, Covered: q.nested && s.hooks.covered,
	}
	_, err := protect(func() (struct{}, error) {
		if a != nil {
			if err := a.AuthorizeTool(ctx, req); err != nil {
				return struct{}{}, err
			}
		}
		if gate != nil {
			return struct{}{}, gate.Pass(ctx, req)
		}
		return struct{}{}, nil
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
	if _, fail := e.fits(args); fail != nil {
		return fail
	}
	return nil
}

func disabled(e *entry) *Error {
	return Fail(ErrDisabled, "the tool "+clip(e.name, 64)+" is disabled", nil)
}
