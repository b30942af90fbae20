package subagent

import (
	"context"
	"errors"
	"time"

	"parley/pkg/agent/approval"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
)

// TakeUp goes on with the agents of the last process, and with their open questions.
func (a *Agents) TakeUp(ctx context.Context) error {
	open, err := a.o.Store.OpenTasks(ctx)
	if err != nil {
		return err
	}
	waits := map[string]bool{}
	for i := range open {
		t := &open[i]
		if !t.Agent {
			continue
		}
		waits[t.ID] = true
		a.hold(ctx, t)
		// The last process may have died before it stored this item; appending it again
		// has no effect.
		if err := a.o.Store.Append(ctx, []session.Item{beginningOf(t)}, nil); err != nil {
			a.o.Log.Error().Err(err).Str("task", t.ID).Msg("a background agent cannot begin")
			a.o.Work.Go(func() { a.beginLater(context.WithoutCancel(ctx), t) })
		}
	}
	questions, err := a.o.Store.ApprovalList(ctx, "")
	if err != nil {
		return err
	}
	for i := range questions {
		q := &questions[i]
		switch {
		case q.Task == "" || q.State != session.ApprovalOpen:
		case waits[q.Task]:
			a.watchQuestion(ctx, q)
		default: // its task was ended while no gateway ran
			lapsed := lapsing(q)
			lapsed.Time = time.Now()
			if err := a.o.Store.Append(ctx, []session.Item{lapsed}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginLater begins an agent once the store can be written again.
func (a *Agents) beginLater(ctx context.Context, t *session.Task) {
	for a.o.Work.Pause() {
		if err := a.o.Store.Append(ctx, []session.Item{beginningOf(t)}, nil); !errors.Is(err, session.ErrStore) {
			return
		}
	}
}

// beginningOf is the item that an agent's first turn answers.
func beginningOf(t *session.Task) session.Item {
	return session.Item{
		ID: session.SpawnItemID(t.ID), Kind: session.ItemSpawn, Address: session.AgentAddress(t.ID), TaskID: t.ID,
		Text: task.BriefOf(t).Task, Solo: true, Time: t.Started,
	}
}

// watchQuestion ends an agent's question with an item of the agent's conversation: when
// the time for an answer is over, or the task before that.
func (a *Agents) watchQuestion(ctx context.Context, q *session.Approval) {
	item := lapsing(q)
	wait, after := task.Left(q.Asked, q.Expires), context.WithoutCancel(ctx)
	if approval.Lapsed(q, time.Now()) {
		wait = 0
	}
	h := a.handle(q.Task)
	if h == nil {
		return // the task is over
	}
	a.o.Work.Go(func() {
		timer := time.NewTimer(max(wait, 0))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-h.ctx.Done():
			if !errors.Is(context.Cause(h.ctx), turn.ErrTaskOver) { //nolint:contextcheck // it looks at the context of the task
				return
			}
		}
		for {
			item.Time = time.Now()
			err := a.o.Store.Append(after, []session.Item{item}, nil)
			if !errors.Is(err, session.ErrStore) || !a.o.Work.Pause() {
				return
			}
		}
	})
}

// lapsing is the item that ends an agent's question.
func lapsing(q *session.Approval) session.Item {
	return session.Item{
		ID: "lapsed/" + q.ID, Kind: session.ItemDecision, Address: session.AgentAddress(q.Task),
		Decision: &session.Decision{Approval: q.ID}, Solo: true,
	}
}
