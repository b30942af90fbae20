package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/agent/named"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
)

// cancel carries out /cancel; the notice of the task's end is its answer. It gives
// what else there is to say, and what the history keeps.
func (h *commandTurn) cancel(ctx context.Context) (shown string, history []providers.Message, err error) {
	id, it := h.arg, &h.T.Info.Items[0]
	if id == "" {
		shown, err := h.tasks(ctx)
		return fmt.Sprintf(textWhichTask, h.T.Typed("cancel"), shown), nil, err
	}
	t, err := h.a.tasks.Find(ctx, h.T.Info.Chat, id)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return fmt.Sprintf(textNoSuchTask, h.T.Typed("tasks")), nil, nil
	case errors.Is(err, named.ErrAmbiguous):
		return named.Sentence(err), nil, nil
	case err != nil:
		return "", nil, err
	case !h.T.Principal.MayCancel(&t):
		return fmt.Sprintf(textNotYourTask, named.Person(t.Principal.Sender)), nil, nil
	}
	by := named.Person(h.T.Principal.Sender)
	first, err := h.a.tasks.Cancel(ctx, &t, by, func(c *session.Completion, _ *session.Task) { c.Item = nil })
	if err != nil {
		return "", nil, err
	}
	if t, err = h.a.o.Engine.Tasks().Task(ctx, t.ID); err != nil {
		return "", nil, err
	}
	if !first && (t.State != session.TaskCancelled || t.Ended.Before(it.Time)) { // not by an earlier attempt at this turn
		return fmt.Sprintf(textTaskEnded, task.Name(&t), t.State), nil, nil
	}
	if t.Waited { // it has no notice: who waits for it hears of its end
		shown = t.Result
	}
	return shown, []providers.Message{
		{Role: providers.RoleUser, Content: task.Mark + " " + task.Name(&t) + " was cancelled by " + by + "."},
		turn.Assistant(t.Result),
	}, nil
}

// tasks lists the chat's tasks.
func (h *commandTurn) tasks(ctx context.Context) (string, error) {
	running, recent, err := h.a.tasks.Of(ctx, h.T.Info.Chat)
	if err != nil {
		return "", err
	}
	if len(running)+len(recent) == 0 {
		return textNoTasks, nil
	}
	var b strings.Builder
	const clock = "15:04 MST"
	b.WriteString(textRunningTasks)
	for i := range running {
		t := &running[i]
		fmt.Fprintf(&b, textRunningTask, t.Short(), titleOf(t), t.Started.Format(clock), t.Deadline.Format(clock))
		if h.a.agents.Waits(t.ID) {
			b.WriteString(" (" + textTaskWaits + ")")
		}
		b.WriteString("\n")
	}
	if len(running) == 0 {
		b.WriteString(textNoneRuns)
	} else {
		fmt.Fprintf(&b, textHowToCancel, h.T.Typed("cancel"))
	}
	if len(recent) > 0 {
		b.WriteString(textEndedTasks)
	}
	for i := range recent {
		t := &recent[i]
		fmt.Fprintf(&b, textEndedTask, t.Short(), titleOf(t), strings.ReplaceAll(string(t.State), "_", " "), text.Ago(time.Since(t.Ended)))
	}
	return strings.TrimSpace(b.String()), nil
}

// titleOf is what a list says that a task is.
func titleOf(t *session.Task) string {
	title := fmt.Sprintf("%#q", t.Tool)
	if name := task.AgentName(t); name != "" {
		title += " “" + name + "”"
	}
	return title
}
