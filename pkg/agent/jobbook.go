package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// ShowsOutside notes that the running call shows the model content from outside.
func (a *Agent) ShowsOutside(ctx context.Context) {
	if r, _, err := a.callOf(ctx); err == nil {
		r.provenance.Brings(tools.InvocationFrom(ctx).CallID)
	}
}

// ChatJobs are the jobs of the chat that the running call belongs to.
func (a *Agent) ChatJobs(ctx context.Context) ([]session.Job, error) {
	r, _, err := a.callOf(ctx)
	if err != nil {
		return nil, err
	}
	return a.o.Engine.JobList(ctx, r.info.Chat)
}

// KeepJob makes or changes a job of the chat that the running call belongs to. Of j
// it takes the id, the name, the schedule, the text, when it is due and whether it is
// paused; whose it is, and with which rights, is whoever the call is made for. A change
// takes somebody who may, see mayChange. Who gives a job another text makes it theirs.
func (a *Agent) KeepJob(ctx context.Context, j session.Job) error {
	r, _, err := a.callOf(ctx)
	if err != nil {
		return err
	}
	a.jobs.change.Lock()
	defer a.jobs.change.Unlock()
	old, err := a.o.Engine.Job(ctx, j.ID)
	switch {
	case errors.Is(err, session.ErrNotFound):
		old = session.Job{}
	case err != nil:
		return err
	default:
		if err := r.mayChange(&old); err != nil {
			return err
		}
		if old.ID == HeartbeatID && (old.Text != j.Text || old.Name != j.Name || !bytes.Equal(old.Spec, j.Spec)) {
			return tools.Fail(tools.ErrPermissionDenied, ErrConfigured.Error(), nil)
		}
	}
	err = a.o.Engine.PutJob(ctx, r.kept(&old, j))
	if errors.Is(err, session.ErrEnded) {
		return nil // an earlier attempt at this call made it, and it has fired
	}
	if err != nil {
		return err
	}
	a.jobs.wake()
	return nil
}

// kept is a job as it is stored, old being what it was: without an id for a new one.
func (r *run) kept(old *session.Job, j session.Job) session.Job {
	out := *old
	out.ID, out.Name, out.Spec, out.Text, out.Prompt = j.ID, j.Name, j.Spec, j.Text, j.Prompt
	out.Due, out.Paused, out.Why, out.Failures = j.Due, j.Paused, j.Why, j.Failures
	out.Tainted = old.Tainted || r.provenance.Tainted()
	switch {
	case old.ID == "":
		out.Chat, out.Address, out.Created = r.info.Chat, r.info.Address, r.a.o.Now()
	case old.Text == j.Text && old.Prompt == j.Prompt:
		return out
	}
	out.Creator, out.Direct, out.Level, out.Told = r.principal.Sender, r.principal.Direct, string(r.principal.Level), ""
	return out
}

// DropJob ends a job of the chat that the running call belongs to.
func (a *Agent) DropJob(ctx context.Context, id string) error {
	r, _, err := a.callOf(ctx)
	if err != nil {
		return err
	}
	j, err := a.o.Engine.Job(ctx, id)
	if err == nil {
		err = r.mayChange(&j)
	}
	if err == nil {
		err = a.RemoveJob(ctx, id)
	}
	if errors.Is(err, ErrConfigured) {
		return tools.Fail(tools.ErrPermissionDenied, err.Error(), nil)
	}
	return err
}

// mayChange says why the turn may not change a job: it is of another chat, or
// somebody else's and the turn is no owner's.
func (r *run) mayChange(j *session.Job) error {
	switch {
	case j.Chat != r.info.Chat:
		return fmt.Errorf("job %s: %w", j.ID, session.ErrNotFound)
	case !r.principal.Owner && j.Creator.ID != r.principal.Sender.ID:
		return tools.Fail(tools.ErrPermissionDenied, fmt.Sprintf("only %s or an owner can change the job %s", nameOf(j.Creator), j.ID), nil)
	default:
		return nil
	}
}

// ChatZone is the time zone that is kept for the chat of the running call, "" for none.
func (a *Agent) ChatZone(ctx context.Context) (string, error) {
	r, _, err := a.callOf(ctx)
	if err != nil {
		return "", err
	}
	return a.o.Engine.Zone(ctx, r.info.Chat)
}

