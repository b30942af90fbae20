package agent

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

const (
	// How long background work goes on before its progress is shown.
	statusAfter = 5 * time.Second
	// The least time between two looks at how far it is.
	statusEvery = 3 * time.Second
)

// status shows how far a task is: in one message that is edited, which the result
// takes over, or, where the chat edits none, as passing notes. What can do neither
// shows nothing. It begins with the first line that comes late enough.
type status struct {
	a     *Agent
	task  *session.Task
	ctx   context.Context //nolint:containedctx // the status lives as long as its work, or until it is hushed
	end   context.CancelFunc
	wake  chan struct{}
	ended chan struct{}

	mu   sync.Mutex
	line string
}

// tell takes a line of a task's progress. It never waits for a channel.
func (a *Agent) tell(id, line string) {
	line = strings.Join(strings.Fields(a.o.Redact(line)), " ")
	ts := &a.tasks
	ts.mu.Lock()
	defer ts.mu.Unlock()
	w := ts.open[id]
	if w == nil || !w.away || w.ctx.Err() != nil || w.task.Waited || line == "" || time.Since(w.task.Started) < statusAfter {
		return
	}
	if w.status == nil {
		s := &status{a: a, task: &w.task, wake: make(chan struct{}, 1), ended: make(chan struct{}), line: line}
		s.ctx, s.end = context.WithCancel(w.ctx)
		w.status = s
		ts.wg.Go(s.show) // before stop: the work's context has not ended
		return
	}
	w.status.say(line)
}

// hush ends what shows the progress of a task, and waits until nothing more is shown.
func (a *Agent) hush(id string) {
	ts := &a.tasks
	ts.mu.Lock()
	w := ts.open[id]
	if w == nil {
		ts.mu.Unlock()
		return
	}
	w.away = false // nothing is shown of it from here on
	s := w.status
	ts.mu.Unlock()
	if s != nil {
		s.end()
		<-s.ended
	}
}

func (s *status) say(line string) {
	s.mu.Lock()
	s.line = line
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// newest is the newest line, as a note or as the text of a message.
func (s *status) newest() (note, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.task.Tool + ": " + s.line, fmt.Sprintf("%#q (%s) is at work: *%s*", s.task.Tool, s.task.Short(), literal(s.line))
}

func (s *status) show() {
	defer close(s.ended)
	defer s.end()
	defer func() {
		if v := recover(); v != nil {
			s.a.o.Log.Error().Str("channel", s.task.Address.Channel).Str("panic", s.a.o.Redact(fmt.Sprint(v))).
				Bytes("stack", debug.Stack()).Msg("a channel panicked while it showed something")
		}
	}()
	to := s.task.Address
	if editor := s.a.o.Editor(to); editor != nil && editor.Edits(to) {
		s.edits(editor)
		return
	}
	if notes := s.a.o.Status(to); notes != nil {
		s.notes(notes)
	}
}

// edits opens the message and edits it from then on.
func (s *status) edits(editor channels.Editor) {
	_, shown := s.newest()
	o := channels.Outbound{
		ID: session.TaskStatusID(s.task.ID), Address: s.task.Address, Text: shown, Preview: true, Time: time.Now(),
	}
	// What is begun has an end: the record knows of the message, or there is none.
	// One that the last process opened goes on.
	if _, err := s.a.o.Engine.Tasks().ShowTask(context.WithoutCancel(s.ctx), s.task.ID, o); err != nil {
		return
	}
	receipt, err := s.a.o.Engine.Outbox().Receipt(s.ctx, o.ID)
	if err != nil {
		return // without a message there is nothing to edit, and the result will be a new one
	}
	next := receipt.Time.Add(statusEvery)
	for s.rest(&next) {
		_, text := s.newest()
		if text != shown && editor.Edit(s.ctx, s.task.Address, receipt.MessageID, text) == nil {
			shown = text
		}
	}
}

// notes shows the lines in passing.
func (s *status) notes(shower channels.StatusShower) {
	next := time.Now()
	s.say(s.line)
	for s.rest(&next) {
		note, _ := s.newest()
		_ = shower.Status(s.ctx, s.task.Address, note) // it is gone by nature
	}
}

// rest waits for a line, and until it may be shown; false when nothing more is.
func (s *status) rest(next *time.Time) bool {
	select {
	case <-s.wake:
	case <-s.ctx.Done():
		return false
	}
	t := time.NewTimer(time.Until(*next))
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ctx.Done():
		return false
	}
	*next = time.Now().Add(statusEvery)
	return true
}
