package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// Assistant is a message of the assistant in the history.
func Assistant(said string) providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Content: said}
}

// End ends the turn as its kind says.
func (t *Turn) End(ctx context.Context, res *Result) error {
	re, err := t.handler.Reply(ctx, res)
	if errors.Is(err, ErrDone) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.Commit(ctx, re)
}

// Failure is the result of a turn that has no answer: a reason for the record, and a
// sentence that tells the person why.
func (t *Turn) Failure(messages []providers.Message, reason, person string) *Result {
	if messages == nil {
		messages = slices.Clone(t.Input.Words)
	}
	if messages == nil {
		messages = t.UserMessages(t.Info.Items, nil)
	}
	reason = t.Deps.Redact(reason)
	t.Log().Error().Str("reason", reason).Msg("turn failed")
	t.live.told.Fails(events.CodeFailed, person)
	return &Result{Kind: Failed, Messages: messages, Reason: reason, Person: person}
}

// LimitText is the person's text about a turn at the limit of its chat.
func (res *Result) LimitText() string {
	if !res.Acted {
		return res.Limit.PersonMessage()
	}
	return fmt.Sprintf(textLimitInside, res.Limit.PersonMessage())
}

// CutOff tells why an answer is not complete; "" where it is.
func CutOff(res *tools.ToolLoopResult) string {
	why := ""
	switch res.FinishReason {
	case providers.FinishLength:
		why += textCutOff
	case providers.FinishContentFilter:
		why += textFilteredEnd
	}
	if res.LimitReached {
		why += fmt.Sprintf(textStepsNote, res.Iterations-1)
	}
	return why
}

// Filtered is the reason for which a provider gave no text, and the person's text about
// it.
func Filtered() (reason, person string) {
	return "content filter", (&providers.Error{Kind: providers.KindFiltered}).PersonMessage()
}

// Unanswered is the reply of a turn of which the person is told why there is no answer.
func Unanswered(messages []providers.Message, reason, person string) Reply {
	return Reply{Commit: session.Commit{
		Outcome: session.OutcomeFailed, Reason: text.ClipBytes(reason, 500),
		Messages: append(messages, Assistant(person)),
	}, Text: person, Dated: true}
}

// Commit ends the turn, after everything that it shows has ended.
func (t *Turn) Commit(ctx context.Context, re Reply) error {
	t.live.preview.Close()
	if err := t.Tasks.drop(ctx, t.Deps.Tasks); err != nil {
		return err
	}
	return t.handler.Commit(ctx, re)
}

// Outbound makes one message to the turn's chat. Its text has been through the outbound
// filter.
func (t *Turn) Outbound(id, said, draft string) channels.Outbound {
	o := channels.Outbound{
		ID: id, Address: t.Origin.Address, Text: t.Deps.Redact(said), Draft: draft, Unasked: unasked(t), Time: time.Now(),
	}
	if o.Unasked == "" {
		o.Asked = t.Info.Items[0].Time
	}
	if last := t.Info.Items[len(t.Info.Items)-1]; last.Inbound != nil && !last.Inbound.Direct {
		o.ReplyTo = last.Inbound.MessageID
	}
	return o
}

// unasked names the author of the turn's messages where no person waits for them.
func unasked(t *Turn) channels.Unasked {
	select {
	case <-t.Info.Awaited:
		return ""
	default:
		return t.kind.Unasked
	}
}
