package fakeslack

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/gorilla/websocket"
)

// Types of envelopes.
const (
	typeEvents      = "events_api"
	typeInteractive = "interactive"
	typeCommands    = "slash_commands"
)

// maxSockets is how many connections an app may have
// (docs.slack.dev/apis/events-api/using-socket-mode).
const maxSockets = 10

// Reasons of copies that come again, the names of Slack's X-Slack-Retry-Reason.
const (
	reasonTimeout = "timeout"
	reasonFailed  = "connection_failed"
)

// hub is the way of envelopes to the app. The server's mutex guards it.
type hub struct {
	waiting  []*envelope // not acknowledged, oldest first
	settled  map[string]outcome
	sockets  []*socket // those that get events
	turn     int
	open     int // sockets with connections that are not over, and handshakes
	opened   int
	closed   bool
	conns    map[*websocket.Conn]bool
	tickets  map[string]bool
	refusals map[string]int // by reason: so many sockets more get it instead of a hello
	push     *pusher        // instead of sockets
	muted    bool           // events are made and not sent

	// responds are the response_urls by their ids, responses what came there.
	responds  map[string]*respondURL
	responses []Response
}

// outcome is how an envelope ended.
type outcome int

const (
	outcomeAcked outcome = iota + 1
	outcomeFailed
)

// envelope is a delivery that is not acknowledged yet.
type envelope struct {
	id, kind string
	payload  json.RawMessage
	event    Event
	attempt  int       // of the next copy
	reason   string    // of the next copy
	on, last *socket   // which has the copy under way, and which had the last one
	due      time.Time // when the copy under way is given up; zero until it is written
	handed   bool
	pushing  bool
	frame    string
}

// once says whether the envelope comes only once: a press and a slash command are
// answered at once or have failed in the eyes of the person.
func (e *envelope) once() bool { return e.kind == typeInteractive || e.kind == typeCommands }

// send gives an envelope to a socket, or loses its first copy without one. The lock is
// held.
func (s *Server) send(env *envelope) {
	s.hub.waiting = append(s.hub.waiting, env)
	switch {
	case s.hub.push != nil:
		s.push(env)
	case !s.assign(env):
		s.lost(env, reasonFailed)
	}
	s.changed.Wake()
}

// assign queues a copy of env on the next socket in turn. The lock is held.
func (s *Server) assign(env *envelope) bool {
	fit := s.hub.sockets
	if fresh := slices.DeleteFunc(slices.Clone(fit), func(k *socket) bool { return k.leaving }); len(fresh) > 0 {
		fit = fresh
	}
	if len(fit) == 0 {
		return false
	}
	if len(fit) > 1 && fit[s.hub.turn%len(fit)] == env.last {
		s.hub.turn++ // Slack takes any: a copy that failed at one gets to the others
	}
	env.on, env.due = fit[s.hub.turn%len(fit)], time.Time{}
	env.last = env.on
	s.hub.turn++
	env.on.queue(frame{envelope: env, data: env.copy()})
	return true
}

// copy is the envelope as the next copy is written.
func (e *envelope) copy() []byte {
	if e.frame != "" {
		return []byte(e.frame)
	}
	m := map[string]any{
		"envelope_id": e.id, "type": e.kind, "payload": e.payload, "accepts_response_payload": e.once(),
	}
	if !e.once() {
		m["retry_attempt"], m["retry_reason"] = e.attempt, e.reason
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return b
}

// lost says that the copy of env that was under way will not be acknowledged. The lock is held.
func (s *Server) lost(env *envelope, reason string) {
	env.on, env.due = nil, time.Time{}
	env.attempt++
	env.reason = reason
	if env.once() || s.opt.Retries > 0 && env.attempt > s.opt.Retries {
		s.settle(env, outcomeFailed)
	}
}

// settle ends an envelope. The lock is held.
func (s *Server) settle(env *envelope, o outcome) {
	s.hub.settled[env.id] = o
	s.hub.waiting = slices.DeleteFunc(s.hub.waiting, func(other *envelope) bool { return other == env })
	s.changed.Wake()
}

// acknowledge settles the envelope id; an unknown one has been settled before or was
// made up.
func (s *Server) acknowledge(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.hub.waiting, func(e *envelope) bool { return e.id == id })
	if i >= 0 {
		s.settle(s.hub.waiting[i], outcomeAcked)
	}
}

// resend gives every envelope without a socket to one. The lock is held.
func (s *Server) resend() {
	for _, env := range s.hub.waiting {
		if env.on == nil && !env.pushing && s.hub.push == nil && !s.assign(env) {
			return
		}
	}
}

// redeliver sends envelopes again that are not acknowledged in time, until ctx ends.
func (s *Server) redeliver(ctx context.Context) {
	for {
		changed := s.changed.Next()
		timer := time.NewTimer(s.overdue(time.Now()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// overdue gives up the copies that are out of time, and says how long the next one has.
func (s *Server) overdue(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := time.Hour
	for _, env := range slices.Clone(s.hub.waiting) {
		switch {
		case env.on == nil || env.due.IsZero():
		case now.Before(env.due):
			next = min(next, env.due.Sub(now))
		default:
			s.lost(env, reasonTimeout)
		}
	}
	s.resend()
	return next
}

// Unacked are the events that the app has not acknowledged and that come again.
func (s *Server) Unacked() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Event
	for _, env := range s.hub.waiting {
		all = append(all, env.event)
	}
	return all
}

// Acked says whether every envelope of e was acknowledged.
func (s *Server) Acked(e Event) bool {
	return s.all(e, outcomeAcked)
}

// Failed says whether e was lost: a person after a press or a typed command has seen a
// failure, or an event has come again as often as it may.
func (s *Server) Failed(e Event) bool { return s.all(e, outcomeFailed) }

func (s *Server) all(e Event, o outcome) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(e.Envelopes) > 0 && !slices.ContainsFunc(e.Envelopes, func(id string) bool { return s.hub.settled[id] != o })
}

// AwaitAcked waits until the app has acknowledged everything.
func (s *Server) AwaitAcked(ctx context.Context) error {
	return s.Until(ctx, func() bool { return len(s.Unacked()) == 0 })
}

// AwaitSocket waits until a socket is open that gets events.
func (s *Server) AwaitSocket(ctx context.Context) error {
	return s.Until(ctx, func() bool { return s.Sockets() > 0 })
}

// Sockets says how many sockets are open and get events.
func (s *Server) Sockets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.hub.sockets)
}

// Opened says how many sockets have ever been greeted.
func (s *Server) Opened() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hub.opened
}
