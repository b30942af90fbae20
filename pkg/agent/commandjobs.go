package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/pkg/agent/job"
	"parley/pkg/agent/named"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/text"
)

// schedule answers /schedule.
func (h *commandTurn) schedule(ctx context.Context) (string, error) {
	all, err := h.a.o.Engine.Jobs().JobList(ctx, h.T.Info.Chat)
	if err != nil {
		return "", err
	}
	verb, which, _ := strings.Cut(strings.Join(strings.Fields(h.arg), " "), " ")
	switch {
	case verb == "" || verb == "list" && which == "":
		return h.planned(all), nil
	case named.Plain(which) == "" || verb != "remove" && verb != "pause" && verb != "resume":
		return fmt.Sprintf(textScheduleHelp, h.T.Typed("schedule")), nil
	}
	j, err := job.Pick(all, named.Plain(which))
	switch {
	case errors.Is(err, named.ErrAmbiguous):
		return capital(err.Error()), nil
	case err != nil:
		return fmt.Sprintf(textNoSuchSchedule, text.ClipBytes(named.Plain(which), 64), h.T.Typed("schedule")), nil //nolint:nilerr // it is told
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
		return textNoSchedules
	}
	lines := []string{textSchedules}
	for i := range all {
		j := &all[i]
		line := "`" + j.ID + "`"
		if j.Name != "" && j.Name != j.ID {
			line += " " + j.Name
		}
		if h.a.o.Timetable != nil {
			line += ": " + h.a.o.Timetable.Describe(j.Spec)
		}
		line += "; " + h.nextOf(j)
		if about := aboutJob(j); about != "" {
			line += ": “" + about + "”"
		}
		if j.Runs.Reason != "" {
			line += fmt.Sprintf(textLastRunFailed, j.Runs.Reason)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// nextOf says when a job fires next, or why it does not.
func (h *commandTurn) nextOf(j *session.Job) string {
	switch {
	case j.Paused && j.Why != "":
		return fmt.Sprintf(textPausedBecause, j.Why)
	case j.Paused:
		return textPaused
	default:
		return fmt.Sprintf(textNextRun, h.T.Clock.Here(j.Due))
	}
}

// changePlan does what a person wants with a job.
func (h *commandTurn) changePlan(ctx context.Context, verb string, j *session.Job) (string, error) {
	if err := mayChange(h.T, j); err != nil {
		return fmt.Sprintf(textNotYourSchedule, jobName(j), nameOf(j.Principal.Sender)), nil //nolint:nilerr // it is told
	}
	var now session.Job
	var err error
	var done string
	switch verb {
	case "remove":
		done, err = fmt.Sprintf(textScheduleRemoved, jobName(j)), h.a.jobs.Remove(ctx, j.ID)
	case "pause":
		now, err = h.a.jobs.Pause(ctx, j.ID, fmt.Sprintf(textPausedBy, nameOf(h.T.Principal.Sender)))
		done = fmt.Sprintf(textSchedulePaused, jobName(j), h.T.Typed("schedule"), now.ID)
	default:
		now, err = h.a.jobs.Resume(ctx, j.ID)
		done = fmt.Sprintf(textScheduleResumed, jobName(j), h.nextOf(&now))
	}
	switch {
	case errors.Is(err, job.ErrConfigured):
		return fmt.Sprintf(textScheduleConfigured, jobName(j)), nil
	case errors.Is(err, session.ErrNotFound):
		return fmt.Sprintf(textScheduleEnded, jobName(j)), nil
	case errors.Is(err, job.ErrOver), errors.Is(err, job.ErrSchedule):
		return fmt.Sprintf(textScheduleStays, jobName(j), err.Error()), nil
	case err != nil:
		return "", err
	}
	return done, nil
}
