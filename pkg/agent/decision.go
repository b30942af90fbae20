package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/agent/approval"
	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// word is a decision on a question.
type word struct {
	id string
	// word is allowOnce, allowHere or denyWord.
	word string
	// operator: it was given on the command line.
	operator bool
}

// wordOf reads an item as a decision; false for another item.
func wordOf(it *session.Item) (word, bool) {
	if d := it.Decision; d != nil {
		w := word{id: d.Approval, word: denyWord, operator: true}
		if d.Allow {
			w.word = allowOnce
		}
		return w, true
	}
	if it.Inbound == nil || it.Inbound.Kind != channels.KindButton {
		return word{}, false
	}
	rest, ok := strings.CutPrefix(it.Inbound.Text, pressMark)
	id, w, ok2 := strings.Cut(rest, "/")
	return word{id: id, word: w}, ok && ok2 && (w == allowOnce || w == allowHere || w == denyWord)
}

// decidedCall is the id of the call that a decision's turn makes.
func decidedCall(a *session.Approval) string { return "approved_" + a.ID }

// decisionTurn is the turn of a decision in the chat that was asked.
type decisionTurn struct {
	turn.Message
	a    *Agent
	word word
}

func isDecisionTurn(info *session.TurnInfo) bool {
	_, ok := wordOf(&info.Items[0])
	return ok
}

func newDecisionTurn(a *Agent, t *turn.Turn) turn.Handler {
	w, _ := wordOf(&t.Info.Items[0])
	return &decisionTurn{Message: turn.Message{T: t}, a: a, word: w}
}

// Begin only says so where the word does not count. Else the model continues from the
// result of the stored call.
func (h *decisionTurn) Begin(ctx context.Context) (turn.Input, error) {
	if _, err := h.T.Admit(ctx); err != nil {
		return turn.Input{}, err
	}
	a, err := h.a.o.Engine.Approvals().Approval(ctx, h.word.id)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return turn.Input{}, err
	}
	d := decision{t: h.T, a: h.a, word: h.word, approval: &a}
	switch {
	case err != nil, a.Chat != h.T.Origin.Chat:
		h.a.o.OnApproval(approval.Event{
			Approval: session.Approval{ID: text.ClipBytes(h.word.id, 64), Address: h.T.Info.Address, Call: session.HeldCall{Turn: h.T.Info.ID}},
			By:       d.decider(), Outcome: approval.Refused, Detail: "refused: unknown",
		})
		return turn.Input{}, turn.Done(h.T.Commit(ctx, turn.Reply{
			Commit: session.Commit{Outcome: session.OutcomeAnswered, Reason: "unknown approval"}, Text: textUnknownApproval,
		}))
	case a.State == session.ApprovalAllowed && a.Answer.Turn == h.T.Info.ID: // by an earlier attempt at this turn
		return h.goOn(ctx, &d, d.again)
	case a.Task != "":
		return turn.Input{}, turn.Done(h.handOn(ctx, &d))
	}
	return h.goOn(ctx, &d, func(ctx context.Context) (verdict, error) { return d.take(ctx, time.Now(), tooLate(&a)) })
}

// goOn returns the model's text about a call that is allowed, and commits any other
// verdict.
func (h *decisionTurn) goOn(ctx context.Context, d *decision, decide func(context.Context) (verdict, error)) (turn.Input, error) {
	v, err := decide(ctx)
	if err != nil {
		return turn.Input{}, err
	}
	if v.kind == verdictAllowed {
		return d.input(), nil
	}
	return turn.Input{}, turn.Done(h.T.Commit(ctx, d.closed(v)))
}

// Reply names the call that took the process with it.
func (h *decisionTurn) Reply(ctx context.Context, e *turn.Result) (turn.Reply, error) {
	if e.Kind == turn.Lost {
		if re, ok := h.word.givenUp(ctx, h.a, h.T, e); ok {
			return re, nil
		}
	}
	return h.Message.Reply(ctx, e)
}

