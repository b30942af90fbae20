package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
	"parley/pkg/tools/tasks"
)

func newTasks(h *host) *cobra.Command {
	arg := func(words []string) admin.Request { return admin.Request{Task: words[0]} }
	c := group("tasks", "List, show or cancel what runs in the background",
		verb(h, "list", "List the tasks that run, and those that ended in the last two days", admin.ListTasks(), cobra.NoArgs, noArgs,
			showTaskLine),
		verb(h, "show ID|NAME", "Show one task, with its arguments and what came of it", admin.ShowTask(), cobra.ExactArgs(1), arg, showTask),
		verb(h, "cancel ID|NAME", "End one task; its chat is told", admin.CancelTask(), cobra.ExactArgs(1), arg, showTaskLine))
	c.Long = `A task is work that a tool goes on with after its call: its result comes into the
chat by itself. A task that the gateway's end cut off is not run again; its chat
is told at the next start.`
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
	_, err := fmt.Fprintf(w, "arguments\t%s\n%s\n", channels.Visible(r.Arguments), channels.Visible(r.Result))
	return err
}
