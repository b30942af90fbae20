package providers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/pkg/backoff"
)

// request is one question on its way through the models of a [Failover].
type request struct {
	f     *failover
	model string // the caller's
	turn  string

	line     []*candidate // the models in the order of this request
	attempts int
	bound    int // of attempts
	last     *Retried
	// kept is an answer of no use, for the case that no model gives a better one. Wasted
	// are the uses of further such answers.
	kept   *LLMResponse
	wasted []BilledUsage
	err    error // ends the request
}

// candidate is one model in one request.
type candidate struct {
	*sharedModel

	name     string
	index    int // in the order of the targets
	keys     []candidateKey
	one      [1]candidateKey      // of most models
	pauses   *backoff.Exponential // nil before the first failure that may pass
	left     time.Duration        // of its total; not read without one
	asked    bool
	retried  bool // quickly
	timeouts int
	given    bool // up: another attempt in this request would be in vain
	// serverFailed says that further keys would not help.
	serverFailed bool
	began        time.Time // the first attempt
	err          error     // the newest
}

// candidateKey is one key of a candidate.
type candidateKey struct {
	asked, given bool
	ready        time.Time // when it may be asked again
}

// choice is the next attempt of a request, and the wait before it.
type choice struct {
	c    *candidate
	key  int
	wait time.Duration
	well bool // it was chosen because the model is well, or wants a probe
}

func (f *failover) newRequest(model, turn string) *request {
	r := &request{f: f, model: model, turn: turn, bound: f.policy.Attempts - 1, line: make([]*candidate, 0, len(f.models))}
	first := f.turns.model(turn)
	for i, m := range f.models {
		c := &candidate{sharedModel: m, name: m.target.Model, index: i, left: m.target.Total}
		if c.keys = c.one[:]; len(m.target.Spares) > 0 {
			c.keys = make([]candidateKey, 1+len(m.target.Spares))
		}
		if c.name == "" {
			c.name = model
		}
		r.line = append(r.line, c)
		if i == first {
			copy(r.line[1:], r.line[:i])
			r.line[0] = c
		}
		r.bound += len(c.keys)
	}
	return r
}

// next chooses the next attempt; nil ends the request.
func (r *request) next() *choice {
	now := time.Now()
	if r.err != nil {
		return nil
	}
	if next := r.quick(now); next != nil || r.kept != nil {
		return next
	}
	fresh := r.fresh()
	longest := r.f.policy.Patience + r.f.policy.Max
	if fresh != nil { // a model that rests may answer before a long wait is over
		longest = r.f.policy.Switch
	}
	if again := r.again(now, longest); again != nil {
		return again
	}
	return fresh
}

// quick chooses among the models that are well, in their order: each with the keys that
// do not rest, and once more after a failure that came soon.
func (r *request) quick(now time.Time) *choice {
	for _, c := range r.line {
		if c.given || !c.serves(now) {
			continue
		}
		for k := range c.keys {
			if !c.keys[k].asked && !c.serverFailed && !c.rests(k, now) {
				return &choice{c: c, key: k, well: true}
			}
		}
		again := c.again(now)
		if again == nil || len(r.line) == 1 || c.retried || r.attempts >= r.bound {
			continue
		}
		if !now.Add(again.wait).After(c.began.Add(r.f.policy.Switch)) {
			c.retried, again.well = true, true
			return again
		}
	}
	return nil
}

// fresh chooses a key that was not asked yet, also one that rests.
func (r *request) fresh() *choice {
	for _, c := range r.line {
		for k := range c.keys {
			if !c.given && !c.keys[k].asked && !c.serverFailed {
				return &choice{c: c, key: k}
			}
		}
	}
	return nil
}

// again chooses the model that may be asked again first, if that is soon enough; those
// that let no time limit pass come before the others.
func (r *request) again(now time.Time, longest time.Duration) *choice {
	if r.attempts >= r.bound {
		return nil
	}
	var best *choice
	for _, c := range r.line {
		next := c.again(now)
		if c.given || next == nil || next.wait > longest {
			continue
		}
		if best == nil || c.timeouts < best.c.timeouts || c.timeouts == best.c.timeouts && next.wait < best.wait {
			best = next
		}
	}
	return best
}

// again is the key that may be asked again first, where the model's total allows it.
func (c *candidate) again(now time.Time) *choice {
	var best *choice
	for k := range c.keys {
		if !c.keys[k].asked || c.keys[k].given {
			continue
		}
		wait := max(0, c.keys[k].ready.Sub(now))
		if (best == nil || wait < best.wait) && (c.target.Total <= 0 || wait < c.left) {
			best = &choice{c: c, key: k, wait: wait}
		}
	}
	return best
}

// attempt makes one attempt; neither an answer nor an error means that another follows.
func (r *request) attempt(caller context.Context, next *choice, once attempt) (*LLMResponse, error) {
	r.tell(next)
	c, began := next.c, time.Now()
	if !c.asked {
		c.began = began
	}
	ctx, cancel := caller, func() {}
	if c.target.Total > 0 {
		ctx, cancel = context.WithDeadline(caller, began.Add(c.left))
	}
	defer cancel()
	if next.wait > 0 && !backoff.Sleep(ctx, next.wait) {
		return nil, ctx.Err()
	}
	probe, well := c.begin(time.Now())
	switch {
	case probe:
		defer c.released()
	case next.well && !well: // a request beside this one was faster
		return nil, nil //nolint:nilnil // another choice follows
	}
	r.attempts++
	c.asked, c.keys[next.key].asked = true, true
	resp, err := once(ctx, c.provider(next.key), c.name)
	c.left -= time.Since(began)
	switch {
	case err == nil && r.useless(next, resp):
		return nil, nil //nolint:nilnil // another attempt follows
	case err == nil:
		return r.answered(c, next.key, resp), nil
	case caller.Err() != nil:
		return nil, err
	}
	if _, told := asError(err); !told && ctx.Err() != nil {
		err = &Error{
			Kind:    KindTimeout,
			Model:   c.name,
			Message: "the answer took longer than the total limit of " + c.target.Total.String(),
			Err:     err,
		}
	}
	r.failed(next, err)
	return nil, nil //nolint:nilnil // another attempt follows, or conclude tells of the failure
}

