package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// What a person is told whose press does nothing.
const (
	unknownText = "There is no such question in this chat any more."
	changedText = "What the call is about has changed since it was asked for. It was not run; ask for it again."
)

// word is a decision on a question.
type word struct {
	id string
	// word is allowOnce, allowHere or denyWord.
	word string
	// operator: it was given on the command line.
	operator bool
}

// wordOf reads an item as a decision; false for what is none.
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

// decide runs the turn of a decision: it does nothing but say so, or runs the
// stored call and goes on from its result.
func (r *run) decide(ctx context.Context, w word) error {
	a, err := r.a.o.Engine.Approval(ctx, w.id)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return err
	}
	if err != nil || a.Chat != r.chat || r.task != nil && a.Task != r.task.ID {
		if r.task != nil {
			return r.passOver(ctx)
		}
		r.a.o.Noted(session.Approval{ID: cut(w.id, 64), Address: r.info.Address, Turn: r.info.ID}, r.decider(w), "refused: unknown")
		return r.commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Reason: "unknown approval"}, unknownText)
	}
	if a.State == session.ApprovalAllowed && a.DecidedTurn == r.info.ID {
		return r.resumeDecided(ctx, &a) // an earlier attempt at this turn allowed it
	}
	if a.Task != "" && r.task == nil {
		return r.handOn(ctx, w, &a)
	}
	if r.task != nil && a.DecidedTurn == r.info.ID {
		return r.afterNo(ctx, &a) // an earlier attempt at this turn closed it
	}
	return r.decideOn(ctx, w, &a)
}

// decideOn takes a decision on a question of this chat.
func (r *run) decideOn(ctx context.Context, w word, a *session.Approval) error {
	by, now := r.decider(w), time.Now()
	if r.task != nil {
		now = r.info.Items[0].Time // the press may have waited for the agent
	}
	if why := notTheirs(w, a, &r.principal); why != "" {
		return r.refuse(ctx, a, by, why)
	}
	switch {
	case lapsed(a, now) && r.task != nil && w.operator:
		return r.void(ctx, a, by, "Nobody decided on approval "+a.ID+" in time. The call was not run.")
	case lapsed(a, now):
		return r.void(ctx, a, by, tooLate(a))
	}
	a.By, a.Decided, a.DecidedTurn = by, now, r.info.ID
	if w.word == denyWord {
		return r.deny(ctx, a)
	}
	if why := r.mayStill(ctx, a); why != "" {
		return r.void(ctx, a, by, why)
	}
	return r.allow(ctx, a, w.word == allowHere)
}

func tooLate(a *session.Approval) string {
	return "Approval " + a.ID + " came too late: it was good until " + a.Expires.Format("15:04:05 MST") + ". The call was not run; ask for it again."
}

// decider is who gave a decision.
func (r *run) decider(w word) channels.Sender {
	if w.operator {
		return channels.Sender{Name: "the operator"}
	}
	return r.principal.Sender
}

func nameOf(s channels.Sender) string {
	if s.Name != "" {
		return channels.Visible(s.Name)
	}
	return "who asked for it"
}

// refuse ends a turn that did nothing but say so.
func (r *run) refuse(ctx context.Context, a *session.Approval, by channels.Sender, text string) error {
	r.a.o.Noted(*a, by, "refused: "+text)
	if r.task != nil {
		return r.passOver(ctx)
	}
	return r.commit(ctx, session.Commit{Outcome: session.OutcomeAnswered}, text)
}

// mayStill makes the turn the requester's, with the lower of their rights then and
// now, and says why the call may not run any more.
func (r *run) mayStill(ctx context.Context, a *session.Approval) string {
	requester, allowed := r.a.rights.Requester(ctx, a, r.home)
	r.principal = requester
	r.space = r.a.o.Space(r.home, r.principal.SharesSpace())
	an, known := r.a.o.Tools.Annotations(a.Tool)
	if !allowed || !known || !requester.Level.Allows(policy.Level(an.Level)) {
		return fmt.Sprintf("%s may not use %s here any more. The call was not run.", nameOf(a.Requester), a.Tool)
	}
	args, err := providers.DecodeArguments(a.Arguments)
	if err != nil {
		return "The stored call cannot be read. It was not run."
	}
	ex, err := r.offered().Examine(r.invocation(ctx), a.Tool, args)
	if err != nil || changed(a, &ex) {
		return changedText
	}
	return ""
}

