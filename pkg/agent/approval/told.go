package approval

import (
	"context"
	"fmt"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// Mark begins the message that tells the model of a decision.
func Mark(a *session.Approval) string {
	return fmt.Sprintf("[approval %s] %s decided on the call %s of %s(%s). ", a.ID, named.Person(a.Answer.By), a.Call.ID, a.Call.Tool,
		text.ClipBytes(a.Call.Arguments, 1000))
}

// Items are the one item by which the model reads of a decision.
func Items(t *turn.Turn, said string) []session.Item {
	return []session.Item{{Kind: session.ItemDecision, Address: t.Info.Address, Text: said, Time: t.Clock.Began}}
}

// GivenUp is the reply of a turn with an allowed call that took the process with it;
// false for a turn without one.
func (p *Approvals) GivenUp(ctx context.Context, t *turn.Turn, d Decision, reason string) (turn.Reply, bool) {
	a, err := p.o.Store.Approval(ctx, d.Approval)
	if err != nil || a.Answer.Turn != t.Info.ID {
		return turn.Reply{}, false
	}
	said := fmt.Sprintf(textLostBeforeCall, a.ID, a.Call.Tool)
	failure := tools.ErrorText(tools.ErrInterrupted, "the call was not run", nil)
	if ranAlready(t) {
		said = fmt.Sprintf(textLostInCall, a.ID, a.Call.Tool)
		failure = tools.ErrorText(tools.ErrInterrupted, "interrupted: it is unknown whether it took effect", nil)
	}
	p.o.OnEvent(Event{Approval: a, By: a.Answer.By, Outcome: GivenUp, Detail: "given up: " + said})
	return turn.Reply{Commit: session.Commit{
		Outcome: session.OutcomeQuarantined, Reason: reason,
		Messages: []providers.Message{
			{Role: providers.RoleUser, Content: Mark(&a) + "The outcome: " + failure}, turn.Assistant(said),
		},
	}, Text: said}, true
}

// ranAlready says whether an earlier attempt began the call.
func ranAlready(t *turn.Turn) bool {
	for i := range t.Info.Steps {
		if k := t.Info.Steps[i].Kind; k == session.StepBegun || k == session.StepEnded {
			return true
		}
	}
	return false
}