// KeepZone keeps a time zone, an IANA name, for the chat of the running call.
func (a *Agent) KeepZone(ctx context.Context, zone string) error {
	r, _, err := a.callOf(ctx)
	if err != nil {
		return err
	}
	return a.o.Engine.SetZone(ctx, r.info.Chat, zone)
}

// UsualZone is the time zone of the running call's chat where none is kept, "" when
// it is not known.
func (a *Agent) UsualZone(ctx context.Context) string {
	r, _, err := a.callOf(ctx)
	if err != nil {
		return ""
	}
	return a.o.Zone(r.info.Address)
}

// scheduleText answers /schedule.
func (r *run) scheduleText(ctx context.Context, arg string) (string, error) {
	all, err := r.a.o.Engine.JobList(ctx, r.info.Chat)
	if err != nil {
		return "", err
	}
	verb, which, _ := strings.Cut(strings.Join(strings.Fields(arg), " "), " ")
	switch {
	case verb == "" || verb == "list" && which == "":
		return r.planned(all), nil
	case plainName(which) == "" || verb != "remove" && verb != "pause" && verb != "resume":
		return strings.ReplaceAll("Write CMD for what is planned here, or CMD remove ID, CMD pause ID, CMD resume ID.", "CMD", r.typed("schedule")), nil
	}
	j, err := PickJob(all, plainName(which))
	switch {
	case errors.Is(err, ErrAmbiguous):
		return capital(err.Error()), nil
	case err != nil:
		return "There is no job " + cut(plainName(which), 64) + " here. " + r.typed("schedule") + " shows those there are.", nil //nolint:nilerr // it is told
	}
	return r.changePlan(ctx, verb, &j)
}

// maxAbout is how much of a job's text a list shows, in bytes.
const maxAbout = 80

// aboutJob is how a job's text begins, in one line.
func aboutJob(j *session.Job) string {
	return cut(channels.Visible(strings.Join(strings.Fields(j.Text), " ")), maxAbout)
}

// planned lists the jobs of the chat.
func (r *run) planned(all []session.Job) string {
	if len(all) == 0 {
		return "Nothing is planned here."
	}
	lines := []string{"Planned here:"}
	for i := range all {
		j := &all[i]
		line := "`" + j.ID + "`"
		if j.Name != "" && j.Name != j.ID {
			line += " " + j.Name
		}
		if r.a.o.Clock != nil {
			line += ": " + r.a.o.Clock.Describe(j.Spec)
		}
		line += "; " + r.nextOf(j)
		if about := aboutJob(j); about != "" {
			line += ": “" + about + "”"
		}
		if j.LastReason != "" {
			line += "; the last run failed: " + j.LastReason
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// nextOf says when a job fires next, or why it does not.
func (r *run) nextOf(j *session.Job) string {
	switch {
	case j.Paused && j.Why != "":
		return "paused: " + j.Why
	case j.Paused:
		return "paused"
	default:
		return "next " + r.timeHere(j.Due)
	}
}

// changePlan does what a person wants with a job.
func (r *run) changePlan(ctx context.Context, verb string, j *session.Job) (string, error) {
	if err := r.mayChange(j); err != nil {
		return fmt.Sprintf("Only %s or an owner can change that. %s stays as it is.", nameOf(j.Creator), jobName(j)), nil //nolint:nilerr // it is told
	}
	var now session.Job
	var err error
	var done string
	switch verb {
	case "remove":
		done, err = " is removed.", r.a.RemoveJob(ctx, j.ID)
	case "pause":
		now, err = r.a.PauseJob(ctx, j.ID, "by "+nameOf(r.principal.Sender))
		done = " is paused. " + r.typed("schedule") + " resume " + now.ID + " lets it go on."
	default:
		now, err = r.a.ResumeJob(ctx, j.ID)
		done = " goes on: " + r.nextOf(&now) + "."
	}
	switch {
	case errors.Is(err, ErrConfigured):
		return jobName(j) + " is set in the configuration (agent.heartbeat); it can be paused here, not removed.", nil
	case errors.Is(err, session.ErrNotFound):
		return jobName(j) + " has ended meanwhile.", nil
	case errors.Is(err, ErrOver), errors.Is(err, ErrSchedule):
		return jobName(j) + " stays paused: " + err.Error() + ".", nil
	case err != nil:
		return "", err
	}
	return jobName(j) + done, nil
}
