package approval

import (
	"context"
	"errors"
	"time"

	"parley/pkg/agent/turn"
	"parley/pkg/session"
	"parley/pkg/text"
)

// decisionTurn is the turn of a decision in the chat that was asked.
type decisionTurn struct {
	turn.Message
	approvals *Approvals
	decision  Decision
}

// Kind is the row of turns of decisions.
func (p *Approvals) Kind() turn.Kind {
	return turn.Kind{
		Fits: func(info *session.TurnInfo) bool {
			_, ok := ParseDecision(&info.Items[0])
			return ok
		},
		Handler: func(t *turn.Turn) turn.Handler {
			d, _ := ParseDecision(&t.Info.Items[0])
			return &decisionTurn{Message: turn.Message{T: t}, approvals: p, decision: d}
		},
		Purpose: session.ForPeople, Start: session.StartSequel, Late: turn.WrittenLate,
	}
}

// Begin lets the model continue from the result of the stored call. A decision that does
// not count is answered without the model.
func (h *decisionTurn) Begin(ctx context.Context) (turn.Input, error) {
	if _, err := h.T.Admit(ctx); err != nil {
		return turn.Input{}, err
	}
	a, err := h.approvals.o.Store.Approval(ctx, h.decision.Approval)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return turn.Input{}, err
	}
	try := h.approvals.Attempt(h.T, h.decision, &a)
	switch {
	case err != nil, a.Chat != h.T.Origin.Chat:
		h.approvals.refuse(&session.Approval{
			ID: text.ClipBytes(h.decision.Approval, 64), Address: h.T.Info.Address, Call: session.HeldCall{Turn: h.T.Info.ID},
		}, try.decider(), "unknown")
		return turn.Input{}, turn.Done(h.T.Commit(ctx, turn.Reply{
			Commit: session.Commit{Outcome: session.OutcomeAnswered, Reason: "unknown approval"}, Text: textUnknownApproval,
		}))
	case a.Call.Tool == forgetCommand:
		return turn.Input{}, turn.Done(try.forget(ctx))
	case try.AllowedBefore():
		return h.goOn(ctx, try, try.Again)
	case a.Task != "":
		return turn.Input{}, turn.Done(h.handOn(ctx, try))
	}
	return h.goOn(ctx, try, func(ctx context.Context) (Verdict, error) { return try.Take(ctx, time.Now(), "") })
}

// goOn returns the model's text about a call that is allowed, and commits any other
// verdict.
func (h *decisionTurn) goOn(ctx context.Context, try *Attempt, decide func(context.Context) (Verdict, error)) (turn.Input, error) {
	v, err := decide(ctx)
	if err != nil {
		return turn.Input{}, err
	}
	if v.Kind == CallRuns {
		return try.Input(), nil
	}
	return turn.Input{}, turn.Done(h.T.Commit(ctx, try.closed(v)))
}

// Reply names the call that took the process with it.
func (h *decisionTurn) Reply(ctx context.Context, e *turn.Result) (turn.Reply, error) {
	if e.Kind == turn.Lost {
		if re, ok := h.approvals.GivenUp(ctx, h.T, h.decision, e.Reason); ok {
			return re, nil
		}
	}
	return h.Message.Reply(ctx, e)
}
