package providers

import (
	"errors"
	"time"
)

// RetryPolicy says how often and when a model is asked again. The zero value is a good one.
type RetryPolicy struct {
	// Attempts counts the first one too; 0 means 5. The first attempts at further models
	// and keys do not count. A model that ran into a time limit is asked again once at
	// most, because the caller has waited long enough.
	Attempts int
	// Base is the most that is waited after the first failure, doubled with each
	// one up to Max; the wait is drawn evenly below it. 0 means 500 ms and 20 s.
	Base, Max time.Duration
	// Patience is the longest wait that a server may demand; beyond it that key is not
	// asked again. 0 means 2 minutes.
	Patience time.Duration
	// Switch bounds the time from a model's first attempt to its second one, where another
	// model can be asked; 0 means 15 s.
	Switch time.Duration
	// Total bounds all attempts with the pauses between them; 0 means no bound. An
	// attempt that runs then is ended with [KindTimeout], and no pause begins that
	// would outlast it: the last failure is returned at once. Only [Retry] reads it.
	Total time.Duration
	// OnRetry is told, from the goroutine that asks, of each failed attempt that another
	// one follows. It may be nil.
	OnRetry func(Retried)
}

// Retried is a failed attempt that another one follows.
type Retried struct {
	Err *Error
	// Attempt counts those of the request from 1, and Key the keys of its model.
	Attempt, Key int
	// Next is the model that is asked next, with the key NextKey, after Wait.
	Next    string
	NextKey int
	Wait    time.Duration
	// Rest is how long the key or the model that failed is left alone; 0 for no rest.
	Rest time.Duration
}

// Retry asks p again after temporary errors, with full jitter on top of the server's
// pause. It streams if p does: [Restart] voids the emitted part of an answer that
// broke off. It is a [Failover] of one target.
func Retry(p LLMProvider, policy RetryPolicy) LLMProvider {
	return newFailover(policy, []Target{{Provider: p, Total: policy.Total}})
}

func orElse[T int | time.Duration](v *T, def T) {
	if *v <= 0 {
		*v = def
	}
}

// asError finds the [*Error] of a provider.
func asError(err error) (*Error, bool) { return errors.AsType[*Error](err) }
