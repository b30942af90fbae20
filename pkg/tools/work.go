package tools

import (
	"context"
	"time"

	"parley/pkg/panics"
)

// Background runs work in a goroutine of its own, passes its result to callback,
// and is the result of the call meanwhile: AsyncResult(started). It is for the
// Execute of an [AsyncTool], with the ctx that Execute got: that one lasts as long
// as the work may.
//
// A panic of work, or the end of its goroutine, is a failed result; in a goroutine
// that a tool starts itself it ends the process. After the end of ctx the result is
// dropped: the side that ended the work has reported it. Where the end cannot be
// reported, work does not run, and the result is a failure that says why.
func Background(ctx context.Context, callback AsyncCallback, started string, work func(ctx context.Context) *ToolResult) *ToolResult {
	if callback == nil || scopeFrom(ctx).deaf {
		return Fail(ErrExecutionFailed, "this cannot go on in the background here: nobody would hear of its end", nil).Result()
	}
	ended := began(ctx)
	go func() {
		defer ended()
		var res *ToolResult
		panics.Watch(func() { res = work(ctx) }, func(failed *panics.Error) {
			if failed != nil {
				res = Fail(ErrExecutionFailed, "the work failed in a way it should not; this has been logged", nil).Because(failed).Result()
			}
			if ctx.Err() == nil {
				callback(ctx, res)
			}
		})
	}()
	return AsyncResult(started)
}

// asyncTool is the tool that [NewAsync] makes.
type asyncTool[In any] struct {
	*examinedTool[In]

	work     func(ctx context.Context, in In, callback AsyncCallback) (any, error)
	callback AsyncCallback
}

// NewAsync is [NewExamined] for an [AsyncTool]: f gets the callback of its call, which
// is not nil, and starts its work with [Background], which refuses where the end would
// have no recipient. So it is with a call of which examine says that it is over when it
// returns.
func NewAsync[In any](
	name, description string, a Annotations,
	examine func(ctx context.Context, in In) (Examination, error),
	f func(ctx context.Context, in In, callback AsyncCallback) (any, error),
) Tool {
	t := newTyped[In](name, description, a, nil)
	return &asyncTool[In]{examinedTool: &examinedTool[In]{typedTool: t, examine: examine}, work: f}
}

// Clone implements [Cloner].
func (t *asyncTool[In]) Clone() Tool {
	c := *t
	return &c
}

// SetCallback implements [AsyncTool].
func (t *asyncTool[In]) SetCallback(cb AsyncCallback) { t.callback = cb }

// Execute implements [Tool].
func (t *asyncTool[In]) Execute(ctx context.Context, args map[string]any) *ToolResult {
	return t.executeDecoded(ctx, nil, args)
}

func (t *asyncTool[In]) executeDecoded(ctx context.Context, decoded any, args map[string]any) *ToolResult {
	in, err := inputOf[In](decoded, args)
	if err != nil {
		return ResultOf(ctx, nil, err)
	}
	v, err := t.work(ctx, in, t.callback)
	return ResultOf(ctx, v, err)
}

// ExecuteAndWait is [ToolRegistry.ExecuteWithContext] for a caller that waits: the
// result of a call that goes on in the background is the one of its callback. Work
// that does not end within [Annotations].BackgroundLimit, or before ctx does, is told
// to stop, and the result is a failure.
func (r *ToolRegistry) ExecuteAndWait(ctx context.Context, name string, args map[string]any, channel, chatID string) *ToolResult {
	ended := make(chan *ToolResult, 1)
	var limit time.Duration
	out := r.calls.dispatch(ctx, request{
		call:    Call{Name: name, ID: InvocationFrom(ctx).CallID, Arguments: args},
		channel: channel, chat: chatID,
		callback: func(_ context.Context, res *ToolResult) { ended <- res },
		makeTaskContext: func(ctx context.Context, call Call) context.Context {
			limit = call.Annotations.BackgroundLimit
			return ctx
		},
	})
	if !out.result.Async {
		return out.result
	}
	timer := time.NewTimer(limit - out.took)
	defer timer.Stop()
	select {
	case res := <-ended:
		return res
	case <-timer.C:
		return TimedOut(limit,
			"the work did not end within "+limit.String()+" and was told to stop; it is unknown whether it took effect", nil).Result()
	case <-ctx.Done():
		return interrupted(true).Because(context.Cause(ctx)).Result()
	}
}