// verdict is the result of a decision.
type verdict struct {
	kind verdictKind
	// text is for the chat, failure the result of the call for the model.
	text, failure string
}

type verdictKind int

// The verdicts of a decision.
const (
	// A verdictRefused leaves the question open: the word does not count.
	verdictRefused verdictKind = iota
	// A verdictClosed ends the question without its call.
	verdictClosed
	// A verdictAllowed makes the call.
	verdictAllowed
)

// decision is one word on one question, with the turn that takes it.
type decision struct {
	t        *turn.Turn
	a        *Agent
	word     word
	approval *session.Approval
}

// take decides on the question; late is the text when its time is over at now.
func (d *decision) take(ctx context.Context, now time.Time, late string) (verdict, error) {
	a, by := d.approval, d.decider()
	if why := notTheirs(d.word, a, &d.t.Principal); why != "" {
		d.a.o.OnApproval(approval.Event{Approval: *a, By: by, Outcome: approval.Refused, Detail: "refused: " + why})
		return verdict{text: why}, nil
	}
	if approval.Lapsed(a, now) {
		return d.void(ctx, by, late)
	}
	a.Answer.By, a.Answer.At, a.Answer.Turn = by, now, d.t.Info.ID
	if d.word.word == denyWord {
		return d.deny(), nil
	}
	if why := d.mayStill(ctx); why != "" {
		return d.void(ctx, by, why)
	}
	return verdict{kind: verdictAllowed}, d.allow(ctx, d.word.word == allowHere)
}

// again continues from a decision that an earlier attempt recorded. Unless the call was
// begun, it checks again everything that may have changed meanwhile.
func (d *decision) again(ctx context.Context) (verdict, error) {
	a := d.approval
	why := d.mayStill(ctx)
	if why == "" && approval.Lapsed(a, time.Now()) {
		why = tooLate(a)
	}
	if why != "" && !ranAlready(d.t) {
		return d.void(ctx, a.Answer.By, why)
	}
	return verdict{kind: verdictAllowed}, nil
}

func tooLate(a *session.Approval) string {
	return fmt.Sprintf(textApprovalExpired, a.ID, a.Expires.Format("15:04:05 MST"))
}

// decider is the author of a decision.
func (d *decision) decider() channels.Sender {
	if d.word.operator {
		return channels.Sender{Name: textOperator}
	}
	return d.t.Principal.Sender
}

// mayStill makes the turn the requester's, with the lower of their rights then and
// now, and says why the call may not run any more.
func (d *decision) mayStill(ctx context.Context) string {
	a := d.approval
	requester, allowed := d.t.Deps.Rights.Requester(ctx, a, d.t.Origin.Address)
	d.t.Principal = requester
	d.t.Space = d.t.Deps.Space(d.t.Origin.Address, d.t.Principal.SharesSpace())
	an, known := d.t.Deps.Tools.Annotations(a.Call.Tool)
	if !allowed || !known || !requester.Level.Allows(policy.Level(an.Level)) {
		return fmt.Sprintf(textRequesterRefused, named.Person(a.Principal.Sender), a.Call.Tool)
	}
	args, err := providers.DecodeArguments(a.Call.Arguments)
	if err != nil {
		return textCallUnreadable
	}
	ex, err := d.t.Offered().Examine(d.t.Invocation(ctx), a.Call.Tool, args)
	if err != nil || changed(a, &ex) {
		return textCallChanged
	}
	return ""
}

// deny ends a question with no; the model reads of it in the next turn.
func (d *decision) deny() verdict {
	a := d.approval
	a.State = session.ApprovalDenied
	d.t.Log().Info().Str("approval", a.ID).Str("tool", a.Call.Tool).Msg("a call was denied")
	d.a.o.OnApproval(approval.Event{Approval: *a, By: a.Answer.By, Outcome: approval.Denied, Detail: "denied"})
	return verdict{
		kind: verdictClosed, text: fmt.Sprintf(textDenied, named.Person(a.Answer.By), a.Call.Tool),
		failure: tools.ErrorText(tools.ErrApprovalDenied, "a person denied this call; it was not run", nil),
	}
}

