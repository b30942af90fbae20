package task

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/progress"
	"parley/pkg/agent/turn"
	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// ErrStopping is the cause that ends the context of a task's work when the process
// stops. The work that it ends is taken up at the next start. [turn.ErrTaskOver] is the
// cause when the task has ended.
var ErrStopping = errors.New("the gateway is stopping")

// retryPause is the time between two attempts while the store cannot write.
const retryPause = 2 * time.Second

// SupervisorOptions are the parts that a [Supervisor] works with.
type SupervisorOptions struct {
	// Surface finds the display of progress in a chat.
	Surface func(a channels.Address) progress.Surface
	// Show and Receipt are those of [progress.Task].
	Show    func(ctx context.Context, taskID string, o channels.Outbound) (bool, error)
	Receipt func(ctx context.Context, outboundID string) (channels.Receipt, error)
	Redact  func(string) string
	Log     zerolog.Logger
}

// Supervisor owns the contexts of the background work that this process runs, and shows
// how far it is. All methods may be called by many at once.
type Supervisor struct {
	o SupervisorOptions

	mu   sync.Mutex
	base context.Context //nolint:containedctx // the lifetime of all background work; set by Start, ended by Stop
	end  context.CancelCauseFunc
	open map[string]*work
	wg   sync.WaitGroup
}

// work is one task that this process runs.
type work struct {
	task session.Task    // without its arguments
	ctx  context.Context //nolint:containedctx // the work's life
	end  context.CancelCauseFunc
	// away says that the call has returned: the work's lines may be shown.
	away   bool
	status *progress.TaskStatus // nil until something was told
}

// NewSupervisor returns a supervisor that is idle until Start.
func NewSupervisor(o SupervisorOptions) *Supervisor { return &Supervisor{o: o} }

// Start lets work begin. Its contexts end with ctx at the latest.
func (s *Supervisor) Start(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base, s.end = context.WithCancelCause(ctx)
	s.open = map[string]*work{}
}

// Stop ends the contexts of all background work and waits for the goroutines of
// [Supervisor.Go]. The records stay open, and the next start tells their chats, or goes
// on with those of agents.
func (s *Supervisor) Stop() {
	s.mu.Lock()
	s.end(ErrStopping) // under the lock: no progress begins to be shown after this
	s.mu.Unlock()
	s.wg.Wait()
}

// Go runs f in a goroutine that Stop waits for, unless all work is to end.
func (s *Supervisor) Go(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base != nil && s.base.Err() == nil {
		s.wg.Go(f)
	}
}

// Pause waits before another attempt at a store that cannot write; false means that all
// background work is to end.
func (s *Supervisor) Pause() bool {
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	return base != nil && backoff.Sleep(base, retryPause)
}

// arm makes the context of a task: it keeps the invocation, and ends with the task, with
// the process, or at the deadline of the task's record; then expired is called. The
// deadline is absolute.
func (s *Supervisor) arm(ctx context.Context, inv tools.Invocation, t session.Task, expired func(context.Context)) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base == nil || s.base.Err() != nil {
		dead, end := context.WithCancelCause(tools.WithInvocation(ctx, inv))
		end(ErrStopping)
		return dead
	}
	t.Arguments = nil
	limited, stop := context.WithDeadline(tools.WithInvocation(s.base, inv), t.Deadline)
	c, end := context.WithCancelCause(limited)
	s.open[t.ID] = &work{task: t, ctx: c, end: func(cause error) { end(cause); stop() }}
	context.AfterFunc(c, func() {
		if errors.Is(c.Err(), context.DeadlineExceeded) {
			s.Go(func() { expired(context.WithoutCancel(c)) })
		}
	})
	return c
}

// Holder is told of a task that a [Supervisor] holds. Its methods are called with the
// supervisor's lock held: they must not call the supervisor.
type Holder interface {
	// Begins is called once, before the context is given out.
	Begins(ctx context.Context)
	// Ends is called once, when the task is closed.
	Ends()
	// Expires is called in a goroutine, without the lock, when the time of the task is
	// over.
	Expires()
}

