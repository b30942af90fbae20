package task

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
)

// Commands answer /tasks and /cancel.
type Commands struct {
	Tasks *Tasks
	// Waits reports whether the agent of a task waits for a place.
	Waits func(id string) bool
}

// List lists the tasks of the turn's chat.
func (c Commands) List(ctx context.Context, t *turn.Turn, _ string) (turn.Reply, error) {
	_, said, err := (&commandLine{T: t, o: &c}).tasks(ctx)
	return turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}, Text: said}, err
}

// Cancel ends the task that arg names.
func (c Commands) Cancel(ctx context.Context, t *turn.Turn, arg string) (turn.Reply, error) {
	said, history, err := (&commandLine{T: t, o: &c}).cancel(ctx, arg)
	return turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered, Messages: history}, Text: said}, err
}

// commandLine is one command of a chat.
type commandLine struct {
	T *turn.Turn
	o *Commands
}

// cancel carries out /cancel; the notice of the task's end is its answer. It gives the
// rest of the text, and the line for the history.
func (h *commandLine) cancel(ctx context.Context, arg string) (shown string, history []providers.Message, err error) {
	id, it := arg, &h.T.Info.Items[0]
	if id == "" {
		some, shown, err := h.tasks(ctx)
		if some {
			shown = fmt.Sprintf(textWhichTask, h.T.Typed("cancel"), shown)
		}
		return shown, nil, err
	}
	t, err := h.o.Tasks.Find(ctx, h.T.Info.Chat, id)
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
	first, err := h.o.Tasks.Cancel(ctx, &t, by, func(c *session.Completion, _ *session.Task) { c.Item = nil })
	if err != nil {
		return "", nil, err
	}
	if t, err = h.o.Tasks.o.Store.Task(ctx, t.ID); err != nil {
		return "", nil, err
	}
	if !first && (t.State != session.TaskCancelled || t.Ended.Before(it.Time)) { // not by an earlier attempt at this turn
		return fmt.Sprintf(textTaskEnded, Name(&t), t.State), nil, nil
	}
	if t.Waited { // it has no notice: the call that waits for it hears of its end
		shown = t.Result
	}
	if out, err := h.o.Tasks.TakenOut(ctx, &t); out || err != nil {
		return shown, nil, err
	}
	return shown, []providers.Message{
		{Role: providers.RoleUser, Content: Mark + " " + Name(&t) + " was cancelled by " + by + "."},
		turn.Assistant(t.Result),
	}, nil
}

// tasks lists the chat's tasks and says whether some are running.
func (h *commandLine) tasks(ctx context.Context) (some bool, shown string, err error) {
	running, recent, err := h.o.Tasks.Of(ctx, h.T.Info.Chat)
	if err != nil {
		return false, "", err
	}
	if len(running)+len(recent) == 0 {
		return false, textNoTasks, nil
	}
	var b strings.Builder
	const clock = "15:04 MST"
	b.WriteString(textRunningTasks)
	for i := range running {
		t := &running[i]
		fmt.Fprintf(&b, textRunningTask, t.Short(), titleOf(t), t.Started.Format(clock), t.Deadline.Format(clock))
		if h.o.Waits(t.ID) {
			b.WriteString(" (" + TextWaits + ")")
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
	return len(running) > 0, strings.TrimSpace(b.String()), nil
}

// titleOf is the title of a task in a list.
func titleOf(t *session.Task) string {
	title := fmt.Sprintf("%#q", t.Tool)
	if name := AgentName(t); name != "" {
		title += " “" + name + "”"
	}
	return title
}
