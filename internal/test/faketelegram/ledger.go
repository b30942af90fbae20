package faketelegram

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
	req.Early = s.told[req.lane()].forbids(req)
	s.Enter(req)
	if req.Early {
		s.Note(fmt.Sprintf("%s to chat %d, %s before its wait is over",
			req.Method, req.Chat, s.told[req.lane()].until.Sub(req.Time).Round(time.Millisecond)))
	}
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

// wait is a wait that a bot was told for a chat, with an answer to a passing sign or
// not.
type wait struct {
	from, until time.Time
	passing     bool
}

// onItsWay is how long after a refusal a request may come that was sent before it
// was read.
const onItsWay = 250 * time.Millisecond

// forbids says whether a request comes too early. Messages of a chat come one after the
// other; passing signs may be on their way beside them.
func (w wait) forbids(req *Request) bool {
	if req.Chat == 0 || !req.Time.Before(w.until) {
		return false
	}
	return !w.passing && !req.passing() || req.Time.Sub(w.from) > onItsWay
}

// lane is one chat of one bot.
type lane struct{ bot, chat int64 }

func (r *Request) lane() lane { return lane{r.Bot, r.Chat} }

// passing says whether the request has no lasting effect.
func (r *Request) passing() bool {
	return r.Method == "sendMessageDraft" || r.Method == "sendChatAction"
}

func (s *Server) violation(words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Note(words)
}
