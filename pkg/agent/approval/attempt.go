package approval

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// grantTime is how long a grant lasts.
const grantTime = 24 * time.Hour

// Verdict is the result of an [Attempt].
type Verdict struct {
	Kind VerdictKind
	// Text is for the chat.
	Text string

	failure string // the result of the call for the model
}

// VerdictKind is the effect of a decision.
type VerdictKind int

// The effects of a decision.
const (
	// StaysOpen leaves the question as it is: the decision does not count.
	StaysOpen VerdictKind = iota
	// Closes ends the question without its call.
	Closes
	// CallRuns makes the call.
	CallRuns
)

// Attempt is one decision on one question, with the turn that carries it out.
type Attempt struct {
	t         *turn.Turn
	approvals *Approvals
	decision  Decision
	approval  *session.Approval
}

// Attempt carries out a decision in a turn, and changes the question as the decision says.
func (p *Approvals) Attempt(t *turn.Turn, d Decision, a *session.Approval) *Attempt {
	return &Attempt{t: t, approvals: p, decision: d, approval: a}
}

// AllowedBefore reports whether an earlier attempt at the turn has allowed the call.
func (try *Attempt) AllowedBefore() bool {
	return try.approval.State == session.ApprovalAllowed && try.approval.Answer.Turn == try.t.Info.ID
}

// Take decides on the question. Where its time is over at now the chat reads late, or the
// usual text for "".
func (try *Attempt) Take(ctx context.Context, now time.Time, late string) (Verdict, error) {
	a, by := try.approval, try.decider()
	if why := try.decision.refusal(a, &try.t.Principal); why != "" {
		try.approvals.refuse(a, by, why)
		return Verdict{Text: why}, nil
	}
	if Lapsed(a, now) {
		return try.void(ctx, by, cmp.Or(late, tooLate(a)))
	}
	a.Answer.By, a.Answer.At, a.Answer.Turn = by, now, try.t.Info.ID
	if try.decision.answer == denyCall {
		return try.deny(), nil
	}
	if why := try.mayStill(ctx); why != "" {
		return try.void(ctx, by, why)
	}
	return Verdict{Kind: CallRuns}, try.allow(ctx, try.decision.answer == allowHere)
}

// Again continues from a decision that an earlier attempt recorded. Unless the call was
// begun, it checks again everything that may have changed meanwhile.
func (try *Attempt) Again(ctx context.Context) (Verdict, error) {
	a := try.approval
	why := try.mayStill(ctx)
	if why == "" && Lapsed(a, time.Now()) {
		why = tooLate(a)
	}
	if why != "" && !ranAlready(try.t) {
		return try.void(ctx, a.Answer.By, why)
	}
	return Verdict{Kind: CallRuns}, nil
}

func tooLate(a *session.Approval) string {
	return fmt.Sprintf(textApprovalExpired, a.ID, a.Expires.Format("15:04:05 MST"))
}

// decider is the author of a decision.
func (try *Attempt) decider() channels.Sender {
	if try.decision.Operator {
		return channels.Sender{Name: textOperator}
	}
	return try.t.Principal.Sender
}

// mayStill makes the turn the requester's, with the lower of their rights then and
// now, and says why the call may not run any more.
func (try *Attempt) mayStill(ctx context.Context) string {
	a, t := try.approval, try.t
	requester, allowed := t.Deps.Rights.Requester(ctx, a, t.Origin.Address)
	t.Principal = requester
	t.Provenance.AskedBySeveral(requester.Several)
	t.Space = t.Deps.Space(t.Origin.Address, t.Principal.SharesSpace())
	an, known := t.Deps.Tools.Annotations(a.Call.Tool)
	if !allowed || !known || !requester.Level.Allows(policy.Level(an.Level)) {
		return fmt.Sprintf(textRequesterRefused, named.Person(a.Principal.Sender), a.Call.Tool)
	}
	args, err := providers.DecodeArguments(a.Call.Arguments)
	if err != nil {
		return textCallUnreadable
	}
	ex, err := t.Offered().Examine(t.Invocation(ctx), a.Call.Tool, args)
	if err != nil || changed(a, &ex) {
		return textCallChanged
	}
	return ""
}

