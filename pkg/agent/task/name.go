package task

import (
	"encoding/json"
	"fmt"
	"time"

	"parley/pkg/session"
	"parley/pkg/visible"
)

// Brief is the request to a background agent, as its task keeps it.
type Brief struct {
	Task string `json:"task"`
	Name string `json:"name"`
}

// BriefOf is the brief of an agent's task. One that cannot be read is empty.
func BriefOf(t *session.Task) Brief {
	var b Brief
	_ = json.Unmarshal(t.Arguments, &b)
	return b
}

// Name is a task as people are told of it.
func Name(t *session.Task) string {
	name := t.Tool
	if own := AgentName(t); own != "" {
		name = "“" + own + "”"
	}
	return name + " (" + t.Short() + ")"
}

// AgentName is the name that a background agent was given at its start; "" for another
// task.
func AgentName(t *session.Task) string {
	if !t.Agent {
		return ""
	}
	return visible.Text(BriefOf(t).Name)
}

// TimeOver is the person's text about a task that is out of time.
func TimeOver(t *session.Task) string {
	return fmt.Sprintf(textTooLong, Name(t), span(t.Deadline.Sub(t.Started)))
}

// span says how long something may last.
func span(d time.Duration) string {
	n, unit := d/time.Second, "second"
	if d >= 2*time.Minute || d == time.Minute {
		n, unit = d.Round(time.Minute)/time.Minute, "minute"
	}
	if d >= time.Hour && d%time.Hour == 0 {
		n, unit = d/time.Hour, "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// Mark begins the text of every item that brings a task's result.
const Mark = "[background task]"

// notTold stands in the text of an item with a result that the person was not shown.
const notTold = "The person has not been told yet."

// endOf begins the item that tells the model of a task's end.
func endOf(t *session.Task, state session.TaskState) string {
	return Mark + " " + Name(t) + " ended (" + string(state) + "). "
}
