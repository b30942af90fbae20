package progress

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
)

const (
	// StatusAfter is how long background work goes on before its progress is shown.
	StatusAfter = 5 * time.Second
	// The least time between two looks at how far it is.
	statusEvery = 3 * time.Second
)

// Task is a [TaskStatus]'s view of its task.
type Task struct {
	Task    *session.Task
	Surface Surface
	// Show stores the message with the progress of a task, and its id in the task's
	// record; a second call has no effect.
	Show func(ctx context.Context, taskID string, o channels.Outbound) (bool, error)
	// Receipt waits for the receipt of a message.
	Receipt func(ctx context.Context, outboundID string) (channels.Receipt, error)
	Redact  func(string) string
	Log     *zerolog.Logger
}

// TaskStatus shows the progress of a task: in one message that is edited, which the
// result takes over, or, in a chat without edits, as passing notes. A chat without
// either has no display.
type TaskStatus struct {
	o     Task
	ctx   context.Context //nolint:containedctx // the status lives as long as its work, or until End
	end   context.CancelFunc
	wake  chan struct{}
	ended chan struct{}

	mu   sync.Mutex
	line string
}

// NewTaskStatus is the status of a task with its first line, as long as ctx lives. Run
// shows it.
func NewTaskStatus(ctx context.Context, o Task, line string) *TaskStatus {
	s := &TaskStatus{o: o, wake: make(chan struct{}, 1), ended: make(chan struct{}), line: line}
	s.ctx, s.end = context.WithCancel(ctx)
	return s
}

// End waits until the display is over. Run was called, and may not have begun.
func (s *TaskStatus) End() {
	s.end()
	<-s.ended
}

// Say gives a newer line. It does not wait for a channel.
func (s *TaskStatus) Say(line string) {
	s.mu.Lock()
	s.line = line
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// newest is the newest line, as a note or as the text of a message.
func (s *TaskStatus) newest() (note, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.o.Task.Tool + ": " + s.line, fmt.Sprintf(textTaskRuns, s.o.Task.Tool, s.o.Task.Short(), literal(s.line))
}

// Run shows the lines until the work ends or End is called.
func (s *TaskStatus) Run() {
	defer close(s.ended)
	defer s.end()
	to := s.o.Task.Address
	g := guard{channel: to.Channel, redact: s.o.Redact, log: s.o.Log}
	_ = g.run(func() error {
		if editor := s.o.Surface.editor(to); editor != nil {
			s.edits(editor)
		} else if notes := s.o.Surface.Status; notes != nil {
			s.notes(notes)
		}
		return nil
	})
}

// edits opens the message and edits it from then on.
func (s *TaskStatus) edits(editor channels.Editor) {
	_, shown := s.newest()
	o := channels.Outbound{
		ID: session.TaskStatusID(s.o.Task.ID), Address: s.o.Task.Address, Text: shown, Preview: true, Time: time.Now(),
	}
	// Each message that is opened is finished later, because the task's record names it
	// before it is sent. A message that the last process opened goes on.
	if _, err := s.o.Show(context.WithoutCancel(s.ctx), s.o.Task.ID, o); err != nil {
		return
	}
	receipt, err := s.o.Receipt(s.ctx, o.ID)
	if err != nil {
		return // without a message an edit is impossible, and the result will be a new one
	}
	next := receipt.Time.Add(statusEvery)
	for s.rest(&next) {
		_, text := s.newest()
		if text != shown && editor.Edit(s.ctx, s.o.Task.Address, receipt.MessageID, text) == nil {
			shown = text
		}
	}
}

// notes shows the lines in passing.
func (s *TaskStatus) notes(shower channels.StatusShower) {
	next := time.Now()
	s.Say(s.line)
	for s.rest(&next) {
		note, _ := s.newest()
		_ = shower.Status(s.ctx, s.o.Task.Address, note) // it is gone by nature
	}
}

// rest waits for a line, and until it may be shown; false when the display is over.
func (s *TaskStatus) rest(next *time.Time) bool {
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
