package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"parley/pkg/agent/job"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// ShowsOutside notes that the running call shows the model content from outside.
func (c Calls) ShowsOutside(ctx context.Context) {
	if r, _, err := c.callOf(ctx); err == nil {
		r.provenance.Brings(tools.InvocationFrom(ctx).CallID)
	}
}

// ChatJobs are the jobs of the chat that the running call belongs to.
func (c Calls) ChatJobs(ctx context.Context) ([]session.Job, error) {
	r, _, err := c.callOf(ctx)
	if err != nil {
		return nil, err
	}
	return c.a.o.Engine.Jobs().JobList(ctx, r.info.Chat)
}

// KeepJob makes or changes a job of the chat that the running call belongs to. Of j
// it takes the id, the name, the schedule, the text, when it is due and whether it is
// paused; whose it is, and with which rights, is whoever the call is made for. A change
// takes somebody who may, see mayChange. Who gives a job another text makes it theirs.
func (c Calls) KeepJob(ctx context.Context, j session.Job) error {
	r, _, err := c.callOf(ctx)
	if err != nil {
		return err
	}
	return c.a.jobs.Keep(ctx, j.ID, func(old *session.Job) (session.Job, error) {
		if old.ID == "" {
			return r.kept(old, j), nil
		}
		if err := r.mayChange(old); err != nil {
			return j, err
		}
		if old.ID == job.HeartbeatID && (old.Text != j.Text || old.Name != j.Name || !bytes.Equal(old.Spec, j.Spec)) {
			return j, tools.Fail(tools.ErrPermissionDenied, job.ErrConfigured.Error(), nil)
		}
		return r.kept(old, j), nil
	})
}

// kept is a job as it is stored, old being what it was: without an id for a new one.
func (r *run) kept(old *session.Job, j session.Job) session.Job {
	out := *old
	out.ID, out.Name, out.Spec, out.Text, out.Prompt = j.ID, j.Name, j.Spec, j.Text, j.Prompt
	out.Due, out.Paused, out.Why, out.Runs.Failures = j.Due, j.Paused, j.Why, j.Runs.Failures
	out.Tainted = old.Tainted || r.provenance.Tainted()
	switch {
	case old.ID == "":
		out.Chat, out.Address, out.Created = r.info.Chat, r.info.Address, r.a.o.Now()
	case old.Text == j.Text && old.Prompt == j.Prompt:
		return out
	}
	out.Principal, out.Told = r.principal.Stored(), ""
	return out
}

// DropJob ends a job of the chat that the running call belongs to.
func (c Calls) DropJob(ctx context.Context, id string) error {
	r, _, err := c.callOf(ctx)
	if err != nil {
		return err
	}
	j, err := c.a.o.Engine.Jobs().Job(ctx, id)
	if err == nil {
		err = r.mayChange(&j)
	}
	if err == nil {
		err = c.a.jobs.Remove(ctx, id)
	}
	if errors.Is(err, job.ErrConfigured) {
		return tools.Fail(tools.ErrPermissionDenied, err.Error(), nil)
	}
	return err
}

// mayChange says why the turn may not change a job: it is of another chat, or
// somebody else's and the turn is no owner's.
func (r *run) mayChange(j *session.Job) error {
	switch {
	case j.Chat != r.info.Chat:
		return fmt.Errorf("schedule %s: %w", j.ID, session.ErrNotFound)
	case !r.principal.Owner && j.Principal.Sender.ID != r.principal.Sender.ID:
		return tools.Fail(tools.ErrPermissionDenied, fmt.Sprintf("only %s or an owner can change the schedule %s", nameOf(j.Principal.Sender),
			j.ID), nil)
	default:
		return nil
	}
}

// ChatZone is the time zone that is kept for the chat of the running call, "" for none.
func (c Calls) ChatZone(ctx context.Context) (string, error) {
	r, _, err := c.callOf(ctx)
	if err != nil {
		return "", err
	}
	return c.a.o.Engine.Chats().Zone(ctx, r.info.Chat)
}

// KeepZone keeps a time zone, an IANA name, for the chat of the running call.
func (c Calls) KeepZone(ctx context.Context, zone string) error {
	r, _, err := c.callOf(ctx)
	if err != nil {
		return err
	}
	return c.a.o.Engine.Chats().SetZone(ctx, r.info.Chat, zone)
}

// UsualZone is the time zone of the running call's chat where none is kept, "" when
// it is not known.
func (c Calls) UsualZone(ctx context.Context) string {
	r, _, err := c.callOf(ctx)
	if err != nil {
		return ""
	}
	return c.a.o.Zone(r.info.Address)
}
