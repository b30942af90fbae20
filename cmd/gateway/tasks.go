package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"parley/pkg/gateway/admin"
	"parley/pkg/tools/tasks"
	"parley/pkg/visible"
)

func newTasks(h *host) *cobra.Command {
	arg := func(words []string) admin.Request { return admin.Request{Task: words[0]} }
	c := group("tasks", textTasks,
		verb(h, "list", textTasksList, admin.ListTasks(), cobra.NoArgs, noArgs,
			showTaskLine),
		verb(h, "show ID|NAME", textTasksShow, admin.ShowTask(), cobra.ExactArgs(1), arg, showTask),
		verb(h, "cancel ID|NAME", textTasksCancel, admin.CancelTask(), cobra.ExactArgs(1), arg, showTaskLine))
	c.Long = textTasksLong
	return c
}

func showTaskLine(w io.Writer, r admin.TaskReport) error {
	end := "until " + r.Until.Format(tasks.Clock)
	if !r.Ended.IsZero() {
		end = "ended " + r.Ended.Format(tasks.Clock)
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\tsince %s\t%s\n", r.ID, r.State, inCell(r.Tool), inCell(r.Name), inCell(r.Chat),
		inCell(r.Who), r.Started.Format(tasks.Clock), end)
	return err
}

func showTask(w io.Writer, r admin.TaskReport) error {
	if err := showTaskLine(w, r); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "arguments\t%s\n%s\n", visible.Text(r.Arguments), visible.Text(r.Result))
	return err
}
