package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// cancel carries out /cancel; the notice of the task's end is its answer. It gives
// what else there is to say, and what the history keeps.
func (h *commandTurn) cancel(ctx context.Context) (text string, history []providers.Message, err error) {
	id, it := h.arg, &h.r.info.Items[0]
	if id == "" {
		text, err := h.tasks(ctx)
		return "Which one? Write " + h.r.typed("cancel") + " and its name.\n\n" + text, nil, err
	}
	t, err := h.r.a.findTask(ctx, h.r.info.Chat, id)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return "There is no such background task in this chat; " + h.r.typed("tasks") + " lists them.", nil, nil
	case errors.Is(err, ErrAmbiguous):
		return capital(err.Error()), nil, nil
	case err != nil:
		return "", nil, err
	case !h.r.principal.MayCancel(&t):
		return "Only " + nameOf(t.Creator) + ", somebody with the rights of the task, or an owner can cancel it.", nil, nil
	}
	by := nameOf(h.r.principal.Sender)
	first, err := h.r.a.cancelTask(ctx, &t, by, func(c *session.Completion, _ *session.Task) { c.Item = nil })
	if err != nil {
		return "", nil, err
	}
	if t, err = h.r.a.o.Engine.Tasks().Task(ctx, t.ID); err != nil {
		return "", nil, err
	}
	if !first && (t.State != session.TaskCancelled || t.Ended.Before(it.Time)) { // not by an earlier attempt at this turn
		return "The background task " + taskName(&t) + " has ended already: " + string(t.State) + ".", nil, nil
	}
	if t.Waited { // it has no notice: who waits for it hears of its end
		text = t.Result
	}
	return text, []providers.Message{
		{Role: providers.RoleUser, Content: taskMark + " " + taskName(&t) + " was cancelled by " + by + "."},
		assistant(t.Result),
	}, nil
}

// tasks lists the chat's tasks.
func (h *commandTurn) tasks(ctx context.Context) (string, error) {
	running, recent, err := h.r.a.tasksOf(ctx, h.r.info.Chat)
	if err != nil {
		return "", err
	}
	if len(running)+len(recent) == 0 {
		return "Nothing runs in the background.", nil
	}
	var b strings.Builder
	const clock = "15:04 MST"
	b.WriteString("In the background:\n")
	for i := range running {
		t := &running[i]
		fmt.Fprintf(&b, "- %s %s, since %s, until %s at the latest", t.Short(), titleOf(t), t.Started.Format(clock), t.Deadline.Format(clock))
		if h.r.a.agentWaits(t.ID) {
			b.WriteString(" (" + waitsLine + ")")
		}
		b.WriteString("\n")
	}
	if len(running) == 0 {
		b.WriteString("- nothing\n")
	} else {
		b.WriteString(h.r.typed("cancel") + " and the name ends one.\n")
	}
	if len(recent) > 0 {
		b.WriteString("\nEnded:\n")
	}
	for i := range recent {
		t := &recent[i]
		fmt.Fprintf(&b, "- %s %s: %s, %s\n", t.Short(), titleOf(t), strings.ReplaceAll(string(t.State), "_", " "), channels.Ago(time.Since(t.Ended)))
	}
	return strings.TrimSpace(b.String()), nil
}

// titleOf is what a list says that a task is.
func titleOf(t *session.Task) string {
	title := fmt.Sprintf("%#q", t.Tool)
	if name := NameOfTask(t); name != "" {
		title += " “" + name + "”"
	}
	return title
}
