package agent

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/pkg/agent/progress"
	"parley/pkg/fair"
	"parley/pkg/session"
)

// seat is the place of a background agent's turn among the agents that are at work. Chats
// share these places. An agent has its place for a step, which is a request to the model
// with the calls of its answer; before the next step it gives the place to an agent that
// waits in a chat with fewer places. So an agent that works for an hour keeps no other
// chat waiting for more than a step. A nil seat is that of a turn which needs none.
type seat struct {
	places *fair.Places
	chat   string
	// waits is called before a wait; it returns a function to call after it.
	waits func() (over func())

	mu   sync.Mutex
	free func() // gives the place back; nil while the agent has none
}

// waitsLine tells a person that an agent has no place.
const waitsLine = "waiting for its turn, other background agents are at work"

// enter waits for the first place of an agent's turn. Where the task is over, or ends
// during the wait, the turn goes on without a place to find that out.
func (h *agentTurn) enter(ctx context.Context) (leave func(), err error) {
	r := h.r
	none := func() {}
	t, err := r.a.o.Engine.Tasks().Task(ctx, r.info.Address.Chat)
	if err != nil {
		return none, nil // the turn finds that out too
	}
	t, l, err := r.a.liveNow(ctx, &t)
	if err != nil || t.State != session.TaskRunning {
		return none, nil // the turn finds that out too
	}
	h.seat = &seat{places: r.a.agents.places, chat: t.Chat, waits: func() func() { return h.standsInLine(&t, l) }}
	wait, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })() //nolint:contextcheck // it looks at the context of the task
	if err = h.seat.take(wait); errors.Is(err, errTaskOver) {
		return none, nil
	}
	return h.seat.leave, err
}

// standsInLine shows that an agent waits, once its progress may be shown at all, and
// until the returned function is called.
func (h *agentTurn) standsInLine(t *session.Task, l *life) (over func()) {
	r := h.r
	r.at(stagePlace)
	l.stands(true)
	say := func(line string) {
		l.say(line)
		r.a.showProgress(t.ID, line)
	}
	late := time.AfterFunc(time.Until(t.Started.Add(progress.StatusAfter)), func() { say(waitsLine) })
	return func() {
		r.at("")
		l.stands(false)
		if !late.Stop() {
			say("at work")
		}
	}
}

// take waits for a place until ctx ends, and returns its cause then.
func (s *seat) take(ctx context.Context) error {
	free, err := s.places.Take(ctx, s.chat, s.waits)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = free
	return nil
}

// leave gives the place back, if the agent has one. An agent that waits for an agent of
// its own leaves its place till the next step, so that none waits for its own parent.
func (s *seat) leave() {
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

// next is called before each further step.
func (s *seat) next(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	has := s.free != nil
	s.mu.Unlock()
	if has && !s.places.Wanted(s.chat) {
		return nil
	}
	s.leave()
	return s.take(ctx)
}
