package turn

import (
	"context"
	"strconv"
	"strings"

	"parley/pkg/agent/caller"
	"parley/pkg/agent/progress"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/telling"
	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// liveAnswer shows a turn's answer while it grows.
type liveAnswer struct {
	t       *Turn
	preview *progress.Preview
	message *progress.LiveMessage
	ends    string // the text of a turn without words that takes over a task's message; "" for most
	told    telling.Telling
}

func newLiveAnswer(t *Turn) liveAnswer {
	return liveAnswer{t: t, message: progress.NewLiveMessage(t.Info.Steps, "")}
}

// tell begins to tell the readers of the chat what the turn does. The conversation of a background
// agent has none.
func (l *liveAnswer) tell() {
	t := l.t
	if t.Info.Address.Channel == session.AgentChannel {
		return
	}
	own := func(tool string) bool { return caller.Runs(Wish(t), tool) }
	l.told.Begin(t.Deps.Surfaces.At(t.Info.Address).Events, &t.Info, own)
}

// toldEnd tells those readers that the turn is committed, or with an error that it will run again.
func (l *liveAnswer) toldEnd(err error) {
	used := l.t.Usage.Used()
	l.told.End(events.Usage{Input: used.Input, Output: used.Output}, err)
}

// show starts the display of the turn's progress. The chat of a background agent sees
// its report alone.
func (l *liveAnswer) show(ctx context.Context) {
	t := l.t
	var s progress.Surface
	if t.Input.Task == nil {
		s = t.Deps.Surfaces.At(t.Info.Address).Surface
	}
	l.preview = progress.NewPreview(ctx, progress.Turn{
		ID: t.Info.ID, Address: t.Info.Address, Surface: s, Live: l.message, Open: l.open,
		Receipt: t.Deps.Store.Receipt, Hides: l.mayBeNoNews, Redact: t.Deps.Redact, Log: &t.Deps.Log,
	})
}

// open opens the turn's message number n, which shows a growing answer.
func (l *liveAnswer) open(ctx context.Context, n int, text string) (string, error) {
	out := l.t.Outbound(l.t.Info.ID+"/preview/"+strconv.Itoa(n), text, "")
	out.Preview = true
	step := session.Step{Kind: session.StepShown, Outbox: []channels.Outbound{out}, Await: true}
	return out.ID, l.t.Record(context.WithoutCancel(ctx), step) // a message that is begun has an end
}

// closing finishes the open message of a turn without words: with the newest words of
// the turn that stand in no other message.
func (l *liveAnswer) closing(messages []providers.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		text := strings.TrimSpace(m.Content)
		if m.Role == providers.RoleAssistant && text != "" && text != prompt.NoReply && !l.t.outgoing.has(text) {
			return text
		}
	}
	if l.ends != "" {
		return l.ends
	}
	return textNoAnswer
}

// mayBeNoNews tells whether an answer that begins so may turn out to be empty of news:
// it is not shown as long as it may. The text is given as it is and redacted.
func (l *liveAnswer) mayBeNoNews(text, redacted string) bool {
	text, redacted = strings.TrimSpace(text), strings.TrimSpace(redacted)
	if strings.HasPrefix(prompt.NoReply, text) || //nolint:gocritic // argOrder: the answer may be the beginning of the word
		l.t.Input.Blank != nil && l.t.Input.Blank(text) {
		return true
	}
	return l.t.outgoing.begins(text, redacted)
}

// TakesOver lets the turn finish a message that showed how far a task was, whatever the
// turn says. Ends is the text for a turn without words.
func (t *Turn) TakesOver(message, ends string) {
	t.live.message, t.live.ends = progress.NewLiveMessage(t.Info.Steps, message), ends
}
