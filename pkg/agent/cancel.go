package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/pkg/agent/named"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// Tasks are the tasks of the chat that a call is made in: those that run, and the
// newest of those that have ended.
func (c Calls) Tasks(ctx context.Context) (running, recent []session.Task, err error) {
	r, _, err := c.a.turns.Of(ctx)
	if err != nil {
		return nil, nil, err
	}
	running, recent, err = c.a.tasks.Of(ctx, r.Info.Chat)
	if slices.ContainsFunc(append(slices.Clip(running), recent...), func(t session.Task) bool { return t.Tainted }) {
		c.ShowsOutside(ctx) // how their results begin
	}
	return running, recent, err
}

// CancelHere ends a task of the chat that a call is made in, with the rights of the
// turn's principal, and tells the result. The message that shows its progress says so;
// else the answer of the turn does.
func (c Calls) CancelHere(ctx context.Context, id string) (string, error) {
	r, _, err := c.a.turns.Of(ctx)
	if err != nil {
		return "", err
	}
	t, err := c.a.tasks.Find(ctx, r.Info.Chat, id)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return "", tools.Fail(tools.ErrNotFound, "there is no such task in this chat", nil)
	case errors.Is(err, named.ErrAmbiguous):
		return "", tools.Fail(tools.ErrInvalidArguments, err.Error(), nil)
	case err != nil:
		return "", err
	case !r.Principal.MayCancel(&t):
		return "", tools.Fail(tools.ErrPermissionDenied, "only its creator, a person with its level, or an owner can cancel it", nil)
	}
	first, err := c.a.tasks.Cancel(ctx, &t, named.Person(r.Principal.Sender), func(c *session.Completion, now *session.Task) {
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

// Today is the day on which a turn of a chat would count now, as YYYY-MM-DD, given
// the chat's key and where it is.
func (a *Agent) Today(ctx context.Context, chat string, address channels.Address) string {
	return a.o.Now().In(a.zones.Of(ctx, chat, address)).Format(time.DateOnly)
}
