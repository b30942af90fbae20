package fakeslack

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// maxViolations bounds what is kept of them.
const maxViolations = 100

// ledger is what a server remembers of its requests. The server's mutex guards it.
type ledger struct {
	requests   []*Request
	counts     map[string]int // by method
	violations []string
}

// book enters a request and returns what is to go wrong with it.
func (s *Server) book(req *Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.N = len(s.ledger.requests) + 1
	fault, faulty := s.match(req)
	req.Faulty = faulty
	told := s.told[req.lane()]
	req.Early = told.forbids(req)
	s.ledger.requests = append(s.ledger.requests, req)
	s.ledger.counts[req.Method]++
	if req.Early {
		s.note(fmt.Sprintf("%s in %s, %s before its wait is over", req.Method, req.Chat, told.until.Sub(req.Time).Round(time.Millisecond)))
	}
	s.changed.Wake()
	return fault
}

// answered enters how a request ended; status 0 means without an answer.
func (s *Server) answered(req *Request, status int, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Done, req.Status, req.Error = time.Now(), status, name
	s.changed.Wake()
}

// refused enters that a request was refused, and until when its like is not to come.
func (s *Server) refused(req *Request, r *refusal) {
	s.answered(req, r.status, r.name)
	if r.retryAfter == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.told[req.lane()] = wait{from: now, until: now.Add(time.Duration(r.retryAfter) * time.Second)}
}

// lane is one method in one channel: that is what a Retry-After is about.
type lane struct{ method, chat string }

func (req *Request) lane() lane { return lane{req.Method, req.Chat} }

// wait is what was said to a lane.
type wait struct{ from, until time.Time }

// onItsWay is how long after a refusal a request may come that was sent before it was read.
const onItsWay = 250 * time.Millisecond

func (w wait) forbids(req *Request) bool {
	return req.Time.Before(w.until) && req.Time.Sub(w.from) > onItsWay
}

func (s *Server) violation(words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(words)
}

// note enters a violation. The lock is held.
func (s *Server) note(words string) {
	if len(s.ledger.violations) < maxViolations {
		s.ledger.violations = append(s.ledger.violations, words)
	}
	s.changed.Wake()
}

// Violations are what the app did that Slack does not know or want, the first hundred.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ledger.violations)
}

// ForgetViolations is for tests that make them.
func (s *Server) ForgetViolations() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.violations = nil
}

// Requests returns copies of the requests for method, or of all for "", in the order they came.
func (s *Server) Requests(method string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Request
	for _, r := range s.ledger.requests {
		if method == "" || r.Method == method {
			all = append(all, *r)
		}
	}
	return all
}

// Count says how many requests for method (or of all for "") have come.
func (s *Server) Count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if method == "" {
		return len(s.ledger.requests)
	}
	return s.ledger.counts[method]
}

// AwaitRequests waits until n requests for method have come, and returns them.
func (s *Server) AwaitRequests(ctx context.Context, method string, n int) ([]Request, error) {
	err := s.Until(ctx, func() bool { return s.Count(method) >= n })
	return s.Requests(method), err
}
