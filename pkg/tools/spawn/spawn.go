package spawn

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"parley/pkg/text"
	"parley/pkg/tools"
)

// The names of the tools.
const (
	Spawn    = "spawn"
	Subagent = "subagent"
)

const (
	// MaxTask is how many characters a task has at most.
	MaxTask = 8000
	// MaxName is how many a name has.
	MaxName = 40
	// How long subagent waits where a call names no time.
	waitTime = 10 * time.Minute
	// The time of a waiting call beyond its agent's deadline, so that it reports the
	// agent's own end.
	overtime = time.Minute
)

// Agents starts background agents for the call that is in ctx (see
// [tools.InvocationFrom]). The same task of the same call is the same agent,
// however often it is asked for. Errors are for the model. Both may be called from
// many goroutines.
type Agents interface {
	// StartAgent returns the name for people of an agent that is recorded and will
	// report to the chat by itself within limit.
	StartAgent(ctx context.Context, name, task string, limit time.Duration) (id string, err error)
	// AskAgent waits for an agent's report, limit at most. The agent ends with ctx.
	AskAgent(ctx context.Context, name, task string, limit time.Duration) (report string, err error)
}

// arguments are those of both tools.
type arguments struct {
	Task    string `json:"task" jsonschema:"up to 8000 characters"`
	Name    string `json:"name,omitempty"`
	Minutes int    `json:"deadline_minutes,omitempty"`
}

// started is spawn's result for the model.
type started struct {
	Task string `json:"task"`
	Name string `json:"name"`
	Note string `json:"note"`
}

// New makes spawn and subagent. The deadline is the longest that an agent may take.
func New(a Agents, deadline time.Duration) []tools.Tool {
	// Both count as free of effects: their agents' calls are asked about one by one.
	an := tools.Annotations{Idempotent: true, Speaks: true, Level: tools.LevelRead}
	waits := an
	waits.Timeout = deadline + overtime
	return []tools.Tool{
		tools.New(Spawn,
			"Start a background agent for long work. It does not see this chat, and reports to it.",
			an, func(ctx context.Context, in arguments) (any, error) {
				limit, err := in.check(deadline, deadline)
				if err != nil {
					return nil, err
				}
				id, err := a.StartAgent(ctx, in.Name, in.Task, limit)
				if err != nil {
					return nil, err
				}
				return started{
					Task: id, Name: in.Name,
					Note: "It has started and has no result yet. Its report comes into this conversation by itself; do not wait for it and " +
						"do not start it again.",
				}, nil
			}),
		tools.New(Subagent,
			"As spawn, but wait for the report; calls run side by side.",
			waits, func(ctx context.Context, in arguments) (any, error) {
				limit, err := in.check(min(waitTime, deadline), deadline)
				if err != nil {
					return nil, err
				}
				return a.AskAgent(ctx, in.Name, in.Task, limit)
			}),
	}
}

// check puts the arguments in order and gives the time that the agent has.
func (in *arguments) check(usual, most time.Duration) (time.Duration, error) {
	in.Name = strings.Join(strings.Fields(in.Name), " ")
	switch n := utf8.RuneCountInString(in.Task); {
	case strings.TrimSpace(in.Task) == "":
		return 0, tools.Fail(tools.ErrInvalidArguments, "task is needed and cannot be empty", nil)
	case n > MaxTask:
		return 0, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("task has %d characters; at most %d are allowed", n, MaxTask), nil)
	}
	if n := utf8.RuneCountInString(in.Name); n > MaxName {
		return 0, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("name has %d characters; at most %d are allowed", n, MaxName), nil)
	}
	if in.Name == "" {
		in.Name = heading(in.Task)
	}
	if in.Minutes == 0 {
		return usual, nil
	}
	if in.Minutes < 0 || in.Minutes > int(most/time.Minute) {
		return 0, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("deadline_minutes must be 1 to %d", int(most/time.Minute)), nil)
	}
	return time.Duration(in.Minutes) * time.Minute, nil
}

// heading is the beginning of a task, as its name.
func heading(task string) string {
	name := strings.Join(strings.Fields(task), " ")
	if utf8.RuneCountInString(name) <= MaxName {
		return name
	}
	return text.Clip(name, MaxName-1)
}