// void ends a question that can no longer be answered.
func (d *decision) void(ctx context.Context, by channels.Sender, why string) (verdict, error) {
	if err := ctx.Err(); err != nil {
		return verdict{}, err // an examination that was cut off does not count
	}
	a := d.approval
	a.Answer.By, a.Answer.At, a.Answer.Turn, a.State, a.Answer.Reason = by, time.Now(), d.t.Info.ID, session.ApprovalVoid, why
	d.t.Log().Info().Str("approval", a.ID).Str("tool", a.Call.Tool).Str("reason", why).Msg("an approval is void")
	d.a.o.OnApproval(approval.Event{Approval: *a, By: by, Outcome: approval.Void, Detail: "void: " + why})
	return verdict{kind: verdictClosed, text: why, failure: tools.ErrorText(tools.ErrApprovalDenied, why, nil)}, nil
}

// closed is the reply of a decision without a call: the question's message says so, and
// so does the history, which names the call. A word that does not count is only answered.
func (d *decision) closed(v verdict) turn.Reply {
	re := turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}, Text: v.text}
	if v.kind == verdictClosed {
		re.Finishes = d.approval.Question
		re.Approvals = []session.Approval{*d.approval}
		re.Messages = []providers.Message{
			{Role: providers.RoleUser, Content: decisionMark(d.approval) + "The outcome: " + v.failure},
			turn.Assistant(v.text),
		}
	}
	return re
}

// decisionMark begins the message that tells the model of a decision.
func decisionMark(a *session.Approval) string {
	return fmt.Sprintf("[approval %s] %s decided on the call %s of %s(%s). ", a.ID, named.Person(a.Answer.By), a.Call.ID, a.Call.Tool,
		text.ClipBytes(a.Call.Arguments, 1000))
}

// allow records the decision together with the call that it makes.
func (d *decision) allow(ctx context.Context, here bool) error { //nolint:revive // flag-parameter: it is the person's choice
	a := d.approval
	a.State = session.ApprovalAllowed
	how := textOnce
	step := session.Step{
		Kind: session.StepAnswer, Round: 1, Await: true, Answer: stored(a), Approvals: []session.Approval{*a},
	}
	if here {
		how = textHere
		step.Grants = []session.Grant{{
			ID: a.ID, Chat: a.Chat, Address: a.Address, Tool: a.Call.Tool, Person: a.Principal.Sender, Approval: a.ID,
			Since: a.Answer.At, Expires: a.Answer.At.Add(grantTime),
		}}
	}
	said := fmt.Sprintf(textAllowed, how, named.Person(a.Answer.By), a.Call.Tool)
	o := d.t.Outbound(d.t.Info.ID+"/decided/0", said, "")
	o.Finishes = a.Question
	step.Outbox = []channels.Outbound{o}
	if err := d.t.Record(ctx, step); err != nil {
		return err
	}
	d.t.Info.Steps = append(d.t.Info.Steps, step)
	d.a.o.OnApproval(approval.Event{Approval: *a, By: a.Answer.By, Outcome: approval.Allowed, Granted: here, Detail: "allowed " + how})
	d.t.Log().Info().Str("approval", a.ID).Str("tool", a.Call.Tool).Str("how", how).Msg("a call was allowed")
	return nil
}

// stored is the answer that makes the stored call.
func stored(a *session.Approval) *providers.LLMResponse {
	args, err := providers.DecodeArguments(a.Call.Arguments)
	c := providers.ToolCall{ID: decidedCall(a), Type: "function", Name: a.Call.Tool, Arguments: args, RawArguments: a.Call.Arguments}
	if err != nil {
		c.BadArguments = err.Error()
	}
	return &providers.LLMResponse{ToolCalls: []providers.ToolCall{c}, FinishReason: providers.FinishToolCalls}
}

