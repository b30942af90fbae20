package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/budget"
	"parley/pkg/agent/prompt"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// saidStopped reports whether the chat was already told that the /stop with this item's id
// ended a turn.
func (r *run) saidStopped(ctx context.Context, stop string) bool {
	look, cancel := context.WithCancel(ctx)
	cancel() // a message that is still queued counts: do not wait until it is delivered
	_, err := r.a.o.Engine.Outbox().Receipt(look, session.StopAnswerID(stop))
	return !errors.Is(err, session.ErrNotFound)
}

func (r *run) log() *zerolog.Logger {
	l := r.a.o.Log.With().Str("turn", r.info.ID).Str("session", r.info.Session).Logger()
	return &l
}

// logUse begins the line that tells what a turn took.
func (r *run) logUse() *zerolog.Event {
	u := r.usage.Used()
	e := r.log().Info().Dur("took", time.Since(r.began)).Int("read", u.Input).Int("written", u.Output)
	if u.Money > 0 {
		e = e.Str("money", budget.Money(u.Money, r.a.o.Budgets.Currency))
	}
	return e
}

func assistant(text string) providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Content: text}
}

// end ends the turn as its kind says.
func (r *run) end(ctx context.Context, e *ending) error {
	re, err := r.handler.reply(ctx, e)
	if errors.Is(err, errDone) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.commit(ctx, re)
}

// fail ends a turn that has no answer; the person is told why in one sentence.
func (r *run) fail(ctx context.Context, messages []providers.Message, reason, person string) error {
	return r.end(ctx, r.failure(messages, reason, person))
}

// failure is the ending of a turn that has no answer.
func (r *run) failure(messages []providers.Message, reason, person string) *ending {
	if messages == nil {
		messages = r.userMessages(r.info.Items, nil)
	}
	reason = r.a.o.Redact(reason)
	r.log().Error().Str("reason", reason).Msg("turn failed")
	return &ending{how: endFailed, messages: messages, reason: reason, person: person}
}

// usualReply is how a turn ends where its kind has no rule of its own.
func (r *run) usualReply(ctx context.Context, e *ending) (reply, error) {
	switch e.how {
	case endFinished:
		return r.finished(ctx, e)
	case endLimited:
		return unanswered(e.messages, e.limit.Error(), e.limitText()), nil
	case endRefused:
		return reply{Commit: session.Commit{Outcome: session.OutcomeFailed, Reason: e.reason}}, nil
	case endLost:
		return r.setAside(e, textSetAside), nil
	default:
		return unanswered(e.messages, e.reason, e.person), nil
	}
}

// setAside is the reply of a turn that took three processes with it.
func (r *run) setAside(e *ending, text string) reply {
	return reply{Commit: session.Commit{
		Outcome: session.OutcomeQuarantined, Reason: e.reason,
		Messages: append(r.userMessages(r.info.Items, nil), assistant(text)),
	}, text: text}
}

// finished is the reply of a turn that the model brought to its end.
func (r *run) finished(ctx context.Context, e *ending) (reply, error) {
	res, text := e.loop, strings.TrimSpace(e.loop.Content)
	re := reply{Commit: session.Commit{Outcome: session.OutcomeAnswered, Messages: e.messages, CompactTo: e.compactTo}, dated: true}
	switch {
	case res.Asked: // what there is to say stands in the question
		return re, nil
	case text == prompt.NoReply:
		if !r.principal.Person || r.outgoing.any() {
			return re, nil
		}
		text = textNothingToAdd
	case text == "":
		if reason, person := r.noText(res); reason != "" {
			return r.handler.reply(ctx, r.failure(e.messages, reason, person))
		}
		return re, nil
	case r.outgoing.has(text):
		return re, nil
	}
	re.text = text + cutOff(res)
	return re, nil
}

// cutOff tells why an answer is not complete; "" where it is.
func cutOff(res *tools.ToolLoopResult) string {
	text := ""
	if res.FinishReason == providers.FinishLength {
		text += textCutOff
	}
	if res.LimitReached {
		text += fmt.Sprintf(textStepsNote, res.Iterations-1)
	}
	return text
}

// noText gives the reason why an answer has no text, and what the person is told;
// "" where that is well.
func (r *run) noText(res *tools.ToolLoopResult) (reason, person string) {
	switch {
	case res.FinishReason == providers.FinishContentFilter:
		return filtered()
	case res.LimitReached:
		return "step limit", fmt.Sprintf(textSteps, res.Iterations-1)
	case !r.outgoing.any():
		return "empty answer", textEmptyAnswer
	default:
		return "", ""
	}
}

// filtered is why a provider gave no text, and what the person is told of it.
func filtered() (reason, person string) {
	return "content filter", (&providers.Error{Kind: providers.KindFiltered}).PersonMessage()
}

// unanswered is the reply of a turn of which the person is told why there is no answer.
func unanswered(messages []providers.Message, reason, person string) reply {
	return reply{Commit: session.Commit{
		Outcome: session.OutcomeFailed, Reason: text.ClipBytes(reason, 500),
		Messages: append(messages, assistant(person)),
	}, text: person, dated: true}
}

// commit ends the turn, after everything that it shows has ended.
func (r *run) commit(ctx context.Context, re reply) error {
	r.preview.Close()
	if err := r.dropTasks(ctx); err != nil {
		return err
	}
	return r.handler.commit(ctx, re)
}

// commitToChat commits a turn that speaks to its chat.
func (r *run) commitToChat(ctx context.Context, re reply) error {
	c, text := re.Commit, re.text
	if re.dated {
		text = r.withAge(text)
	}
	c.Spent = r.usage.Spent()
	open := r.live.Current()
	if re.finishes != "" {
		open = re.finishes
	}
	if text == "" && open != "" {
		text = r.closing(c.Messages)
	}
	c.Messages = r.historyForm(c.Messages)
	c.Approvals = append(c.Approvals, r.gate.stained()...)
	if text != "" {
		o := r.outbound(cmp.Or(re.id, r.info.ID+"/final/0"), text, r.preview.ID())
		o.Finishes, o.Aged = open, re.aged
		c.Outbox = append(c.Outbox, o)
	}
	return r.t.Commit(ctx, c)
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

// limitText is what a person is told of a turn at the limit of its chat.
func (e *ending) limitText() string {
	if !e.acted {
		return e.limit.PersonMessage()
	}
	return fmt.Sprintf(textLimitInside, e.limit.PersonMessage())
}

// dayNotice is a message that leaves once a day in a chat for each purpose and limit.
func (r *run) dayNotice(text string, l *budget.LimitError) channels.Outbound {
	return r.outbound(r.usage.NoticeID(l), text, "")
}

// newUsage is the account of the turn, which counts in the chat that it works for.
func (r *run) newUsage() *budget.TurnUsage {
	return r.a.meter.Turn(budget.Turn{
		Chat: r.info.Chat, Payer: r.home, Purpose: r.kind.purpose, Began: r.wall, Zone: r.location,
		Steps: r.info.Steps, Free: r.free(), Log: r.log,
	})
}

// free says that no model is asked: /tool calls exactly one tool.
func (r *run) free() bool {
	it := &r.info.Items[0]
	return r.a.o.Model.Direct != nil && it.Inbound != nil && isToolCommand(it.Inbound.Text)
}