// Hold gives the context of an open task of an agent, which ends with the task or with
// the process. From the first call on the holder hears of it; for a task that is held
// already the call has no effect. When all work is to end, the context has ended and no
// method of the holder is called.
func (s *Supervisor) Hold(ctx context.Context, t *session.Task, by Holder) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.open[t.ID]; w != nil {
		return w.ctx
	}
	base := s.base // a task outlives the call that starts it
	if base == nil {
		base = ctx
	}
	own, cancel := context.WithCancelCause(base)
	if base.Err() != nil || s.open == nil {
		cancel(nil)
		return own
	}
	timer := time.AfterFunc(Left(t.Started, t.Deadline), func() { s.Go(by.Expires) })
	bare := *t
	bare.Arguments = nil
	s.open[t.ID] = &work{task: bare, ctx: own, away: !t.Waited, end: func(cause error) {
		timer.Stop()
		cancel(cause)
		by.Ends()
	}}
	by.Begins(own)
	return own
}

// Left is how much is left of a time that began and ends at the given moments: at most
// all of it, where a clock that was ahead has been put right since.
func Left(began, ends time.Time) time.Duration { return min(time.Until(ends), ends.Sub(began)) }

// Close ends the context of a task that is over, and so all that works for it.
func (s *Supervisor) Close(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.open[id]; w != nil {
		w.end(turn.ErrTaskOver)
		delete(s.open, id)
	}
}

// CloseAll ends the contexts of tasks so, where the records of these go.
func (s *Supervisor) CloseAll(of func(t *session.Task) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, w := range s.open {
		if of(&w.task) {
			w.end(turn.ErrTaskOver)
			delete(s.open, id)
		}
	}
}

// Returned notes that the call of a task has returned and the work goes on.
func (s *Supervisor) Returned(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.open[id]; w != nil {
		w.away = true
	}
}

// CutOff reports whether the result of a task that has ended so does not count: it came
// at its deadline, and that end is told, or it is a failure because the process stops.
func (s *Supervisor) CutOff(id string, failed bool) bool {
	s.mu.Lock()
	w := s.open[id]
	s.mu.Unlock()
	if w == nil {
		return false
	}
	// The work's own context may have ended a moment before this one.
	deadline, _ := w.ctx.Deadline()
	return !time.Now().Before(deadline) || failed && errors.Is(context.Cause(w.ctx), ErrStopping)
}

// Taint notes that the result of a task brings in content from outside.
func (s *Supervisor) Taint(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.open[id]; w != nil {
		w.task.Tainted = true
	}
}

// tainted reports whether the result of a task does.
func (s *Supervisor) tainted(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.open[id]
	return w != nil && w.task.Tainted
}

// ShowProgress takes a line of a task's progress. It does not wait for a channel.
func (s *Supervisor) ShowProgress(id, line string) {
	line = strings.Join(strings.Fields(s.o.Redact(line)), " ")
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.open[id]
	if w == nil || !w.away || w.ctx.Err() != nil || w.task.Waited || line == "" || time.Since(w.task.Started) < progress.StatusAfter {
		return
	}
	if w.status == nil {
		w.status = progress.NewTaskStatus(w.ctx, progress.Task{
			Task: &w.task, Surface: s.o.Surface(w.task.Address), Redact: s.o.Redact, Log: &s.o.Log,
			Show: s.o.Show, Receipt: s.o.Receipt,
		}, line)
		s.wg.Go(w.status.Run) // before Stop: the work's context has not ended
		return
	}
	w.status.Say(line)
}

// StopProgress ends the display of a task's progress, and waits until it is over.
func (s *Supervisor) StopProgress(id string) {
	s.mu.Lock()
	w := s.open[id]
	if w == nil {
		s.mu.Unlock()
		return
	}
	w.away = false // no line is shown from here on
	status := w.status
	s.mu.Unlock()
	if status != nil {
		status.End()
	}
}
