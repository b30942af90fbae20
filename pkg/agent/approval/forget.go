package approval

import (
	"context"
	"fmt"
	"time"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// forgetCommand stands for the tool in the question of /forget. No tool has such a name.
const forgetCommand = "/forget"

// Forget is a chat that its person wants to be forgotten, as they have confirmed.
type Forget struct {
	// Session is the present conversation of the chat.
	Session string
	// Question is the message that asked; it is to be finished by the message that tells the end.
	Question string
	// Turn is that of their answer.
	Turn string
	// Shared says that the chat uses the space of the owners.
	Shared bool
}

// AskForget answers /forget: it puts the question whether to forget the chat. In a group only owners
// are asked.
func (p *Approvals) AskForget(ctx context.Context, t *turn.Turn, _ string) (turn.Reply, error) {
	re := turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}}
	if why := mayForget(t); why != "" {
		re.Text = why
		return re, nil
	}
	all, err := p.o.Store.ApprovalList(ctx, t.Info.Chat)
	if err != nil {
		return re, err
	}
	for i := range all {
		if a := &all[i]; a.Call.Tool == forgetCommand && a.State == session.ApprovalOpen && !Lapsed(a, time.Now()) {
			re.Text = textForgetAsked
			return re, nil
		}
	}
	now := time.Now()
	a := session.Approval{
		ID: policy.NewPairingCode(), Chat: t.Info.Chat, Session: t.Info.Session, Address: t.Info.Address,
		Text: textForgetText, Question: session.QuestionID(t.Info.ID, forgetCommand), Principal: t.Principal.Stored(t.Provenance),
		Call:  session.HeldCall{Turn: t.Info.ID, ID: t.Info.ID, Tool: forgetCommand, Arguments: "{}"},
		Wish:  turn.Wish(t).Lasting(),
		Asked: now, Expires: now.Add(Time), State: session.ApprovalOpen,
	}
	if t.Principal.SharesSpace() {
		a.Text += textForgetShared
	}
	o := t.Outbound(a.Question, fmt.Sprintf(textForgetQuestion, a.Text, a.ID, a.Expires.Format("15:04:05 MST")), "")
	o.Buttons = buttons(&a)
	surface := t.Deps.Surfaces.At(o.Address)
	if w := turn.Wish(t); w != nil && w.NoQuestions {
		re.Text = fmt.Sprintf(textForgetUnasked, textForgetProgram)
		return re, nil
	}
	if err := surface.MayAsk(o); err != nil {
		re.Text = fmt.Sprintf(textForgetUnasked, err)
		return re, nil
	}
	re.Approvals, re.Outbox = []session.Approval{a}, []channels.Outbound{o}
	p.Asked(&a)
	return re, nil
}

// mayForget says why the person of a turn may not have its chat forgotten; "" where they may.
func mayForget(t *turn.Turn) string {
	if t.Principal.Direct || t.Principal.Owner {
		return ""
	}
	return textForgetOwners
}

// forget carries a decision on the question of /forget out. The chat is told by the forgetting itself: the
// turn goes with the chat.
func (try *Attempt) forget(ctx context.Context) error {
	a, t, by := try.approval, try.t, try.decider()
	if try.AllowedBefore() { // the forget may have begun, and is not taken back
		return try.forgetNow(ctx)
	}
	why := try.decision.refusal(a, &t.Principal)
	if why == "" && !try.decision.Operator {
		why = mayForget(t)
	}
	if why != "" {
		try.approvals.refuse(a, by, why)
		return t.Commit(ctx, turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}, Text: why})
	}
	a.Answer = session.ApprovalAnswer{By: by, At: time.Now(), Turn: t.Info.ID}
	v := Verdict{Kind: Closes, Text: fmt.Sprintf(textForgetDenied, named.Person(by))}
	switch {
	case Lapsed(a, time.Now()):
		try.approvals.void(a, by, t.Info.ID, tooLate(a))
		v.Text = textForgetLate
	case try.decision.answer == denyCall:
		a.State = session.ApprovalDenied
		try.approvals.o.OnEvent(Event{Approval: *a, By: by, Outcome: Denied, Detail: "denied"})
	default:
		a.State = session.ApprovalAllowed
		if err := t.Record(ctx, session.Step{Kind: session.StepDecided, Await: true, Approvals: []session.Approval{*a}}); err != nil {
			return err
		}
		try.approvals.o.OnEvent(Event{Approval: *a, By: by, Outcome: Allowed, Detail: "allowed " + textOnce})
		return try.forgetNow(ctx)
	}
	re := try.closed(v)
	re.Messages = []providers.Message(nil) // the model has no part in it
	return t.Commit(ctx, re)
}

// forgetNow forgets the chat. An error says that the turn is to run again, or went with the chat.
func (try *Attempt) forgetNow(ctx context.Context) error {
	t := try.t
	f := Forget{Session: t.Info.Session, Question: try.approval.Question, Turn: t.Info.ID, Shared: t.Principal.SharesSpace()}
	if err := try.approvals.o.Forget(ctx, f); err != nil {
		return err
	}
	return session.ErrForgotten
}