// deny ends a question with no; the model reads of it in the next turn.
func (r *run) deny(ctx context.Context, a *session.Approval) error {
	a.State = session.ApprovalDenied
	r.log().Info().Str("approval", a.ID).Str("tool", a.Tool).Msg("a call was denied")
	r.a.o.Noted(*a, a.By, "denied")
	failure := tools.ErrorText(tools.ErrApprovalDenied, "a person denied this call; it was not run", nil)
	return r.close(ctx, a, fmt.Sprintf("Denied by %s: %#q was not run.", nameOf(a.By), a.Tool), failure)
}

// void ends a question that nobody can answer any more.
func (r *run) void(ctx context.Context, a *session.Approval, by channels.Sender, why string) error {
	if err := ctx.Err(); err != nil {
		return err // an examination that was cut off says nothing
	}
	a.By, a.Decided, a.DecidedTurn, a.State, a.Reason = by, time.Now(), r.info.ID, session.ApprovalVoid, why
	r.log().Info().Str("approval", a.ID).Str("tool", a.Tool).Str("reason", why).Msg("an approval is void")
	r.a.o.Noted(*a, by, "void: "+why)
	return r.close(ctx, a, why, tools.ErrorText(tools.ErrApprovalDenied, why, nil))
}

// close commits a decision without a call: the question's message says so, and so
// does the history, which names the call.
func (r *run) close(ctx context.Context, a *session.Approval, text, failure string) error {
	if r.task != nil {
		return r.closeForAgent(ctx, a, text)
	}
	r.closes = a.Question
	return r.commit(ctx, session.Commit{
		Outcome: session.OutcomeAnswered, Approvals: []session.Approval{*a},
		Messages: []providers.Message{
			{Role: providers.RoleUser, Content: decisionMark(a) + "The outcome: " + failure},
			assistant(text),
		},
	}, text)
}

// decisionMark begins the message that tells the model of a decision.
func decisionMark(a *session.Approval) string {
	return fmt.Sprintf("[approval %s] %s decided on the call %s of %s(%s). ", a.ID, nameOf(a.By), a.Call, a.Tool, cut(a.Arguments, 1000))
}

// allow records the decision together with the call that it makes, and runs it.
func (r *run) allow(ctx context.Context, a *session.Approval, here bool) error { //nolint:revive // flag-parameter: it is the person's choice
	a.State = session.ApprovalAllowed
	how := "once"
	step := session.Step{
		Kind: session.StepAnswer, Round: 1, Await: true, Answer: r.stored(a), Approvals: []session.Approval{*a},
	}
	if here {
		how = "here, for 24 hours"
		step.Grants = []session.Grant{{
			ID: a.ID, Chat: a.Chat, Address: a.Address, Tool: a.Tool, Person: a.Requester, Approval: a.ID,
			Since: a.Decided, Expires: a.Decided.Add(grantTime),
		}}
	}
	text := fmt.Sprintf("Allowed %s by %s: %#q.", how, nameOf(a.By), a.Tool)
	o := r.outbound(r.info.ID+"/decided/0", text, "")
	o.Finishes = a.Question
	step.Outbox = []channels.Outbound{o}
	if err := r.steps.record(ctx, step); err != nil {
		return err
	}
	r.info.Steps = append(r.info.Steps, step)
	r.a.o.Noted(*a, a.By, "allowed "+how)
	r.log().Info().Str("approval", a.ID).Str("tool", a.Tool).Str("how", how).Msg("a call was allowed")
	return r.runDecided(ctx, a)
}

// stored is the answer that makes the stored call.
func (r *run) stored(a *session.Approval) *providers.LLMResponse {
	args, err := providers.DecodeArguments(a.Arguments)
	c := providers.ToolCall{ID: decidedCall(a), Type: "function", Name: a.Tool, Arguments: args, RawArguments: a.Arguments}
	if err != nil {
		c.BadArguments = err.Error()
	}
	return &providers.LLMResponse{ToolCalls: []providers.ToolCall{c}, FinishReason: providers.FinishToolCalls}
}

