package job

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/visible"
)

// command is one /schedule.
type command struct {
	T *turn.Turn
	s *Scheduler
}

// Command answers /schedule, which lists the jobs of the turn's chat and changes them; arg
// follows it.
func (s *Scheduler) Command(ctx context.Context, t *turn.Turn, arg string) (turn.Reply, error) {
	said, err := (&command{T: t, s: s}).answer(ctx, arg)
	return turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}, Text: said}, err
}

func (h *command) answer(ctx context.Context, arg string) (string, error) {
	all, err := h.s.o.Jobs.JobList(ctx, h.T.Info.Chat)
	if err != nil {
		return "", err
	}
	verb, which, _ := strings.Cut(strings.Join(strings.Fields(arg), " "), " ")
	switch {
	case verb == "" || verb == "list" && which == "":
		return h.planned(all), nil
	case named.Plain(which) == "" || verb != "remove" && verb != "pause" && verb != "resume":
		return fmt.Sprintf(textScheduleHelp, h.T.Typed("schedule")), nil
	}
	j, err := Pick(all, named.Plain(which))
	switch {
	case errors.Is(err, named.ErrAmbiguous):
		return named.Sentence(err), nil
	case err != nil:
		return fmt.Sprintf(textNoSuchSchedule, text.ClipBytes(named.Plain(which), 64), h.T.Typed("schedule")), nil //nolint:nilerr // it is told
	}
	return h.changePlan(ctx, verb, &j)
}

// maxAbout is how much of a job's text a list shows, in bytes.
const maxAbout = 80

// aboutJob is how a job's text begins, in one line.
func aboutJob(j *session.Job) string {
	return text.ClipBytes(visible.Text(strings.Join(strings.Fields(j.Text), " ")), maxAbout)
}

// planned lists the jobs of the chat.
func (h *command) planned(all []session.Job) string {
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
		if h.s.o.Timetable != nil {
			line += ": " + h.s.o.Timetable.Describe(j.Spec)
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
func (h *command) nextOf(j *session.Job) string {
	switch {
	case j.Paused && j.Why != "":
		return fmt.Sprintf(textPausedBecause, j.Why)
	case j.Paused:
		return textPaused
	default:
		return fmt.Sprintf(textNextRun, h.T.Clock.Here(j.Due))
	}
}

// changePlan makes the change to a job that a person wants.
func (h *command) changePlan(ctx context.Context, verb string, j *session.Job) (string, error) {
	if err := mayChange(h.T, j); err != nil {
		return fmt.Sprintf(textNotYourSchedule, jobName(j), named.Person(j.Principal.Sender)), nil //nolint:nilerr // it is told
	}
	var now session.Job
	var err error
	var done string
	switch verb {
	case "remove":
		done, err = fmt.Sprintf(textScheduleRemoved, jobName(j)), h.s.Remove(ctx, j.ID)
	case "pause":
		now, err = h.s.Pause(ctx, j.ID, fmt.Sprintf(textPausedBy, named.Person(h.T.Principal.Sender)))
		done = fmt.Sprintf(textSchedulePaused, jobName(j), h.T.Typed("schedule"), now.ID)
	default:
		now, err = h.s.Resume(ctx, j.ID)
		done = fmt.Sprintf(textScheduleResumed, jobName(j), h.nextOf(&now))
	}
	switch {
	case errors.Is(err, ErrConfigured):
		return fmt.Sprintf(textScheduleConfigured, jobName(j)), nil
	case errors.Is(err, session.ErrNotFound):
		return fmt.Sprintf(textScheduleEnded, jobName(j)), nil
	case errors.Is(err, ErrOver), errors.Is(err, ErrSchedule):
		return fmt.Sprintf(textScheduleStays, jobName(j), err.Error()), nil
	case err != nil:
		return "", err
	}
	return done, nil
}
