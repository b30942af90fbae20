package task

import (
	"context"
	"errors"
	"slices"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// Calls is what the tools may do with the tasks of the chat that their call belongs to.
type Calls struct {
	Running *turn.Running
	All     *Tasks
}

// Tasks are the tasks of the chat that a call is made in: those that run, and the
// newest of those that have ended.
func (c Calls) Tasks(ctx context.Context) (running, recent []session.Task, err error) {
	t, _, err := c.Running.Of(ctx)
	if err != nil {
		return nil, nil, err
	}
	running, recent, err = c.All.Of(ctx, t.Info.Chat)
	if slices.ContainsFunc(append(slices.Clip(running), recent...), func(t session.Task) bool { return t.Tainted }) {
		t.Provenance.Brings(tools.InvocationFrom(ctx).CallID) // how their results begin
	}
	return running, recent, err
}

// CancelHere ends a task of the chat that a call is made in, with the rights of the turn's
// principal, and returns the outcome for the model. The chat reads of it in the message
// that showed the progress; without one, in the answer of the turn.
func (c Calls) CancelHere(ctx context.Context, id string) (string, error) {
	by, _, err := c.Running.Of(ctx)
	if err != nil {
		return "", err
	}
	t, err := c.All.Find(ctx, by.Info.Chat, id)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return "", tools.Fail(tools.ErrNotFound, "there is no such task in this chat", nil)
	case errors.Is(err, named.ErrAmbiguous):
		return "", tools.Fail(tools.ErrInvalidArguments, err.Error(), nil)
	case err != nil:
		return "", err
	case !by.Principal.MayCancel(&t):
		return "", tools.Fail(tools.ErrPermissionDenied, "only its creator, a person with its level, or an owner can cancel it", nil)
	}
	first, err := c.All.Cancel(ctx, &t, named.Person(by.Principal.Sender), func(c *session.Completion, now *session.Task) {
		c.Item = nil
		if now.Status == "" {
			c.Outbox = nil
		}
	})
	if err != nil {
		return "", err
	}
	if !first {
		return "It has already ended.", nil
	}
	return "cancelled", nil
}
