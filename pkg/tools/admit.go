package tools

import (
	"context"
	"fmt"
	"slices"

	"parley/pkg/providers"
	"parley/pkg/text"
	"parley/pkg/tools/internal/isolate"
	"parley/pkg/tools/internal/schema"
)

// maxStuck bounds the calls of one tool that were given up and have not ended.
const maxStuck = 16

// admit makes the checks, in their fixed order, and fills in the tool's annotations.
// The error of a call that a person has to allow is [ErrAsk].
func (d dispatcher) admit(ctx context.Context, q *request) (*entry, *Error) {
	e, fail := d.examined(ctx, q)
	if fail != nil {
		return nil, fail
	}
	if fail := d.authorize(ctx, q); fail != nil {
		return nil, fail
	}
	if e.stuck.Load() >= maxStuck {
		return nil, Fail(ErrBusy, "too many earlier calls of this tool have not ended", nil)
	}
	return e, nil
}

// examined makes the checks up to the examination of the call: the tool exists, is
// enabled and offered, its arguments fit, and so do paths, commands and addresses.
func (d dispatcher) examined(ctx context.Context, q *request) (*entry, *Error) {
	s := d.view.catalog.now.Load()
	e := s.byName[q.call.Name]
	if e == nil {
		return nil, d.view.unknownTool(q.call.Name)
	}
	q.call.Annotations, q.call.Async = d.view.catalog.limits(e), e.async
	if err := s.whyNot(e); err != nil {
		return nil, disabled(e).Because(err)
	}
	if !d.view.offers(e) {
		return nil, Fail(ErrPermissionDenied, "the tool "+e.name+" may not be used here", nil)
	}
	if q.bad != "" {
		return nil, Fail(ErrInvalidArguments, text.ClipBytes(q.bad, schema.MaxProblemBytes), nil)
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
	if q.decoded, fail = e.decode(args); fail != nil {
		return nil, fail
	}
	fail = e.examine(d.equip(ctx, q), q)
	// A call that another one makes has no record of its own that could outlast the turn.
	q.call.Async = e.async && !q.nested && !q.examination.Foreground
	return e, fail
}

func (d dispatcher) authorize(ctx context.Context, q *request) *Error {
	call, s := &q.call, scopeFrom(ctx)
	if s.inv.Level != "" && rank(s.inv.Level) < rank(call.Annotations.Level) {
		return Fail(ErrPermissionDenied, fmt.Sprintf("the tool %s needs the level %s; this chat has %s",
			call.Name, call.Annotations.Level, s.inv.Level), nil)
	}
	a, gate := d.view.catalog.options.Authorizer, s.gate()
	if a == nil && gate == nil {
		return nil
	}
	req := ToolRequest{
		Tool: call.Name, Annotations: call.Annotations, Arguments: call.Arguments, Invocation: s.inv,
		Examination: q.examination, Nested: q.nested, Covered: q.nested && s.hooks.covered,
	}
	_, err := isolate.Protect(func() (struct{}, error) {
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

// rank orders the levels; any other word gives no right.
func rank(l Level) int {
	return slices.Index([]Level{LevelNone, LevelChat, LevelRead, LevelWrite, LevelExec}, l)
}

func disabled(e *entry) *Error {
	return Fail(ErrDisabled, "the tool "+text.ClipBytes(e.name, 64)+" is disabled", nil)
}
