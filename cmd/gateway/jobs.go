package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/agent"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// jobReport is one value of the answer to the operations on jobs.
type jobReport struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// State is planned or paused; fired or removed after that was done.
	State string `json:"state"`
	Chat  string `json:"chat"`
	Who   string `json:"who"`
	// When says in words when it is due, Due is the next time.
	When string    `json:"when"`
	Due  time.Time `json:"due"`
	// Why says why it is paused.
	Why string `json:"why,omitempty"`
	// Last is when it ran last, Failures how many runs in a row failed, Reason why the last did.
	Last     time.Time `json:"last,omitzero"`
	Failures int       `json:"failures,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	// Text is what it says, or with Prompt what the agent is asked to do.
	Text   string `json:"text"`
	Prompt bool   `json:"prompt,omitempty"`
}

func newJobReport(j *session.Job) jobReport {
	r := jobReport{
		ID: j.ID, Name: j.Name, State: "planned", Chat: policy.Place(j.Address).String(), Who: strings.TrimSpace(j.Creator.Name + " " + j.Creator.ID),
		When: clockwork{}.Describe(j.Spec), Due: j.Due, Why: j.Why, Last: j.Last, Failures: j.Failures, Reason: j.LastReason,
		Text: j.Text, Prompt: j.Prompt,
	}
	if j.Paused {
		r.State = "paused"
	}
	return r
}

// jobOp does an operation on jobs.
func (a *App) jobOp(ctx context.Context, op, id string, emit emitter) error {
	if op == opJobs {
		return a.listJobs(ctx, emit)
	}
	all, err := a.engine.JobList(ctx, "")
	if err != nil {
		return err
	}
	j, err := agent.PickJob(all, id)
	state := ""
	if err == nil {
		j, state, err = a.oneJob(ctx, op, j.ID)
	}
	switch {
	case errors.Is(err, session.ErrNotFound):
		return fmt.Errorf("there is no job %s: gateway jobs list shows them", id)
	case errors.Is(err, agent.ErrConfigured):
		return fmt.Errorf("the job %s is set in the configuration: take agent.heartbeat out there, or pause it", id)
	case err != nil:
		return err
	}
	r := newJobReport(&j)
	if state != "" {
		r.State = state
	}
	return emit(r)
}

func (a *App) listJobs(ctx context.Context, emit emitter) error {
	all, err := a.engine.JobList(ctx, "")
	for i := range all {
		if err == nil {
			err = emit(newJobReport(&all[i]))
		}
	}
	return err
}

// oneJob does an operation on one job; the state is "" where the job knows its own.
func (a *App) oneJob(ctx context.Context, op, id string) (j session.Job, state string, err error) {
	switch op {
	case opRunJob:
		j, err = a.agent.FireNow(ctx, id)
		return j, "fired", err
	case opPauseJob:
		j, err = a.agent.PauseJob(ctx, id, "by the operator")
	case opResumeJob:
		j, err = a.agent.ResumeJob(ctx, id)
	case opRemoveJob:
		if j, err = a.agent.Job(ctx, id); err == nil {
			err = a.agent.RemoveJob(ctx, id)
		}
		return j, "removed", err
	default:
		j, err = a.agent.Job(ctx, id)
	}
	return j, "", err
}

func newJobs(h *host) *cobra.Command {
	arg := func(words []string) deskArgs { return deskArgs{Job: words[0]} }
	c := group("jobs", "List, show, run, pause, resume or remove what chats have planned",
		verb(h, "list", "List all jobs", opJobs, cobra.NoArgs, noArgs, showJobLine),
		verb(h, "show ID|NAME", "Show one job", opJob, cobra.ExactArgs(1), arg, showJob),
		verb(h, "run ID|NAME", "Run a job once, now, also one that is paused", opRunJob, cobra.ExactArgs(1), arg, showJobLine),
		verb(h, "pause ID|NAME", "Keep a job from running", opPauseJob, cobra.ExactArgs(1), arg, showJobLine),
		verb(h, "resume ID|NAME", "Let a paused job run again when it is due", opResumeJob, cobra.ExactArgs(1), arg, showJobLine),
		verb(h, "remove ID|NAME", "Remove a job", opRemoveJob, cobra.ExactArgs(1), arg, showJobLine))
	c.Long = `A job is something that a chat has planned: a text that is said, or a prompt that
the agent answers, once or again and again. The gateway runs jobs while it runs;
what fell due meanwhile is made up for at the next start, six missed hours once.
Run does not change when a job is due next. Three failures in a row pause a job.`
	return c
}

func showJobLine(w io.Writer, r jobReport) error {
	next := "next " + r.Due.Format(time.DateTime+" MST")
	if r.State == "paused" {
		next = "because: " + r.Why
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.State, inCell(r.Chat), inCell(r.Name), inCell(r.When), inCell(next))
	return err
}

func showJob(w io.Writer, r jobReport) error {
	kind := "says"
	if r.Prompt {
		kind = "asks the agent"
	}
	last := "never"
	if !r.Last.IsZero() {
		last = r.Last.Format(time.DateTime + " MST")
	}
	_, err := fmt.Fprintf(w, "job\t%s\nname\t%s\nstate\t%s %s\nchat\t%s\nmade by\t%s\nwhen\t%s\ndue\t%s\nlast run\t%s\nfailures\t%d %s\n%s\t%s\n",
		r.ID, inCell(r.Name), r.State, inCell(r.Why), inCell(r.Chat), inCell(r.Who), inCell(r.When), r.Due.Format(time.DateTime+" MST"), last, r.Failures, inCell(r.Reason), kind, r.Text)
	return err
}
