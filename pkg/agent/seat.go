package agent

import (
	"context"
	"errors"
	"time"

	"parley/pkg/agent/progress"
	"parley/pkg/agent/subagent"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
)

// Enter waits for the first place of an agent's turn. Where the task is over, or ends
// during the wait, the turn goes on without a place to find that out.
func (h *agentTurn) Enter(ctx context.Context) (leave func(), err error) {
	none := func() {}
	t, err := h.a.o.Engine.Tasks().Task(ctx, h.T.Info.Address.Chat)
	if err != nil {
		return none, nil // the turn finds that out too
	}
	t, l, err := h.a.liveNow(ctx, &t)
	if err != nil || t.State != session.TaskRunning {
		return none, nil // the turn finds that out too
	}
	h.seat = subagent.NewSeat(h.a.agents.places, t.Chat, func() func() { return h.standsInLine(&t, l) })
	wait, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })() //nolint:contextcheck // it looks at the context of the task
	if err = h.seat.Take(wait); errors.Is(err, turn.ErrTaskOver) {
		return none, nil
	}
	return h.seat.Leave, err
}

// standsInLine shows that an agent waits, once its progress may be shown at all, and
// until the returned function is called.
func (h *agentTurn) standsInLine(t *session.Task, l *life) (over func()) {
	h.T.At(turn.StagePlace)
	l.stands(true)
	say := func(line string) {
		l.say(line)
		h.a.work.ShowProgress(t.ID, line)
	}
	late := time.AfterFunc(time.Until(t.Started.Add(progress.StatusAfter)), func() { say(textTaskWaits) })
	return func() {
		h.T.At("")
		l.stands(false)
		if !late.Stop() {
			say(textTaskWorks)
		}
	}
}
