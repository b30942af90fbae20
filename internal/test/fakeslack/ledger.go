package fakeslack

import (
	"fmt"
	"time"
)

// book enters a request and returns its fault.
func (s *Server) book(req *Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.N = s.Next()
	fault, faulty := s.rules.Fault(req)
	req.Faulty = faulty
	told := s.told[req.lane()]
	req.Early = told.forbids(req)
	s.Enter(req)
	if req.Early {
		s.Note(fmt.Sprintf("%s in %s, %s before its wait is over", req.Method, req.Chat, told.until.Sub(req.Time).Round(time.Millisecond)))
	}
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

// lane is one method in one channel: the scope of a Retry-After.
type lane struct{ method, chat string }

func (req *Request) lane() lane { return lane{req.Method, req.Chat} }

// wait is the wait that a lane was told.
type wait struct{ from, until time.Time }

// onItsWay is how long after a refusal a request may come that was sent before it was read.
const onItsWay = 250 * time.Millisecond

func (w wait) forbids(req *Request) bool {
	return req.Time.Before(w.until) && req.Time.Sub(w.from) > onItsWay
}

func (s *Server) violation(words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Note(words)
}
