package main

import (
	"context"

	"parley/pkg/agent"
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
