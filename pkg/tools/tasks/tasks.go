package tasks

import (
	"context"
	"time"

	"parley/pkg/tools"
)

// Task is one background work.
type Task struct {
	// ID is its name for people.
	ID   string `json:"id"`
	Tool string `json:"tool"`
	// Name is the name of a background agent; "" for other work.
	Name  string `json:"name,omitempty"`
	State string `json:"state"`
	// Started and Ended are times of day and date with their zone; Until is when a
	// running one is given up.
	Started string `json:"started"`
	Until   string `json:"until,omitempty"`
	Ended   string `json:"ended,omitempty"`
	// Result is the beginning of its result.
	Result string `json:"result,omitempty"`
}

// Clock is the format of the times of a [Task].
const Clock = time.DateTime + " MST"

// Book knows the tasks of the chat that a call is made in.
type Book interface {
	// Tasks are those that run, and the newest of those that have ended.
	Tasks(ctx context.Context) ([]Task, error)
	// Cancel ends a task and reports the outcome. An error is best a [tools.Error].
	Cancel(ctx context.Context, id string) (string, error)
}

type arguments struct {
	Action string `json:"action" enum:"list,cancel"`
	ID     string `json:"id,omitempty"`
}

// New makes the tool.
func New(b Book) tools.Tool {
	return tools.New("tasks",
		"List this chat's tasks, or cancel one by id.",
		tools.Annotations{Level: tools.LevelChat, Idempotent: true, Volatile: true},
		func(ctx context.Context, in arguments) (any, error) {
			switch {
			case in.Action == "list":
				all, err := b.Tasks(ctx)
				return map[string]any{"tasks": append([]Task{}, all...)}, err
			case in.Action != "cancel":
				return nil, tools.Fail(tools.ErrInvalidArguments, "action must be list or cancel", nil)
			case in.ID == "":
				return nil, tools.Fail(tools.ErrInvalidArguments, "id is missing: list names the tasks", nil)
			default:
				return b.Cancel(ctx, in.ID)
			}
		})
}