// tell reports the last failure, which next follows.
func (r *request) tell(next *choice) {
	if r.last == nil || r.f.policy.OnRetry == nil {
		return
	}
	r.last.Next, r.last.NextKey, r.last.Wait = next.c.name, next.key+1, next.wait
	r.f.policy.OnRetry(*r.last)
}

// failed takes note of a failure and of its consequences for this request.
func (r *request) failed(at *choice, err error) {
	c, k, now := at.c, &at.c.keys[at.key], time.Now()
	failure, ok := asError(err)
	if !ok {
		r.err = err
		return
	}
	c.err = err
	r.last = &Retried{Err: failure, Attempt: r.attempts, Key: at.key + 1}
	c.failed(at.key, failure, now)
	r.last.Rest = c.restLeft(at.key, now)
	switch {
	case failure.Kind == KindTooLong && c.index == 0 && r.kept == nil:
		r.err = err // a model that steps in may only have a smaller context
	case failure.Kind == KindAuth, failure.Kind == KindQuota:
		k.given = true
	case failure.Retryable():
		if c.pauses == nil {
			c.pauses = backoff.New(r.f.policy.Base, r.f.policy.Max)
		}
		k.ready = now.Add(failure.RetryAfter + max(1, backoff.Below(c.pauses.Next())))
		k.given = failure.RetryAfter > r.f.policy.Patience
		c.serverFailed = failure.Kind != KindRateLimited
	default:
		c.given = true
	}
	if failure.Kind == KindTimeout {
		c.timeouts++
	}
	if c.timeouts > 1 || c.target.Total > 0 && c.left <= 0 {
		c.given = true
	}
}

// useless keeps an answer aside that has no text, or a call that cannot be read, where
// another model is there to be asked.
func (r *request) useless(at *choice, resp *LLMResponse) bool {
	c, why := at.c, fault(resp)
	if why == "" || !r.another(c) {
		return false
	}
	c.given = true
	failure := &Error{Kind: KindUnusable, Model: c.name, Message: why}
	c.err, r.last = failure, &Retried{Err: failure, Attempt: r.attempts, Key: at.key + 1}
	if r.kept == nil {
		r.kept = resp
	} else {
		r.wasted = append(r.wasted, BilledUsage{resp.Billed, resp.Usage})
	}
	return true
}

// fault says why an answer is of no use, "" for any other answer. A call that was cut by
// the limit of the answer is none of the model's faults.
func fault(resp *LLMResponse) string {
	if resp == nil {
		return ""
	}
	if len(resp.ToolCalls) == 0 && strings.TrimSpace(resp.Content) == "" {
		return "the answer is empty"
	}
	for i := range resp.ToolCalls {
		if bad := resp.ToolCalls[i].BadArguments; bad != "" && resp.FinishReason != FinishLength {
			return "a call of " + resp.ToolCalls[i].Name + " cannot be read: " + bad
		}
	}
	return ""
}

// another says whether a model is well and was not asked yet.
func (r *request) another(than *candidate) bool {
	now := time.Now()
	for _, c := range r.line {
		if c != than && !c.asked && c.serves(now) {
			return true
		}
	}
	return false
}

// answered closes the request.
func (r *request) answered(c *candidate, key int, resp *LLMResponse) *LLMResponse {
	c.answered(key)
	r.f.turns.keep(r.turn, c.index)
	if r.kept == nil || resp == nil {
		return resp
	}
	return resp.withOthers(append(r.wasted, BilledUsage{r.kept.Billed, r.kept.Usage}))
}

// conclude gives the end of a request without a good answer: an answer of no use, or the
// failures in the order of the targets. In front is the one that the caller can cure.
func (r *request) conclude(s *restarter) (*LLMResponse, error) {
	if r.err != nil {
		return nil, r.err
	}
	if r.kept != nil {
		own := r.kept.withOthers(r.wasted)
		if s != nil {
			s.begin()
			s.pass(TextDelta{Text: own.Content})
		}
		return own, nil
	}
	inOrder := make([]error, 1+len(r.line))
	for _, c := range r.line {
		at := 1 + c.index
		if failure, ok := asError(c.err); ok && failure.Kind == KindTooLong && inOrder[0] == nil {
			at = 0
		}
		inOrder[at] = c.err
	}
	var failures error
	for _, err := range inOrder {
		switch {
		case err == nil:
		case failures == nil:
			failures = err
		default:
			failures = fmt.Errorf("%w; then %w", failures, err)
		}
	}
	return nil, failures
}

// withOthers is an answer that counts the use of other models too.
func (r *LLMResponse) withOthers(others []BilledUsage) *LLMResponse {
	own := *r
	for i := range others {
		own.Usage.Add(others[i].Usage)
	}
	own.Others = slices.Concat(own.Others, others)
	return &own
}
