package subagent

import (
	"context"
	"sync"

	"parley/pkg/fair"
)

// Seat is the place of a background agent's turn among the agents that are at work.
// Chats share these places. An agent has its place for a step, which is a request to
// the model with the calls of its answer; before the next step it gives the place to an
// agent that waits in a chat with fewer places. A nil Seat is that of a turn without a
// need for one.
type Seat struct {
	places *fair.Places
	chat   string
	waits  func() (over func()) // called before a wait, and over after it

	mu   sync.Mutex
	free func() // gives the place back; nil while the agent is without one
}

// Take waits for a place until ctx ends, and returns its cause then.
func (s *Seat) Take(ctx context.Context) error {
	free, err := s.places.Take(ctx, s.chat, s.waits)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = free
	return nil
}

// Leave gives the place back, if the agent has one. An agent that waits for an agent of
// its own leaves its place till the next step, so that an agent does not wait for its
// own parent.
func (s *Seat) Leave() {
	if s == nil {
		return
	}
	s.mu.Lock()
	free := s.free
	s.free = nil
	s.mu.Unlock()
	if free != nil {
		free()
	}
}

// Next is called before each further step.
func (s *Seat) Next(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	has := s.free != nil
	s.mu.Unlock()
	if has && !s.places.Wanted(s.chat) {
		return nil
	}
	s.Leave()
	return s.Take(ctx)
}
