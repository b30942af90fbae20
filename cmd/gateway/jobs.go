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
	c := group("jobs", textJobs,
		verb(h, "list", textJobsList, admin.ListJobs(), cobra.NoArgs, noArgs, showJobLine),
		verb(h, "show ID|NAME", textJobsShow, admin.ShowJob(), cobra.ExactArgs(1), arg, showJob),
		verb(h, "run ID|NAME", textJobsRun, admin.RunJob(), cobra.ExactArgs(1), arg, showJobLine),
		verb(h, "pause ID|NAME", textJobsPause, admin.PauseJob(), cobra.ExactArgs(1), arg, showJobLine),
		verb(h, "resume ID|NAME", textJobsResume, admin.ResumeJob(), cobra.ExactArgs(1), arg, showJobLine),
		verb(h, "remove ID|NAME", textJobsRemove, admin.RemoveJob(), cobra.ExactArgs(1), arg, showJobLine))
	c.Long = textJobsLong
	return c
}

func showJobLine(w io.Writer, r admin.JobReport) error {
	next := "next " + r.Due.Format(time.DateTime+" MST")
	if r.State == "paused" {
		next = fmt.Sprintf(textJobBecause, r.Why)
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.State, inCell(r.Chat), inCell(r.Name), inCell(r.When), inCell(next))
	return err
}

func showJob(w io.Writer, r admin.JobReport) error {
	kind := textJobSays
	if r.Prompt {
		kind = textJobAsks
	}
	last := textNever
	if !r.Last.IsZero() {
		last = r.Last.Format(time.DateTime + " MST")
	}
	_, err := fmt.Fprintf(w,
		textJob,
		r.ID, inCell(r.Name), r.State, inCell(r.Why), inCell(r.Chat), inCell(r.Who), inCell(r.When),
		r.Due.Format(time.DateTime+" MST"), last, r.Failures, inCell(r.Reason), kind, r.Text)
	return err
}
