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
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/tools/tasks"
)

// taskBook lets the tasks tool ask the agent.
type taskBook struct{ a *App }

// maxTaskResult is how much of a result the list has, in code points.
const maxTaskResult = 200

// newTasksTool is the tool that lists and cancels background tasks.
func newTasksTool(a *App) tools.Tool { return tasks.New(taskBook{a}) }

// Tasks implements [tasks.Book].
func (b taskBook) Tasks(ctx context.Context) ([]tasks.Task, error) {
	running, recent, err := b.a.agent.Tasks(ctx)
	var out []tasks.Task
	for _, all := range [][]session.Task{running, recent} {
		for i := range all {
			out = append(out, toolTask(&all[i]))
		}
	}
	return out, err
}

func toolTask(t *session.Task) tasks.Task {
	v := tasks.Task{ID: t.Short(), Tool: t.Tool, Name: agent.NameOfTask(t), State: string(t.State), Started: t.Started.Format(tasks.Clock)}
	if t.State == session.TaskRunning {
		v.Until = t.Deadline.Format(tasks.Clock)
		return v
	}
	v.Ended = t.Ended.Format(tasks.Clock)
	if v.Result = t.Result; len([]rune(v.Result)) > maxTaskResult {
		v.Result = string([]rune(v.Result)[:maxTaskResult]) + "…"
	}
	return v
}

// Cancel implements [tasks.Book].
func (b taskBook) Cancel(ctx context.Context, id string) (string, error) {
	return b.a.agent.CancelHere(ctx, id)
}

// The operations on background tasks.
const (
	opTasks  = "tasks list"
	opTask   = "tasks show"
	opCancel = "tasks cancel"
)

// taskReport is one value of the answer to the operations on tasks.
type taskReport struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Tool  string `json:"tool"`
	// Name is what a background agent is called.
	Name string `json:"name,omitempty"`
	Chat string `json:"chat"`
	Who  string `json:"who"`
	// Started is when it began, Until when it is given up, Ended when it ended.
	Started time.Time `json:"started"`
	Until   time.Time `json:"until"`
	Ended   time.Time `json:"ended,omitzero"`
	// Arguments and Result are of opTask only.
	Arguments string `json:"arguments,omitempty"`
	Result    string `json:"result,omitempty"`
}

// taskOp does an operation on background tasks.
func (a *App) taskOp(ctx context.Context, op, id string, emit emitter) error {
	unknown := func(err error) error {
		if errors.Is(err, session.ErrNotFound) {
			return fmt.Errorf("there is no task %s: gateway tasks list shows them", id)
		}
		return err
	}
	if op == opCancel {
		t, err := a.agent.CancelTask(ctx, id)
		if err != nil {
			return unknown(err)
		}
		return emit(newTaskReport(&t))
	}
	if op == opTask {
		t, err := a.agent.FindTask(ctx, id)
		if err != nil {
			return unknown(err)
		}
		r := newTaskReport(&t)
		r.Arguments, r.Result = string(t.Arguments), t.Result
		return emit(r)
	}
	all, err := a.agent.TaskList(ctx, "")
	for i := range all {
		if err == nil {
			err = emit(newTaskReport(&all[i]))
		}
	}
	return err
}

func newTaskReport(t *session.Task) taskReport {
	return taskReport{
		ID: t.Short(), State: string(t.State), Tool: t.Tool, Name: agent.NameOfTask(t), Chat: policy.Place(t.Address).String(),
		Who: strings.TrimSpace(t.Creator.Name + " " + t.Creator.ID), Started: t.Started, Until: t.Deadline, Ended: t.Ended,
	}
}

func newTasks(h *host) *cobra.Command {
	arg := func(words []string) deskArgs { return deskArgs{Task: words[0]} }
	c := group("tasks", "List, show or cancel what runs in the background",
		verb(h, "list", "List the tasks that run, and those that ended in the last two days", opTasks, cobra.NoArgs, noArgs, showTaskLine),
		verb(h, "show ID|NAME", "Show one task, with its arguments and what came of it", opTask, cobra.ExactArgs(1), arg, showTask),
		verb(h, "cancel ID|NAME", "End one task; its chat is told", opCancel, cobra.ExactArgs(1), arg, showTaskLine))
	c.Long = `A task is work that a tool goes on with after its call: its result comes into the
chat by itself. A task that the gateway's end cut off is not run again; its chat
is told at the next start.`
	return c
}

func showTaskLine(w io.Writer, r taskReport) error {
	end := "until " + r.Until.Format(tasks.Clock)
	if !r.Ended.IsZero() {
		end = "ended " + r.Ended.Format(tasks.Clock)
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\tsince %s\t%s\n", r.ID, r.State, inCell(r.Tool), inCell(r.Name), inCell(r.Chat), inCell(r.Who), r.Started.Format(tasks.Clock), end)
	return err
}

func showTask(w io.Writer, r taskReport) error {
	if err := showTaskLine(w, r); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "arguments\t%s\n%s\n", channels.Visible(r.Arguments), channels.Visible(r.Result))
	return err
}
