package faketelegram

import (
	"context"
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
	req.Early = req.paced() && req.Time.Before(s.told[req.lane()])
	s.ledger.requests = append(s.ledger.requests, req)
	s.ledger.counts[req.Method]++
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
	if no.RetryAfter > 0 && req.paced() {
		s.told[req.lane()] = time.Now().Add(time.Duration(no.RetryAfter) * time.Second)
	}
}

// lane is one chat of one bot.
type lane struct{ bot, chat int64 }

func (r *Request) lane() lane { return lane{r.Bot, r.Chat} }

// paced says whether the sending rates are about the request.
func (r *Request) paced() bool {
	switch r.Method {
	case "sendMessage", "sendPhoto", "sendDocument", "sendMediaGroup", "editMessageText", "editMessageReplyMarkup":
		return true
	}
	return false
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
