package agent

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/pkg/agent/progress"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// newPreview starts what shows the turn's progress. The chat of a background agent sees
// its report alone.
func (r *run) newPreview(ctx context.Context) *progress.Preview {
	var s progress.Surface
	if r.task == nil {
		s = r.a.o.Surfaces.At(r.info.Address).Surface
	}
	return progress.NewPreview(ctx, progress.Turn{
		ID: r.info.ID, Address: r.info.Address, Surface: s, Live: r.live, Open: r.openMessage,
		Receipt: r.a.o.Engine.Outbox().Receipt, Hides: r.mayBeNoNews, Redact: r.a.o.Redact, Log: &r.a.o.Log,
	})
}

// openMessage opens the turn's message number n, which shows a growing answer.
func (r *run) openMessage(ctx context.Context, n int, text string) (string, error) {
	out := r.outbound(r.info.ID+"/preview/"+strconv.Itoa(n), text, "")
	out.Preview = true
	step := session.Step{Kind: session.StepShown, Outbox: []channels.Outbound{out}, Await: true}
	return out.ID, r.steps.record(context.WithoutCancel(ctx), step) // a message that is begun has an end
}

// closing is what finishes the open message of a turn that has nothing to say:
// the newest words of the turn that stand nowhere else.
func (r *run) closing(messages []providers.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		text := strings.TrimSpace(m.Content)
		if m.Role == providers.RoleAssistant && text != "" && text != noReply && !r.outgoing.has(text) {
			return text
		}
	}
	if r.ends != "" {
		return r.ends
	}
	return textNoAnswer
}

// takeOver lets the turn that reads the result of a task finish the message that
// showed how far it was, whatever it says, also NO_REPLY.
func (r *run) takeOver(ctx context.Context) error {
	it := &r.info.Items[0]
	if it.Kind != session.ItemTask {
		return nil
	}
	t, err := r.a.o.Engine.Tasks().Task(ctx, it.TaskID)
	if errors.Is(err, session.ErrNotFound) || err == nil && t.Status == "" {
		return nil
	}
	if err != nil {
		return err
	}
	r.live = progress.NewLiveMessage(r.info.Steps, t.Status)
	r.ends = fmt.Sprintf(textTaskOver, taskName(&t), t.State)
	return nil
}

// mayBeNoNews tells whether an answer that begins so may turn out to say nothing new: it
// is not shown as long as it may. The text is given as it is and redacted.
func (r *run) mayBeNoNews(text, redacted string) bool {
	text, redacted = strings.TrimSpace(text), strings.TrimSpace(redacted)
	if strings.HasPrefix(noReply, text) || r.in.blank != nil && r.in.blank(text) {
		return true
	}
	return r.outgoing.begins(text, redacted)
}

// showProgress takes a line of a task's progress. It never waits for a channel.
func (a *Agent) showProgress(id, line string) {
	line = strings.Join(strings.Fields(a.o.Redact(line)), " ")
	ts := &a.tasks
	ts.mu.Lock()
	defer ts.mu.Unlock()
	w := ts.open[id]
	if w == nil || !w.away || w.ctx.Err() != nil || w.task.Waited || line == "" || time.Since(w.task.Started) < progress.StatusAfter {
		return
	}
	if w.status == nil {
		w.status = progress.NewTaskStatus(w.ctx, progress.Task{
			Task: &w.task, Surface: a.o.Surfaces.At(w.task.Address).Surface, Redact: a.o.Redact, Log: &a.o.Log,
			Show: a.o.Engine.Tasks().ShowTask, Receipt: a.o.Engine.Outbox().Receipt,
		}, line)
		ts.wg.Go(w.status.Run) // before stop: the work's context has not ended
		return
	}
	w.status.Say(line)
}

// stopProgress ends what shows the progress of a task, and waits until nothing more is
// shown.
func (a *Agent) stopProgress(id string) {
	ts := &a.tasks
	ts.mu.Lock()
	w := ts.open[id]
	if w == nil {
		ts.mu.Unlock()
		return
	}
	w.away = false // nothing is shown of it from here on
	s := w.status
	ts.mu.Unlock()
	if s != nil {
		s.End()
	}
}
