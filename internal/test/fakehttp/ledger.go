package fakehttp

import (
	"context"
	"slices"
	"sync"
)

// maxViolations bounds how many violations a ledger keeps.
const maxViolations = 100

// Ledger is a fake's memory of its requests and of its clients' violations. It shares
// the lock of its fake, which changes requests after they were entered.
type Ledger[R any] struct {
	mu       *sync.Mutex
	changed  *Changes
	methodOf func(*R) string

	requests   []*R
	counts     map[string]int // by method
	violations []string
}

// NewLedger makes an empty ledger under the lock mu; changed is woken by each entry.
func NewLedger[R any](mu *sync.Mutex, changed *Changes, methodOf func(*R) string) *Ledger[R] {
	return &Ledger[R]{mu: mu, changed: changed, methodOf: methodOf, counts: map[string]int{}}
}

// Next is the number of the next request. The lock is held.
func (l *Ledger[R]) Next() int { return len(l.requests) + 1 }

// Enter adds a request. The lock is held.
func (l *Ledger[R]) Enter(r *R) {
	l.requests = append(l.requests, r)
	l.counts[l.methodOf(r)]++
	l.changed.Wake()
}

// Note adds a violation. The lock is held.
func (l *Ledger[R]) Note(words string) {
	if len(l.violations) < maxViolations {
		l.violations = append(l.violations, words)
	}
	l.changed.Wake()
}

// Violations are the requests and manners of clients that the platform does not know or
// want, the first hundred.
func (l *Ledger[R]) Violations() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.violations)
}

// ForgetViolations is for tests that make them.
func (l *Ledger[R]) ForgetViolations() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.violations = nil
}

// Requests returns copies of the requests for method, or of all for "", in the order they came.
func (l *Ledger[R]) Requests(method string) []R {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []R
	for _, r := range l.requests {
		if method == "" || l.methodOf(r) == method {
			all = append(all, *r)
		}
	}
	return all
}

// Count says how many requests for method (or of all for "") have come.
func (l *Ledger[R]) Count(method string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if method == "" {
		return len(l.requests)
	}
	return l.counts[method]
}

// AwaitRequests waits until n requests for method have come, and returns them.
func (l *Ledger[R]) AwaitRequests(ctx context.Context, method string, n int) ([]R, error) {
	err := l.changed.Until(ctx, func() bool { return l.Count(method) >= n })
	return l.Requests(method), err
}