// resumeDecided goes on from a decision that an earlier attempt recorded. What may
// have changed meanwhile is looked at again, unless the call was begun.
func (r *run) resumeDecided(ctx context.Context, a *session.Approval) error {
	why := r.mayStill(ctx, a)
	if why == "" && lapsed(a, time.Now()) {
		why = tooLate(a)
	}
	if why != "" && !r.ranAlready() {
		return r.void(ctx, a, a.By, why)
	}
	return r.runDecided(ctx, a)
}

// runDecided makes the call that was allowed, unless it was begun, and goes on from
// its result.
func (r *run) runDecided(ctx context.Context, a *session.Approval) error {
	if a.Tainted {
		r.provenance.Taint()
	}
	r.decided = a
	text := decisionMark(a) + "It was allowed, and its result follows. Say what came of it, and go on with what was asked for."
	return r.answer(ctx, []session.Item{{Kind: session.ItemDecision, Address: r.info.Address, Text: text, Time: r.began}})
}

// giveUp ends the turn of a call that was allowed and took the process with it.
func (r *run) giveUp(ctx context.Context, a *session.Approval) error {
	text := fmt.Sprintf("The gateway stopped three times while working on approval %s. %#q was not run.", a.ID, a.Tool)
	failure := tools.ErrorText(tools.ErrInterrupted, "the call was not run", nil)
	if r.ranAlready() {
		text = fmt.Sprintf("The gateway stopped three times while working on approval %s. It is unknown whether %#q took effect.", a.ID, a.Tool)
		failure = tools.ErrorText(tools.ErrInterrupted, "interrupted: it is unknown whether it took effect", nil)
	}
	r.a.o.Noted(*a, a.By, "given up: "+text)
	return r.commit(ctx, session.Commit{
		Outcome: session.OutcomeQuarantined, Reason: "the process died three times during this turn",
		Messages: []providers.Message{
			{Role: providers.RoleUser, Content: decisionMark(a) + "The outcome: " + failure}, assistant(text),
		},
	}, text)
}

// ranAlready says whether an earlier attempt began the call.
func (r *run) ranAlready() bool {
	for i := range r.info.Steps {
		if k := r.info.Steps[i].Kind; k == session.StepBegun || k == session.StepEnded {
			return true
		}
	}
	return false
}

// Decide takes the operator's word on a question, given outside of its chat. The first
// word counts: a second one that is another is an error that says so.
// [session.ErrNotFound]: there is no such question.
func (a *Agent) Decide(ctx context.Context, d session.Decision) error {
	q, err := a.o.Engine.Approval(ctx, d.Approval)
	if err != nil {
		return err
	}
	if q.State != session.ApprovalOpen {
		return fmt.Errorf("approval %s was decided already: %s", q.ID, q.State)
	}
	item := session.Item{
		ID: "decision/" + q.ID, Kind: session.ItemDecision, Address: q.Address, Decision: &d, Solo: true, Time: time.Now(),
	}
	if err := a.o.Engine.Append(ctx, []session.Item{item}, nil); err != nil {
		return err
	}
	return a.tookWord(ctx, &q, &item)
}

// tookWord says whether the word that was stored for a question is the one of item:
// the store swallows a second one.
func (a *Agent) tookWord(ctx context.Context, q *session.Approval, item *session.Item) error {
	for _, id := range []string{item.ID, handedOn(item, q).ID} {
		first, err := a.o.Engine.Waits(ctx, id)
		switch {
		case errors.Is(err, session.ErrNotFound):
		case err != nil:
			return err
		case first.Decision != nil && *first.Decision == *item.Decision:
			return nil
		default:
			return fmt.Errorf("approval %s was %s before, and the first word counts: the chat heeds it next", q.ID, wordText(first.Decision))
		}
	}
	// A turn has heeded the word by now.
	now, err := a.o.Engine.Approval(ctx, q.ID)
	if err != nil {
		return err
	}
	if now.State == session.ApprovalAllowed && !item.Decision.Allow || now.State == session.ApprovalDenied && item.Decision.Allow {
		return fmt.Errorf("approval %s was decided already: %s", q.ID, now.State)
	}
	return nil
}

func wordText(d *session.Decision) string {
	if d != nil && d.Allow {
		return "approved"
	}
	return "refused"
}
