package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/agent/task"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// ListTasks emits a [TaskReport] of each background task that runs or ended lately.
func ListTasks() Operation { return Operation{Name: "tasks list", Handle: listTasks} }

// ShowTask emits the [TaskReport] of one task, with its arguments and result.
func ShowTask() Operation { return Operation{Name: "tasks show", Handle: showTask} }

// CancelTask ends one task. It emits its [TaskReport].
func CancelTask() Operation {
	return Operation{Name: "tasks cancel", Audited: true, Handle: cancelTask}
}

func listTasks(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
	all, err := g.Agent.Tasks().List(ctx, "")
	for i := range all {
		if err == nil {
			err = emit(newTaskReport(&all[i]))
		}
	}
	return err
}

func showTask(ctx context.Context, g *Gateway, request *Request, emit Emit) error {
	t, err := g.Agent.Tasks().Find(ctx, "", request.Task)
	if err != nil {
		return unknownTask(err, request)
	}
	r := newTaskReport(&t)
	r.Arguments, r.Result = string(t.Arguments), t.Result
	return emit(r)
}

func cancelTask(ctx context.Context, g *Gateway, request *Request, emit Emit) error {
	t, err := g.Agent.Tasks().CancelByOperator(ctx, request.Task)
	if err != nil {
		return unknownTask(err, request)
	}
	return emit(newTaskReport(&t))
}

func unknownTask(err error, r *Request) error {
	if errors.Is(err, session.ErrNotFound) {
		return fmt.Errorf(textNoTask, r.Task, Program())
	}
	return err
}

// TaskReport is one value of the answer to the operations on tasks.
type TaskReport struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Tool  string `json:"tool"`
	// Name is the name of a background agent.
	Name string `json:"name,omitempty"`
	Chat string `json:"chat"`
	Who  string `json:"who"`
	// Started is when it began, Until when it is given up, Ended when it ended.
	Started time.Time `json:"started"`
	Until   time.Time `json:"until"`
	Ended   time.Time `json:"ended,omitzero"`
	// Arguments and Result are of [ShowTask] only.
	Arguments string `json:"arguments,omitempty"`
	Result    string `json:"result,omitempty"`
}

func newTaskReport(t *session.Task) TaskReport {
	return TaskReport{
		ID: t.Short(), State: string(t.State), Tool: t.Tool, Name: task.AgentName(t), Chat: policy.Place(t.Address).String(),
		Who: strings.TrimSpace(t.Principal.Sender.Name + " " + t.Principal.Sender.ID), Started: t.Started, Until: t.Deadline, Ended: t.Ended,
	}
}
