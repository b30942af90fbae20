package command

import (
	"context"

	"parley/pkg/agent/prompt"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
)

// retryCommand asks the last question again.
const retryCommand = "retry"

// noteRetry is the model's text about a question that is asked again.
const noteRetry = "The person asks the question that follows again, because the last answer did not serve. The calls above were made, " +
	"and their results hold: make no call again that has had its effect."

// RetryKind is the row of turns that ask the last question again. Such a turn is a message's turn:
// the model sees the earlier one, with its calls and results, and no call of that is run again.
func RetryKind(o Options) turn.Kind {
	return turn.Kind{
		Fits: func(info *session.TurnInfo) bool {
			it := &info.Items[0]
			return it.Inbound != nil && Name(it.Inbound.Text) == retryCommand
		},
		Handler: func(t *turn.Turn) turn.Handler { return &retryTurn{Message: turn.Message{T: t}, o: &o} },
		Purpose: session.ForPeople, Late: turn.WrittenLate,
	}
}

// retryTurn is a turn on the last question of its conversation.
type retryTurn struct {
	turn.Message
	o *Options
}

// Begin lets the model read the question again. Content from outside in the earlier exchange taints
// the turn, and so does a question of somebody else.
func (h *retryTurn) Begin(ctx context.Context) (turn.Input, error) {
	items, err := h.T.Admit(ctx)
	if err != nil {
		return turn.Input{}, err
	}
	h.T.Take(items)
	_, arg, _ := Read(items[0].Inbound.Text)
	if said := surplus(h.T, retryCommand, arg); said != "" {
		return turn.Input{}, turn.Done(h.T.Commit(ctx, turn.Reply{
			Commit: session.Commit{Outcome: session.OutcomeAnswered}, Text: said,
		}))
	}
	c := conversation{t: h.T, o: h.o}
	x, err := last(c.reader(ctx, h.o.Sessions.Tail, h.T.Info.Session), func(x *prompt.Exchange) bool {
		return !x.Scheduled && len(x.Asked) > 0
	})
	if err != nil {
		return turn.Input{}, err
	}
	if x == nil {
		return turn.Input{}, turn.Done(h.T.Commit(ctx, turn.Reply{
			Commit: session.Commit{Outcome: session.OutcomeAnswered}, Text: textNothingToRetry,
		}))
	}
	own, err := isOwn(ctx, h.T, h.o, x)
	if err != nil {
		return turn.Input{}, err
	}
	if x.Outside || !own {
		h.T.Provenance.Taint()
	} else {
		for i := range x.Asked {
			h.T.Provenance.AddNamed(x.Asked[i].Content)
		}
	}
	return turn.Input{Items: items, Words: prompt.Again(x.Asked, h.T.Space), Note: noteRetry}, nil
}

// Reply leaves the command itself out of the history: it is no question.
func (h *retryTurn) Reply(ctx context.Context, res *turn.Result) (turn.Reply, error) {
	re, err := h.Message.Reply(ctx, res)
	if h.T.Input.Words == nil {
		re.Messages = nil
	}
	return re, err
}
