package task

import (
	"context"
	"errors"
	"fmt"

	"parley/pkg/agent/turn"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// maxLooked bounds the entries in which the question of a task is looked for.
const maxLooked = 10_000

// maxRaw is how much of a result is shown that a model has not put into words, in characters.
const maxRaw = 4000

// TakenOut says whether the exchange that began a task was taken out of its conversation.
func (ts *Tasks) TakenOut(ctx context.Context, t *session.Task) (undone bool, err error) {
	left := maxLooked
	err = ts.o.Back(ctx, t.Session, 0, func(e session.Entry) bool {
		left--
		own := e.Turn == t.Turn && !e.Summary
		undone = own && e.Undone
		return !own && left > 0
	})
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrCorrupt) { // no conversation has it
		err = nil
	}
	return undone, err
}

// marked is a result that says to the person where it belongs, if its question was taken out.
func (ts *Tasks) marked(ctx context.Context, t *session.Task, result *tools.ToolResult) (*tools.ToolResult, error) {
	if t.Waited || result.ForUser == "" || result.Silent {
		return result, nil
	}
	out, err := ts.TakenOut(ctx, t)
	if err != nil || !out {
		return result, err
	}
	said := *result
	said.ForUser = asideOf(t, said.ForUser)
	return &said, nil
}

// asideOf is a text about a task whose question was taken out.
func asideOf(t *session.Task, said string) string { return fmt.Sprintf(textTakenOut, Name(t), said) }

// lost is the reply of a turn that took three processes with it: the result as it is, because no other turn tells it.
func (h *reportTurn) lost(ctx context.Context, e *turn.Result) (turn.Reply, error) {
	t, err := h.tasks.o.Store.Task(ctx, h.T.Info.Items[0].TaskID)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return h.Message.Reply(ctx, e)
	case err != nil:
		return turn.Reply{}, err
	}
	said := fmt.Sprintf(textReportLost, Name(&t))
	switch {
	case h.T.Info.Items[0].Shown:
	case t.Agent:
		said += "\n\n" + t.Result
	default:
		said += "\n\n" + text.Clip(t.Result, maxRaw)
	}
	return h.SetAside(e, said), nil
}

// aside is the report of a task whose question was taken out: as it is, because no model reads it;
// "" where the person has been shown it.
func (h *reportTurn) aside(t *session.Task) string {
	switch {
	case t.Agent:
		return asideOf(t, t.Result)
	case h.T.Info.Items[0].Shown:
		return ""
	default:
		return asideOf(t, text.Clip(t.Result, maxRaw))
	}
}
