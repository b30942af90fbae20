package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/pkg/agent/job"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/text"
)

// schedule answers /schedule.
func (h *commandTurn) schedule(ctx context.Context) (string, error) {
	all, err := h.r.a.o.Engine.Jobs().JobList(ctx, h.r.info.Chat)
	if err != nil {
		return "", err
	}
	verb, which, _ := strings.Cut(strings.Join(strings.Fields(h.arg), " "), " ")
	switch {
	case verb == "" || verb == "list" && which == "":
		return h.planned(all), nil
	case plainName(which) == "" || verb != "remove" && verb != "pause" && verb != "resume":
		return strings.ReplaceAll("Write CMD for what is planned here, or CMD remove ID, CMD pause ID, CMD resume ID.", "CMD", h.r.typed("schedule")), nil
	}
	j, err := PickJob(all, plainName(which))
	switch {
	case errors.Is(err, ErrAmbiguous):
		return capital(err.Error()), nil
	case err != nil:
		return "There is no job " + text.ClipBytes(plainName(which), 64) + " here. " + h.r.typed("schedule") + " shows those there are.", nil //nolint:nilerr // it is told
	}
	return h.changePlan(ctx, verb, &j)
}

// maxAbout is how much of a job's text a list shows, in bytes.
const maxAbout = 80

// aboutJob is how a job's text begins, in one line.
func aboutJob(j *session.Job) string {
	return text.ClipBytes(channels.Visible(strings.Join(strings.Fields(j.Text), " ")), maxAbout)
}

// planned lists the jobs of the chat.
func (h *commandTurn) planned(all []session.Job) string {
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
		if h.r.a.o.Clock != nil {
			line += ": " + h.r.a.o.Clock.Describe(j.Spec)
		}
		line += "; " + h.nextOf(j)
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
func (h *commandTurn) nextOf(j *session.Job) string {
	switch {
	case j.Paused && j.Why != "":
		return "paused: " + j.Why
	case j.Paused:
		return "paused"
	default:
		return "next " + h.r.timeHere(j.Due)
	}
}

// changePlan does what a person wants with a job.
func (h *commandTurn) changePlan(ctx context.Context, verb string, j *session.Job) (string, error) {
	if err := h.r.mayChange(j); err != nil {
		return fmt.Sprintf("Only %s or an owner can change that. %s stays as it is.", nameOf(j.Creator), jobName(j)), nil //nolint:nilerr // it is told
	}
	var now session.Job
	var err error
	var done string
	switch verb {
	case "remove":
		done, err = " is removed.", h.r.a.jobs.Remove(ctx, j.ID)
	case "pause":
		now, err = h.r.a.jobs.Pause(ctx, j.ID, "by "+nameOf(h.r.principal.Sender))
		done = " is paused. " + h.r.typed("schedule") + " resume " + now.ID + " lets it go on."
	default:
		now, err = h.r.a.jobs.Resume(ctx, j.ID)
		done = " goes on: " + h.nextOf(&now) + "."
	}
	switch {
	case errors.Is(err, job.ErrConfigured):
		return jobName(j) + " is set in the configuration (agent.heartbeat); it can be paused here, not removed.", nil
	case errors.Is(err, session.ErrNotFound):
		return jobName(j) + " has ended meanwhile.", nil
	case errors.Is(err, job.ErrOver), errors.Is(err, job.ErrSchedule):
		return jobName(j) + " stays paused: " + err.Error() + ".", nil
	case err != nil:
		return "", err
	}
	return jobName(j) + done, nil
}