// deny ends a question with no; the model reads of it in the next turn.
func (try *Attempt) deny() Verdict {
	a := try.approval
	a.State = session.ApprovalDenied
	try.t.Log().Info().Str("approval", a.ID).Str("tool", a.Call.Tool).Msg("a call was denied")
	try.t.Deps.Tools.Denied(a.Call.Tool, turn.ModelOf(try.t, turn.RoleChat).Name)
	try.approvals.o.OnEvent(Event{Approval: *a, By: a.Answer.By, Outcome: Denied, Detail: "denied"})
	return Verdict{
		Kind: Closes, Text: fmt.Sprintf(textDenied, named.Person(a.Answer.By), a.Call.Tool),
		failure: tools.ErrorText(tools.ErrApprovalDenied, "a person denied this call; it was not run", nil),
	}
}

// void ends a question that can no longer be answered.
func (try *Attempt) void(ctx context.Context, by channels.Sender, why string) (Verdict, error) {
	if err := ctx.Err(); err != nil {
		return Verdict{}, err // an examination that was cut off does not count
	}
	a := try.approval
	try.t.Log().Info().Str("approval", a.ID).Str("tool", a.Call.Tool).Str("reason", why).Msg("an approval is void")
	try.approvals.void(a, by, try.t.Info.ID, why)
	return Verdict{Kind: Closes, Text: why, failure: tools.ErrorText(tools.ErrApprovalDenied, why, nil)}, nil
}

// void makes a question one that can no longer be answered.
func (p *Approvals) void(a *session.Approval, by channels.Sender, turnID, why string) {
	a.Answer.By, a.Answer.At, a.Answer.Turn, a.State, a.Answer.Reason = by, time.Now(), turnID, session.ApprovalVoid, why
	p.o.OnEvent(Event{Approval: *a, By: by, Outcome: Void, Detail: "void: " + why})
}

// EndedWithTask makes an open question void because its task has ended, and returns the
// text that says so. By is the author of the decision that came too late, or zero.
func (p *Approvals) EndedWithTask(a *session.Approval, by channels.Sender, turnID string) string {
	p.void(a, by, turnID, textTaskEnded)
	return textTaskEnded
}

// closed is the reply of a decision without a call: the question's message says so, and
// so does the history, which names the call. A decision that does not count is only
// answered.
func (try *Attempt) closed(v Verdict) turn.Reply {
	re := turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}, Text: v.Text}
	if v.Kind == Closes {
		re.Finishes = try.approval.Question
		re.Approvals = []session.Approval{*try.approval}
		re.Messages = []providers.Message{
			{Role: providers.RoleUser, Content: Mark(try.approval) + "The outcome: " + v.failure},
			turn.Assistant(v.Text),
		}
	}
	return re
}

// allow records the decision together with the call that it makes.
func (try *Attempt) allow(ctx context.Context, here bool) error { //nolint:revive // flag-parameter: it is the person's choice
	a, t := try.approval, try.t
	a.State = session.ApprovalAllowed
	how := textOnce
	step := session.Step{
		Kind: session.StepAnswer, Round: 1, Await: true, Answer: answerOf(a), Approvals: []session.Approval{*a},
	}
	if here {
		how = textHere
		step.Grants = []session.Grant{{
			ID: a.ID, Chat: a.Chat, Address: a.Address, Tool: a.Call.Tool, Person: a.Principal.Sender, Approval: a.ID,
			Since: a.Answer.At, Expires: a.Answer.At.Add(grantTime),
		}}
	}
	said := fmt.Sprintf(textAllowed, how, named.Person(a.Answer.By), a.Call.Tool)
	o := t.Outbound(t.Info.ID+"/decided/0", said, "")
	o.Finishes = a.Question
	step.Outbox = []channels.Outbound{o}
	if err := t.Record(ctx, step); err != nil {
		return err
	}
	t.Info.Steps = append(t.Info.Steps, step)
	try.approvals.o.OnEvent(Event{Approval: *a, By: a.Answer.By, Outcome: Allowed, Granted: here, Detail: "allowed " + how})
	t.Log().Info().Str("approval", a.ID).Str("tool", a.Call.Tool).Str("how", how).Msg("a call was allowed")
	return nil
}

// Input is the model's text about a call that was allowed. The call runs first, unless
// it was begun, and the model continues from its result.
func (try *Attempt) Input() turn.Input {
	if try.approval.Tainted {
		try.t.Provenance.Taint()
	}
	said := Mark(try.approval) + "It was allowed, and its result follows. Say what came of it, and go on with what was asked for."
	return turn.Input{Items: Items(try.t, said), Decided: try.approval}
}
