package subagent

import (
	"context"
	"errors"
	"time"

	"parley/pkg/agent/progress"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
)

// Enter waits for the first place of an agent's turn. Where the task is over, or ends
// during the wait, the turn goes on without a place to find that out.
func (h *agentTurn) Enter(ctx context.Context) (leave func(), err error) {
	none := func() {}
	t, handle, err := h.agents.Open(ctx, h.T.Info.Address.Chat)
	if err != nil || t.State != session.TaskRunning {
		return none, nil // the turn finds that out too
	}
	h.seat = &Seat{places: h.agents.places, chat: t.Chat, waits: func() func() { return h.standsInLine(&t, handle) }}
	wait, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	//nolint:contextcheck // it looks at the context of the task
	defer context.AfterFunc(handle.Context(), func() { cancel(context.Cause(handle.Context())) })()
	if err = h.seat.Take(wait); errors.Is(err, turn.ErrTaskOver) {
		return none, nil
	}
	return h.seat.Leave, err
}

// standsInLine shows that an agent waits, once its progress may be shown at all, and
// until the returned function is called.
func (h *agentTurn) standsInLine(t *session.Task, handle *Handle) (over func()) {
	h.T.At(turn.StagePlace)
	handle.StandInLine(true)
	say := func(line string) {
		handle.Report(line)
		h.agents.o.Work.ShowProgress(t.ID, line)
	}
	late := time.AfterFunc(time.Until(t.Started.Add(progress.StatusAfter)), func() { say(task.TextWaits) })
	return func() {
		h.T.At("")
		handle.StandInLine(false)
		if !late.Stop() {
			say(textTaskWorks)
		}
	}
}
