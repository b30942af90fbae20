package providers

import (
	"context"
	"errors"
	"time"

	"parley/pkg/backoff"
)

// RetryPolicy says how often and when [Retry] asks again. The zero value is a good one.
type RetryPolicy struct {
	// Attempts counts the first one too; 0 means 5. A request that ran into a
	// time limit is asked again once at most, because it has waited long enough.
	Attempts int
	// Base is the most that is waited after the first failure, doubled with each
	// one up to Max; the wait is drawn evenly below it. 0 means 500 ms and 20 s.
	Base, Max time.Duration
	// Patience is the longest wait that a server may demand; beyond it the error
	// is returned at once. 0 means 2 minutes.
	Patience time.Duration
	// Total bounds all attempts with the pauses between them; 0 means no bound. An
	// attempt that runs then is ended with [KindTimeout], and no pause begins that
	// would outlast it: the last failure is returned at once.
	Total time.Duration
	// OnRetry is told, from the goroutine that asks, of the failure of each attempt
	// (counted from 1) that another follows after wait. It may be nil.
	OnRetry func(err *Error, attempt int, wait time.Duration)
}

// Retry asks p again after temporary errors, with full jitter on top of the server's
// pause. It streams if p does: [Restart] voids the emitted part of an answer that
// broke off.
func Retry(p LLMProvider, policy RetryPolicy) LLMProvider {
	orElse(&policy.Attempts, 5)
	orElse(&policy.Base, 500*time.Millisecond)
	orElse(&policy.Max, 20*time.Second)
	orElse(&policy.Patience, 2*time.Minute)
	return &retrier{p: p, policy: policy}
}

func orElse[T int | time.Duration](v *T, def T) {
	if *v <= 0 {
		*v = def
	}
}

type retrier struct {
	p      LLMProvider
	policy RetryPolicy
}

func (r *retrier) Chat(
	ctx context.Context, messages []Message, tools []ToolDefinition, model string, options map[string]any,
) (*LLMResponse, error) {
	return r.ask(ctx, model, func(ctx context.Context) (*LLMResponse, error) {
		return r.p.Chat(ctx, messages, tools, model, options)
	})
}

func (r *retrier) ChatStream(
	ctx context.Context, messages []Message, tools []ToolDefinition,
	model string, options map[string]any, emit func(StreamEvent),
) (*LLMResponse, error) {
	s := restarter{emit: emit}
	return r.ask(ctx, model, func(ctx context.Context) (*LLMResponse, error) {
		s.begin()
		resp, err := Stream(ctx, r.p, messages, tools, model, options, s.pass)
		s.end(err)
		return resp, err
	})
}

func (r *retrier) ask(caller context.Context, model string, attempt func(context.Context) (*LLMResponse, error)) (*LLMResponse, error) {
	ctx, cancel := caller, func() {}
	pauses := backoff.New(r.policy.Base, r.policy.Max)
	end := time.Now().Add(r.policy.Total)
	if r.policy.Total > 0 {
		ctx, cancel = context.WithDeadline(caller, end)
	}
	defer cancel()
	timeouts := 0
	for n := 1; ; n++ {
		resp, err := attempt(ctx)
		if err == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return nil, r.ended(caller, model, err)
		}
		var failure *Error
		if !errors.As(err, &failure) || !failure.Retryable() || n >= r.policy.Attempts {
			return nil, err
		}
		if failure.Kind == KindTimeout {
			timeouts++
		}
		wait := failure.RetryAfter + max(1, backoff.Below(pauses.Next()))
		if timeouts > 1 || failure.RetryAfter > r.policy.Patience || r.policy.Total > 0 && wait >= time.Until(end) {
			return nil, err
		}
		if r.policy.OnRetry != nil {
			r.policy.OnRetry(failure, n, wait)
		}
		if !backoff.Sleep(ctx, wait) {
			return nil, ctx.Err()
		}
	}
}

// ended is the error of an attempt that the caller's end, or the total, has ended.
func (r *retrier) ended(caller context.Context, model string, err error) error {
	if _, told := errors.AsType[*Error](err); told || caller.Err() != nil {
		return err
	}
	return &Error{
		Kind:    KindTimeout,
		Model:   model,
		Message: "the answer took longer than the total limit of " + r.policy.Total.String(),
		Err:     err,
	}
}

// restarter passes events on. When the next attempt begins, it announces that the
// events of the last one are void.
type restarter struct {
	emit   func(StreamEvent)
	dirty  bool
	reason string
}

func (s *restarter) begin() {
	if s.dirty {
		s.pass(Restart{Reason: s.reason})
	}
}

func (s *restarter) pass(e StreamEvent) {
	_, restart := e.(Restart)
	s.dirty = !restart
	s.emit(e)
}

func (s *restarter) end(err error) {
	if failure, ok := errors.AsType[*Error](err); ok {
		s.reason = string(failure.Kind)
	}
}
