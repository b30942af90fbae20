package faketelegram

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
	callbacks  []Callback
}

// book enters a request and returns what is to go wrong with it.
func (s *Server) book(req *Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.N = len(s.ledger.requests) + 1
	fault, faulty := s.match(req)
	req.Faulty = faulty
	req.Early = s.told[req.lane()].forbids(req)
	s.ledger.requests = append(s.ledger.requests, req)
	s.ledger.counts[req.Method]++
	if req.Early && len(s.ledger.violations) < maxViolations {
		s.ledger.violations = append(s.ledger.violations, fmt.Sprintf("%s to chat %d, %s before its wait is over",
			req.Method, req.Chat, s.told[req.lane()].until.Sub(req.Time).Round(time.Millisecond)))
	}
	s.changed.Wake()
	return fault
}

// answered enters how a request ended; status 0 means without an answer.
func (s *Server) answered(req *Request, status int, description string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Done, req.Status, req.Description = time.Now(), status, description
	s.changed.Wake()
}

// refused enters that a request was refused with the parameters of no.
func (s *Server) refused(req *Request, no *refusal) {
	s.answered(req, no.Code, no.Description)
	s.mu.Lock()
	defer s.mu.Unlock()
	if no.RetryAfter > 0 && req.Chat != 0 {
		now := time.Now()
		s.told[req.lane()] = wait{from: now, until: now.Add(time.Duration(no.RetryAfter) * time.Second), passing: req.passing()}
	}
}

// wait is what a bot was told of a chat, with an answer to what was passing or not.
type wait struct {
	from, until time.Time
	passing     bool
}

// onItsWay is how long after a refusal a request may come that was sent before it
// was read.
const onItsWay = 250 * time.Millisecond

// forbids says whether a request comes too early. Messages of a chat come one
// after the other; what is shown in passing may be on its way beside them.
func (w wait) forbids(req *Request) bool {
	if req.Chat == 0 || !req.Time.Before(w.until) {
		return false
	}
	return !w.passing && !req.passing() || req.Time.Sub(w.from) > onItsWay
}

// lane is one chat of one bot.
type lane struct{ bot, chat int64 }

func (r *Request) lane() lane { return lane{r.Bot, r.Chat} }

// passing says whether nothing lasting would come of the request.
func (r *Request) passing() bool {
	return r.Method == "sendMessageDraft" || r.Method == "sendChatAction"
}

func (s *Server) violation(words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ledger.violations) < maxViolations {
		s.ledger.violations = append(s.ledger.violations, words)
	}
	s.changed.Wake()
}

// Violations are what bots did that the Bot API does not know, the first hundred.
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
