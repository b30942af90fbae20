package agent

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"parley/pkg/agent/progress"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/task"
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
		if m.Role == providers.RoleAssistant && text != "" && text != prompt.NoReply && !r.outgoing.has(text) {
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
	r.ends = fmt.Sprintf(textTaskOver, task.Name(&t), t.State)
	return nil
}

// mayBeNoNews tells whether an answer that begins so may turn out to say nothing new: it
// is not shown as long as it may. The text is given as it is and redacted.
func (r *run) mayBeNoNews(text, redacted string) bool {
	text, redacted = strings.TrimSpace(text), strings.TrimSpace(redacted)
	if strings.HasPrefix(prompt.NoReply, text) || r.in.blank != nil && r.in.blank(text) {
		return true
	}
	return r.outgoing.begins(text, redacted)
}
