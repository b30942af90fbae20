package agent

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// noReply is the answer that sends nothing.
const noReply = "NO_REPLY"

// stoppedText is what a person is told when /stop ended a turn.
const stoppedText = "Stopped."

func (r *run) log() *zerolog.Logger {
	l := r.a.o.Log.With().Str("turn", r.info.ID).Str("session", r.info.Session).Logger()
	return &l
}

// logUse begins the line that tells what a turn took.
func (r *run) logUse() *zerolog.Event {
	u := r.usage.Used()
	e := r.log().Info().Dur("took", time.Since(r.began)).Int("read", u.Input).Int("written", u.Output)
	if u.Money > 0 {
		e = e.Str("money", budget.Money(u.Money, r.a.o.Currency))
	}
	return e
}

func assistant(text string) providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Content: text}
}

// finish commits a turn that the model brought to its end.
func (r *run) finish(ctx context.Context, messages []providers.Message, res *tools.ToolLoopResult, out asked) error {
	text := strings.TrimSpace(res.Content)
	c := session.Commit{Outcome: session.OutcomeAnswered, Messages: messages, CompactTo: out.compactTo}
	if r.task != nil {
		return r.finishAgent(ctx, c, res)
	}
	switch {
	case res.Asked: // what there is to say stands in the question
		return r.commit(ctx, c, "")
	case r.beatsQuietly(text):
		return r.commit(ctx, r.quietBeat(c), "")
	case text == noReply:
		if r.principal.Person && !r.sentAnything() {
			text = "I have nothing to add."
		} else {
			text = ""
		}
	case text == "":
		if reason, person := r.blank(res); reason != "" {
			return r.fail(ctx, messages, reason, person)
		}
		text = r.rawReport()
	case r.wasSent(text):
		text = ""
	}
	if text != "" && res.FinishReason == providers.FinishLength {
		text += "\n\n(The answer was cut off: it reached the model's length limit.)"
	}
	if text != "" && res.LimitReached {
		text += fmt.Sprintf("\n\n(I stopped after %d steps, the limit for one answer.)", res.Iterations-1)
	}
	return r.commit(ctx, c, r.withAge(text))
}

// blank gives the reason why an answer has no text, and what the person is told;
// "" where that is well.
func (r *run) blank(res *tools.ToolLoopResult) (reason, person string) {
	switch {
	case res.FinishReason == providers.FinishContentFilter:
		return "content filter", (&providers.Error{Kind: providers.KindFiltered}).PersonMessage()
	case !r.principal.Person && r.job() == nil:
		return "", ""
	case res.LimitReached:
		return "step limit", fmt.Sprintf("I stopped after %d steps, the limit for one answer, and have none yet.", res.Iterations-1)
	case !r.sentAnything():
		return "empty answer", "The model gave an empty answer. Please try again or put it differently."
	default:
		return "", ""
	}
}

// fail commits a turn that has no answer; the person is told why in one sentence.
func (r *run) fail(ctx context.Context, messages []providers.Message, reason, person string) error {
	if messages == nil {
		messages = r.userMessages(r.info.Items, nil)
	}
	reason = r.a.o.Redact(reason)
	person = r.jobFailure(ctx, person)
	if report := r.rawReport(); report != "" {
		person += "\n\n" + report
	}
	r.log().Error().Str("reason", reason).Msg("turn failed")
	return r.unanswered(ctx, messages, reason, person)
}

// unanswered commits a turn of which the person is told why there is no answer.
func (r *run) unanswered(ctx context.Context, messages []providers.Message, reason, person string) error {
	return r.commit(ctx, session.Commit{
		Outcome: session.OutcomeFailed, Reason: cut(reason, 500),
		Messages: append(messages, assistant(person)),
	}, r.withAge(person))
}

// commit ends the turn; text, when not empty, is its last message to the chat.
func (r *run) commit(ctx context.Context, c session.Commit, text string) error {
	r.preview.close()
	if err := r.dropTasks(ctx); err != nil {
		return err
	}
	if r.task != nil {
		return r.endAgent(ctx, c, text)
	}
	c.Spent = r.usage.Spent()
	open := r.opened.current()
	if r.closes != "" {
		open = r.closes
	}
	if text == "" && open != "" {
		text = r.closing(c.Messages)
	}
	if c.Ran == nil {
		c.Ran = r.ran(&c)
	}
	c.Messages = r.historyForm(c.Messages)
	c.Approvals = append(c.Approvals, r.stained()...)
	if text != "" {
		o := r.outbound(r.info.ID+"/final/0", text, r.preview.id())
		o.Finishes, o.Aged = open, r.info.Items[0].Kind == session.ItemTask
		c.Outbox = append(c.Outbox, o)
	}
	return r.commitJob(ctx, c)
}

// outbound makes one message to this chat. Its text has been through the outbound filter.
func (r *run) outbound(id, text, draft string) channels.Outbound {
	o := channels.Outbound{
		ID: id, Address: r.home, Text: r.a.o.Redact(text), Draft: draft, Unasked: r.unasked(), Time: time.Now(),
	}
	if o.Unasked == "" {
		o.Asked = r.info.Items[0].Time
	}
	if last := r.info.Items[len(r.info.Items)-1]; last.Inbound != nil && !last.Inbound.Direct {
		o.ReplyTo = last.Inbound.MessageID
	}
	return o
}

// historyForm leaves out what history has no use for, and every secret: what is
// stored goes into later prompts.
func (r *run) historyForm(messages []providers.Message) []providers.Message {
	out := make([]providers.Message, 0, len(messages))
	for i := range messages {
		if messages[i].Role == providers.RoleSystem {
			continue
		}
		m := messages[i]
		m.Content, m.Reasoning = r.a.o.Redact(m.Content), r.a.o.Redact(m.Reasoning)
		out = append(out, m)
	}
	return out
}

// noteSent remembers a text that leaves in this turn and returns the number of
// the message among those of its call.
func (r *run) noteSent(key, text string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent[strings.TrimSpace(text)] = true
	n := r.seq[key]
	r.seq[key]++
	return n
}

func (r *run) wasSent(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent[text]
}

func (r *run) sentAnything() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.sent) > 0
}

// callKey names a call within a turn: the same when the turn is resumed.
func callKey(round, index int) string {
	return strconv.Itoa(round) + "/" + strconv.Itoa(index)
}

// cut shortens a text to at most n bytes at a rune's edge.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
