package subagent

import (
	"context"
	"sync"

	"parley/pkg/agent/task"
	"parley/pkg/session"
)

// Handle is an open task of an agent in this process.
type Handle struct {
	agents *Agents
	task   session.Task
	ctx    context.Context //nolint:containedctx // it is the task's life
	after  context.Context //nolint:containedctx // for the end at the deadline

	mu      sync.Mutex
	report  func(line string)
	waiting bool
}

// Context ends with the task, after the task's end was stored, with the cause
// [turn.ErrTaskOver], or with the process.
func (h *Handle) Context() context.Context { return h.ctx }

// Report passes a line about the agent's progress on to the call that waits for it.
func (h *Handle) Report(line string) {
	h.mu.Lock()
	report := h.report
	h.mu.Unlock()
	if report != nil {
		report(line)
	}
}

// ReportTo names the function that gets the lines of Report; nil drops them.
func (h *Handle) ReportTo(report func(line string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.report = report
}

// StandInLine notes whether the agent waits for a place.
func (h *Handle) StandInLine(waiting bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = waiting
}

func (h *Handle) inLine() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.waiting
}

// holder lets the agents hear of the task of a handle; it is the handle's side towards
// the supervisor.
type holder Handle

var _ task.Holder = (*holder)(nil)

// Begins implements [task.Holder].
func (h *holder) Begins(ctx context.Context) {
	a := h.agents
	a.mu.Lock()
	defer a.mu.Unlock()
	h.ctx = ctx
	a.handles[h.task.ID] = (*Handle)(h)
	a.perChat[h.task.Chat]++
}

// Ends implements [task.Holder].
func (h *holder) Ends() {
	a := h.agents
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.handles, h.task.ID)
	if a.perChat[h.task.Chat]--; a.perChat[h.task.Chat] == 0 {
		delete(a.perChat, h.task.Chat)
	}
}

// Expires ends the task at its deadline.
func (h *holder) Expires() { h.agents.expire(h.after, &h.task) }
