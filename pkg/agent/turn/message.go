package turn

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"parley/pkg/agent/prompt"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// Message is the turn of messages that people wrote. The handlers of other kinds embed it
// for the methods in which they are like it.
type Message struct{ T *Turn }

var _ Handler = (*Message)(nil)

// NewMessage is the handler of a plain message.
func NewMessage(t *Turn) Handler { return &Message{t} }

// Enter waits for one of the places of turns that a person waits for.
func (h *Message) Enter(ctx context.Context) (leave func(), err error) {
	return h.T.Wait(ctx, h.T.Deps.Places, nil)
}

// Begin lets the model read the messages of people with the right to write here.
func (h *Message) Begin(ctx context.Context) (Input, error) {
	items, err := h.T.Admit(ctx)
	if err != nil {
		return Input{}, err
	}
	h.T.Take(items)
	return Input{Items: items}, nil
}

// Offers all tools.
func (h *Message) Offers(string) bool { return true }

// Reply is the end of a turn of a kind without a rule of its own.
func (h *Message) Reply(ctx context.Context, res *Result) (Reply, error) {
	switch res.Kind {
	case Finished:
		return h.finished(ctx, res)
	case Limited:
		return Unanswered(res.Messages, res.Limit.Error(), res.LimitText()), nil
	case Refused:
		return Reply{Commit: session.Commit{Outcome: session.OutcomeFailed, Reason: res.Reason}}, nil
	case Lost:
		return h.SetAside(res, setAside(allItems(h.T))), nil
	default:
		return Unanswered(res.Messages, res.Reason, res.Person), nil
	}
}

// SetAside is the reply of a turn that took three processes with it.
func (h *Message) SetAside(res *Result, text string) Reply {
	return Reply{Commit: session.Commit{
		Outcome: session.OutcomeQuarantined, Reason: res.Reason,
		Messages: append(h.T.UserMessages(allItems(h.T), nil), Assistant(text)),
	}, Text: text}
}

// finished is the reply of a turn that the model brought to its end.
func (h *Message) finished(ctx context.Context, e *Result) (Reply, error) {
	r, res, text := h.T, e.Loop, strings.TrimSpace(e.Loop.Content)
	re := Reply{Commit: session.Commit{
		Outcome: session.OutcomeAnswered, Messages: e.Messages,
	}, Dated: true, Loop: res}
	switch {
	case res.Asked, len(res.Caller) > 0: // the words stand in the question, or beside the call
		return re, nil
	case text == prompt.NoReply:
		if !r.Principal.Person || r.outgoing.any() {
			return re, nil
		}
		text = textNothingToAdd
		if last := &e.Messages[len(e.Messages)-1]; strings.TrimSpace(last.Content) == prompt.NoReply {
			last.Content = text // the history has what the person reads
		}
	case text == "":
		if reason, person := h.noText(res); reason != "" {
			return r.handler.Reply(ctx, r.Failure(e.Messages, reason, person))
		}
		return re, nil
	case r.outgoing.has(text):
		return re, nil
	}
	re.Text = text + CutOff(res)
	return re, nil
}

// noText gives the reason for an answer without text, and the person's text about it;
// "" where that is well.
func (h *Message) noText(res *tools.ToolLoopResult) (reason, person string) {
	switch {
	case res.FinishReason == providers.FinishContentFilter:
		return Filtered()
	case res.LimitReached:
		return "step limit", fmt.Sprintf(textSteps, res.Iterations-1)
	case !h.T.outgoing.any():
		return "empty answer", textEmptyAnswer
	default:
		return "", ""
	}
}

// Commit stores the end of a turn that speaks to its chat.
func (h *Message) Commit(ctx context.Context, re Reply) error {
	r, c, text := h.T, re.Commit, re.Text
	if re.Dated {
		text = r.late.note(r.kind.Late, text)
	}
	c.Spent, c.Program = r.Usage.Spent(), program(r, re.Loop)
	open := r.live.message.Current()
	if re.Finishes != "" {
		open = re.Finishes
	}
	if text == "" && open != "" {
		text = r.live.closing(c.Messages)
	}
	Keep(r, &c)
	c.Approvals = append(c.Approvals, r.Questions.Tainted(r.Provenance)...)
	if text != "" {
		o := r.Outbound(cmp.Or(re.ID, r.Info.ID+"/final/0"), text, r.live.preview.ID())
		o.Finishes, o.Aged = open, re.Aged
		c.Outbox = append(c.Outbox, o)
		r.live.told.Leaves(o.ID, o.Text)
	}
	return r.Stored.Commit(ctx, c)
}
