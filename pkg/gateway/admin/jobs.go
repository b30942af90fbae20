package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/agent/job"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// ListJobs emits a [JobReport] of each job.
func ListJobs() Operation { return Operation{Name: "jobs list", Handle: listJobs} }

// ShowJob emits the [JobReport] of one job, as the other operations on one job do.
func ShowJob() Operation {
	return Operation{Name: "jobs show", Handle: oneJob("", func(ctx context.Context, g *Gateway, id string) (session.Job, error) {
		return g.Agent.Jobs().Get(ctx, id)
	})}
}

// RunJob runs a job once, now.
func RunJob() Operation {
	run := oneJob("fired", func(ctx context.Context, g *Gateway, id string) (session.Job, error) {
		return g.Agent.Jobs().FireNow(ctx, id)
	})
	return Operation{Name: "jobs run", Audited: true, Handle: run}
}

// PauseJob keeps a job from running.
func PauseJob() Operation {
	pause := oneJob("", func(ctx context.Context, g *Gateway, id string) (session.Job, error) {
		return g.Agent.Jobs().Pause(ctx, id, textByOperator)
	})
	return Operation{Name: "jobs pause", Audited: true, Handle: pause}
}

// ResumeJob lets a paused job run again.
func ResumeJob() Operation {
	resume := oneJob("", func(ctx context.Context, g *Gateway, id string) (session.Job, error) {
		return g.Agent.Jobs().Resume(ctx, id)
	})
	return Operation{Name: "jobs resume", Audited: true, Handle: resume}
}

// RemoveJob removes a job.
func RemoveJob() Operation {
	remove := oneJob("removed", func(ctx context.Context, g *Gateway, id string) (session.Job, error) {
		j, err := g.Agent.Jobs().Get(ctx, id)
		if err == nil {
			err = g.Agent.Jobs().Remove(ctx, id)
		}
		return j, err
	})
	return Operation{Name: "jobs remove", Audited: true, Handle: remove}
}

// JobReport is one value of the answer to the operations on jobs.
type JobReport struct {
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
	// Text is its text, or with Prompt the instructions for the agent.
	Text   string `json:"text"`
	Prompt bool   `json:"prompt,omitempty"`
}

func newJobReport(g *Gateway, j *session.Job) JobReport {
	r := JobReport{
		ID: j.ID, Name: j.Name, State: "planned", Chat: policy.Place(j.Address).String(),
		Who:  strings.TrimSpace(j.Principal.Sender.Name + " " + j.Principal.Sender.ID),
		When: g.Schedule(j.Spec), Due: j.Due, Why: j.Why, Last: j.Runs.Last, Failures: j.Runs.Failures, Reason: j.Runs.Reason,
		Text: j.Text, Prompt: j.Prompt,
	}
	if j.Paused {
		r.State = "paused"
	}
	return r
}

func listJobs(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
	all, err := g.Engine.Jobs().JobList(ctx, "")
	for i := range all {
		if err == nil {
			err = emit(newJobReport(g, &all[i]))
		}
	}
	return err
}

// oneJob does something on the job that a request names. The state replaces the job's
// own in the report; "" leaves that.
func oneJob(state string, do func(ctx context.Context, g *Gateway, id string) (session.Job, error)) handler {
	return func(ctx context.Context, g *Gateway, request *Request, emit Emit) error {
		all, err := g.Engine.Jobs().JobList(ctx, "")
		if err != nil {
			return err
		}
		j, err := job.Pick(all, request.Job)
		if err == nil {
			j, err = do(ctx, g, j.ID)
		}
		switch {
		case errors.Is(err, session.ErrNotFound):
			return fmt.Errorf(textNoSchedule, request.Job, Program())
		case errors.Is(err, job.ErrConfigured):
			return fmt.Errorf(textScheduleConfigured, request.Job)
		case err != nil:
			return err
		}
		r := newJobReport(g, &j)
		if state != "" {
			r.State = state
		}
		return emit(r)
	}
}