// input is the model's text about a call that was allowed. The call runs first, unless
// it was begun, and the model continues from its result.
func (d *decision) input() turn.Input {
	if d.approval.Tainted {
		d.t.Provenance.Taint()
	}
	said := decisionMark(d.approval) + "It was allowed, and its result follows. Say what came of it, and go on with what was asked for."
	return turn.Input{Items: decisionItem(d.t, said), Decided: d.approval}
}

// decisionItem is the item by which the model reads of a decision.
func decisionItem(t *turn.Turn, said string) []session.Item {
	return []session.Item{{Kind: session.ItemDecision, Address: t.Info.Address, Text: said, Time: t.Clock.Began}}
}

// givenUp is the reply of a turn with an allowed call that took the process with it;
// false for a turn without one.
func (w word) givenUp(ctx context.Context, a *Agent, t *turn.Turn, e *turn.Result) (turn.Reply, bool) {
	q, err := a.o.Engine.Approvals().Approval(ctx, w.id)
	if err != nil || q.Answer.Turn != t.Info.ID {
		return turn.Reply{}, false
	}
	said := fmt.Sprintf(textLostBeforeCall, q.ID, q.Call.Tool)
	failure := tools.ErrorText(tools.ErrInterrupted, "the call was not run", nil)
	if ranAlready(t) {
		said = fmt.Sprintf(textLostInCall, q.ID, q.Call.Tool)
		failure = tools.ErrorText(tools.ErrInterrupted, "interrupted: it is unknown whether it took effect", nil)
	}
	a.o.OnApproval(approval.Event{Approval: q, By: q.Answer.By, Outcome: approval.GivenUp, Detail: "given up: " + said})
	return turn.Reply{Commit: session.Commit{
		Outcome: session.OutcomeQuarantined, Reason: e.Reason,
		Messages: []providers.Message{
			{Role: providers.RoleUser, Content: decisionMark(&q) + "The outcome: " + failure}, turn.Assistant(said),
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

// Decide takes the operator's word on a question, given outside of its chat. The first
// word counts: a second one that is another is an error that says so.
// [session.ErrNotFound]: there is no such question.
func (a *Agent) Decide(ctx context.Context, d session.Decision) error {
	q, err := a.o.Engine.Approvals().Approval(ctx, d.Approval)
	if err != nil {
		return err
	}
	if q.State != session.ApprovalOpen {
		return fmt.Errorf("approval %s is already decided: %s", q.ID, q.State)
	}
	item := session.Item{
		ID: session.DecisionItemID(q.ID), Kind: session.ItemDecision, Address: q.Address, Decision: &d, Solo: true, Time: time.Now(),
	}
	if err := a.o.Engine.Inbox().Append(ctx, []session.Item{item}, nil); err != nil {
		return err
	}
	return a.tookWord(ctx, &q, &item)
}

// tookWord says whether the word that was stored for a question is the one of item:
// the store swallows a second one.
func (a *Agent) tookWord(ctx context.Context, q *session.Approval, item *session.Item) error {
	for _, id := range []string{item.ID, handedOn(item, q).ID} {
		first, err := a.o.Engine.Inbox().Waits(ctx, id)
		switch {
		case errors.Is(err, session.ErrNotFound):
		case err != nil:
			return err
		case first.Decision != nil && *first.Decision == *item.Decision:
			return nil
		default:
			return fmt.Errorf("approval %s was %s before: the first decision counts, and the chat carries it out next",
				q.ID, wordText(first.Decision))
		}
	}
	// A turn has heeded the word by now.
	now, err := a.o.Engine.Approvals().Approval(ctx, q.ID)
	if err != nil {
		return err
	}
	if now.State == session.ApprovalAllowed && !item.Decision.Allow || now.State == session.ApprovalDenied && item.Decision.Allow {
		return fmt.Errorf("approval %s is already decided: %s", q.ID, now.State)
	}
	return nil
}

func wordText(d *session.Decision) string {
	if d != nil && d.Allow {
		return "approved"
	}
	return "refused"
}
