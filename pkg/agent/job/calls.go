package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// Calls are the tools' view of the jobs of the chat that their call belongs to.
type Calls struct {
	Running   *turn.Running
	Scheduler *Scheduler
}

// ChatJobs are the jobs of the chat that the running call belongs to.
func (c Calls) ChatJobs(ctx context.Context) ([]session.Job, error) {
	t, _, err := c.Running.Of(ctx)
	if err != nil {
		return nil, err
	}
	return c.Scheduler.o.Jobs.JobList(ctx, t.Info.Chat)
}

// KeepJob makes or changes a job of the chat that the running call belongs to. Of j it
// takes the id, the name, the schedule, the text, when it is due and whether it is
// paused; its owner and rights are those of the call. A change needs the right to it,
// see mayChange. A new text makes its author the owner of the job.
func (c Calls) KeepJob(ctx context.Context, j session.Job) error {
	t, _, err := c.Running.Of(ctx)
	if err != nil {
		return err
	}
	return c.Scheduler.Keep(ctx, j.ID, func(old *session.Job) (session.Job, error) {
		if old.ID == "" {
			return kept(t, old, j), nil
		}
		if err := mayChange(t, old); err != nil {
			return j, err
		}
		if old.ID == HeartbeatID && (old.Text != j.Text || old.Name != j.Name || !bytes.Equal(old.Spec, j.Spec)) {
			return j, tools.Fail(tools.ErrPermissionDenied, ErrConfigured.Error(), nil)
		}
		return kept(t, old, j), nil
	})
}

// kept is a job as it is stored, old being the former one: without an id for a new one.
func kept(t *turn.Turn, old *session.Job, j session.Job) session.Job {
	out := *old
	out.ID, out.Name, out.Spec, out.Text, out.Prompt = j.ID, j.Name, j.Spec, j.Text, j.Prompt
	out.Due, out.Paused, out.Why, out.Runs.Failures = j.Due, j.Paused, j.Why, j.Runs.Failures
	out.Tainted = old.Tainted || t.Provenance.Tainted()
	switch {
	case old.ID == "":
		out.Chat, out.Address, out.Created = t.Info.Chat, t.Info.Address, t.Deps.Now()
	case old.Text == j.Text && old.Prompt == j.Prompt:
		return out
	}
	out.Principal, out.Wish, out.Told = t.Principal.Stored(t.Provenance), turn.Wish(t).Handed(), ""
	return out
}

// DropJob ends a job of the chat that the running call belongs to.
func (c Calls) DropJob(ctx context.Context, id string) error {
	t, _, err := c.Running.Of(ctx)
	if err != nil {
		return err
	}
	j, err := c.Scheduler.o.Jobs.Job(ctx, id)
	if err == nil {
		err = mayChange(t, &j)
	}
	if err == nil {
		err = c.Scheduler.Remove(ctx, id)
	}
	if errors.Is(err, ErrConfigured) {
		return tools.Fail(tools.ErrPermissionDenied, err.Error(), nil)
	}
	return err
}

// mayChange says why the turn may not change a job: it is of another chat, or
// somebody else's and the turn is no owner's. In a turn of several people the words may
// be another one's.
func mayChange(t *turn.Turn, j *session.Job) error {
	switch {
	case j.Chat != t.Info.Chat:
		return fmt.Errorf("schedule %s: %w", j.ID, session.ErrNotFound)
	case !t.Principal.Owner && j.Principal.Sender.ID != t.Principal.Sender.ID:
		return tools.Fail(tools.ErrPermissionDenied, fmt.Sprintf("only %s or an owner can change the schedule %s",
			named.Person(j.Principal.Sender), j.ID), nil)
	case !t.Principal.Owner && t.Provenance.SeveralPeople() && !j.Principal.Several:
		return tools.Fail(tools.ErrPermissionDenied, fmt.Sprintf(
			"only %s or an owner can change the schedule %s, and this turn answers several people: a message that is answered alone can change it",
			named.Person(j.Principal.Sender), j.ID), nil)
	default:
		return nil
	}
}
