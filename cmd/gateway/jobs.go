package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/gateway/admin"
)

func newJobs(h *host) *cobra.Command {
	arg := func(words []string) admin.Request { return admin.Request{Job: words[0]} }
	c := group("jobs", "List, show, run, pause, resume or remove what chats have planned",
		verb(h, "list", "List all jobs", admin.ListJobs(), cobra.NoArgs, noArgs, showJobLine),
		verb(h, "show ID|NAME", "Show one job", admin.ShowJob(), cobra.ExactArgs(1), arg, showJob),
		verb(h, "run ID|NAME", "Run a job once, now, also one that is paused", admin.RunJob(), cobra.ExactArgs(1), arg, showJobLine),
		verb(h, "pause ID|NAME", "Keep a job from running", admin.PauseJob(), cobra.ExactArgs(1), arg, showJobLine),
		verb(h, "resume ID|NAME", "Let a paused job run again when it is due", admin.ResumeJob(), cobra.ExactArgs(1), arg, showJobLine),
		verb(h, "remove ID|NAME", "Remove a job", admin.RemoveJob(), cobra.ExactArgs(1), arg, showJobLine))
	c.Long = `A job is something that a chat has planned: a text that is said, or a prompt that
the agent answers, once or again and again. The gateway runs jobs while it runs;
what fell due meanwhile is made up for at the next start, six missed hours once.
Run does not change when a job is due next. Three failures in a row pause a job.`
	return c
}

func showJobLine(w io.Writer, r admin.JobReport) error {
	next := "next " + r.Due.Format(time.DateTime+" MST")
	if r.State == "paused" {
		next = "because: " + r.Why
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.State, inCell(r.Chat), inCell(r.Name), inCell(r.When), inCell(next))
	return err
}

func showJob(w io.Writer, r admin.JobReport) error {
	kind := "says"
	if r.Prompt {
		kind = "asks the agent"
	}
	last := "never"
	if !r.Last.IsZero() {
		last = r.Last.Format(time.DateTime + " MST")
	}
	_, err := fmt.Fprintf(w,
		"job\t%s\nname\t%s\nstate\t%s %s\nchat\t%s\nmade by\t%s\nwhen\t%s\ndue\t%s\nlast run\t%s\nfailures\t%d %s\n%s\t%s\n",
		r.ID, inCell(r.Name), r.State, inCell(r.Why), inCell(r.Chat), inCell(r.Who), inCell(r.When),
		r.Due.Format(time.DateTime+" MST"), last, r.Failures, inCell(r.Reason), kind, r.Text)
	return err
}
