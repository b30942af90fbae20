package fakehttp

import (
	"slices"
	"sync"
)

// Rules say which requests of a fake are harmed, and how. They share the lock of their fake.
type Rules[R, F any] struct {
	mu  *sync.Mutex
	all []*rule[R, F] // the newest first
}

type rule[R, F any] struct {
	matches     func(*R) bool
	skip, times int
	fault       F

	seen int
}

// NewRules makes an empty set under the lock mu.
func NewRules[R, F any](mu *sync.Mutex) *Rules[R, F] { return &Rules[R, F]{mu: mu} }

// Add adds a rule; the newest that matches wins. Skip lets so many matching requests
// pass first; times bounds how many are harmed after that, 0 means all. The returned
// function takes the rule away.
func (s *Rules[R, F]) Add(matches func(*R) bool, skip, times int, fault F) (heal func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &rule[R, F]{matches: matches, skip: skip, times: times, fault: fault}
	s.all = append([]*rule[R, F]{r}, s.all...)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all = slices.DeleteFunc(slices.Clone(s.all), func(other *rule[R, F]) bool { return other == r })
	}
}

// Fault is the fault that the request is to suffer, if any. The lock is held.
func (s *Rules[R, F]) Fault(req *R) (fault F, faulty bool) {
	for _, r := range s.all {
		if !r.matches(req) {
			continue
		}
		r.seen++
		if n := r.seen - r.skip; n >= 1 && (r.times == 0 || n <= r.times) {
			return r.fault, true
		}
	}
	return fault, false
}
