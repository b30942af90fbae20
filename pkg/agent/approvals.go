package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/pkg/agent/approval"
	"parley/pkg/agent/named"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// A call that a person has to allow does not run: its question is stored with the
// call's result for now, and the turn ends. The decision is an item of its own, and its
// turn runs the stored call; see decision.go.

const (
	// How long a grant lasts.
	grantTime = 24 * time.Hour
	// How many questions may wait in one chat.
	maxOpen = 10
)

// approvals are the [turn.Approvals] of an agent.
type approvals struct{ a *Agent }

// Gate is the gate of a turn's calls.
func (p approvals) Gate(t *turn.Turn) tools.Gate { return &approvalGate{t: t, a: p.a} }

// Asked tells of a question that is put.
func (p approvals) Asked(a *session.Approval) {
	p.a.o.OnApproval(approval.Event{Approval: *a, By: a.Principal.Sender, Outcome: approval.Asked, Detail: "asked"})
}

// approvalGate is the [tools.Gate] of a turn's loop: it lets a call pass, or puts the
// question for it.
type approvalGate struct {
	t *turn.Turn
	a *Agent
}

var _ tools.Gate = (*approvalGate)(nil)

// Pass says whether a call may run, or a person has to be asked.
func (g *approvalGate) Pass(ctx context.Context, req tools.ToolRequest) error {
	if g.t.Input.Check != nil {
		if err := g.t.Input.Check(ctx, &req); err != nil {
			return err
		}
	}
	late := req.Covered && g.t.Provenance.TaintedSinceDecision(req.Invocation.CallID)
	g.marks(&req)
	if !req.Nested && turn.IsDecided(g.t, req.Invocation.Key) {
		if changed(g.t.Input.Decided, &req.Examination) {
			return tools.Fail(tools.ErrApprovalDenied, textCallChanged, nil)
		}
		return nil
	}
	if late && !turn.IsDecided(g.t, req.Invocation.Key) {
		return g.passLate(ctx, &req)
	}
	if req.Covered {
		return nil
	}
	deed := g.deed(req.Tool, &req.Annotations, &req.Examination)
	why := g.a.o.Approvals.Asks(deed)
	if !why.Asks() {
		return nil
	}
	if deed.Grantable() {
		granted, err := g.granted(ctx, req.Tool)
		if err != nil || granted {
			return err
		}
	}
	return fmt.Errorf("%s: %w", why.Text, tools.ErrAsk)
}

// marks notes of a call whether it brings content from outside, and where it goes.
func (g *approvalGate) marks(req *tools.ToolRequest) {
	if !req.Nested && len(req.Examination.Steps) > 0 && !req.Examination.Brings {
		g.t.Provenance.BeginsComposed(req.Invocation.CallID, g.deed(req.Tool, &req.Annotations, &req.Examination))
	}
	if req.Examination.Taints || req.Examination.Brings {
		g.t.Provenance.Brings(req.Invocation.CallID)
	}
	if req.Examination.Destination != "" {
		g.t.Provenance.ChoosesAddress(req.Invocation.CallID)
	}
}

// passLate decides on a step of a call that has brought content from outside since the
// last question: with that knowledge its examination would have asked a person.
func (g *approvalGate) passLate(ctx context.Context, req *tools.ToolRequest) error {
	step := DeedOf(req.Tool, &req.Annotations, &req.Examination, true, g.t.Provenance.Named)
	whole := g.t.Provenance.Composed(req.Invocation.CallID)
	why := g.a.o.Approvals.Asks(step)
	if !why.Asks() || !g.a.o.Approvals.Asks(whole).Asks() {
		return nil
	}
	if whole.Grantable() {
		granted, err := g.granted(ctx, whole.Tool)
		if err != nil || granted {
			return err
		}
	}
	return fmt.Errorf("%s: %w", why.Text, tools.ErrAsk)
}

// changed says whether a call would act differently from the text that the person was
// shown.
func changed(a *session.Approval, ex *tools.Examination) bool {
	return ex.State != a.Call.Fingerprint || TextOf(ex, a.Call.Arguments) != a.Text
}

// TextOf is all of a call that a person is asked to allow: the text of its
// examination, or its arguments in JSON.
func TextOf(ex *tools.Examination, arguments string) string {
	if ex.Text != "" {
		return ex.Text
	}
	return indented(arguments)
}

func (g *approvalGate) deed(tool string, an *tools.Annotations, ex *tools.Examination) policy.Deed {
	return DeedOf(tool, an, ex, g.t.Provenance.Tainted(), g.t.Provenance.Named)
}

// DeedOf is a call in the words of policy. Tainted says that untrusted content came
// in before it, and isNamed whether a person has named an address.
func DeedOf(tool string, an *tools.Annotations, ex *tools.Examination, tainted bool, isNamed func(address string) bool) policy.Deed {
	d := policy.Deed{
		Tool: tool, Writes: !an.ReadOnly && !an.Speaks,
		Destructive: ex.Destructive, Destroys: an.Destructive, Executes: an.Executes, Always: ex.Always,
		NewDestination: ex.Destination != "" && !isNamed(ex.Destination),
		Tainted:        tainted || ex.Taints,
	}
	for i := range ex.Steps {
		s := &ex.Steps[i]
		d.Steps = append(d.Steps, DeedOf(s.Tool, &s.Annotations, &s.Examination, tainted, isNamed))
	}
	return d
}

// granted says whether everybody for whom the turn runs has allowed the tool here.
func (g *approvalGate) granted(ctx context.Context, tool string) (bool, error) {
	if g.t.Provenance.SeveralPeople() {
		return false, nil
	}
	grants, err := g.a.o.Engine.Approvals().Grants(ctx, g.t.Origin.Chat)
	if err != nil {
		return false, err
	}
	now := time.Now()
	for i := range grants {
		one := &grants[i]
		if one.Tool == tool && one.Person.ID == g.t.Principal.Sender.ID && one.Address.Account == g.t.Origin.Address.Account &&
			!now.Before(one.Since) && now.Before(one.Expires) {
			return true, nil
		}
	}
	return false, nil
}

// Ask puts the question for a call. It leaves when the call's result is recorded.
func (g *approvalGate) Ask(ctx context.Context, call tools.Call, ex tools.Examination) (*tools.ToolResult, error) {
	all, err := g.a.o.Engine.Approvals().ApprovalList(ctx, g.t.Origin.Chat)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	open := 0
	for i := range all { // those of this turn may not be stored yet
		if all[i].State == session.ApprovalOpen && all[i].Call.Turn != g.t.Info.ID && !approval.Lapsed(&all[i], now) {
			open++
		}
	}
	stored := providers.ToolCall{Arguments: call.Arguments, RawArguments: call.RawArguments}
	arguments, err := stored.Spelled() // the shown text is the one that the stored call is decoded from
	if err != nil {
		return nil, err
	}
	deed, taskID := g.deed(call.Name, &call.Annotations, &ex), ""
	if g.t.Input.Task != nil {
		taskID = g.t.Input.Task.ID
	}
	key := session.CallKey(call.Round, call.Index)
	a := &session.Approval{
		ID: policy.NewPairingCode(), Chat: g.t.Origin.Chat, Session: g.t.Origin.Session, Address: g.t.Origin.Address,
		Task: taskID, Text: TextOf(&ex, arguments), Question: session.QuestionID(g.t.Info.ID, key), Principal: g.t.Principal.Stored(),
		Call: session.HeldCall{
			Turn: g.t.Info.ID, Round: call.Round, Index: call.Index, ID: call.ID,
			Tool: call.Name, Arguments: arguments, Fingerprint: ex.State,
		},
		Tainted: deed.Tainted, Grantable: deed.Grantable() && !g.t.Provenance.SeveralPeople(),
		Asked: now, Expires: now.Add(approval.Time), State: session.ApprovalOpen,
	}
	text := g.question(a, &ex, g.a.o.Approvals.Asks(deed))
	if g.t.Deps.Redact(text) != text {
		return nil, tools.Fail(tools.ErrApprovalDenied, "a person has to allow this call, and would be shown a secret; it was not run", nil)
	}
	o := g.t.Outbound(a.Question, text, "")
	o.Buttons = buttons(a)
	surface := g.t.Deps.Surfaces.At(o.Address)
	if err := surface.MayAsk(o); err != nil {
		return nil, tools.Fail(tools.ErrApprovalDenied,
			"a person has to allow this call, and the question cannot be put: "+err.Error(), nil).Because(err)
	}
	if open, ok := g.t.Questions.Add(key, a, o, open, maxOpen); !ok {
		return nil, tools.Fail(tools.ErrApprovalDenied, fmt.Sprintf("%d questions wait in this chat already; this call was not run", open), nil)
	}
	return tools.NewToolResult("waiting for approval " + a.ID + ": a person has been asked, and the call has not run. " +
		"The outcome will be told in this conversation; do not call it again."), nil
}

func indented(raw string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(raw), "", "  ") != nil {
		return raw
	}
	return b.String()
}

// question is the person's text: all of the call, without invisible characters.
func (g *approvalGate) question(a *session.Approval, ex *tools.Examination, why policy.Reason) string {
	who := named.Requester
	if a.Principal.Sender.Name != "" && !a.Principal.Direct {
		who = channels.Visible(a.Principal.Sender.Name)
	}
	behalf := ""
	if g.t.Input.Task != nil {
		behalf = fmt.Sprintf(textForTask, task.Name(g.t.Input.Task))
	}
	return fmt.Sprintf(textQuestion,
		approval.Headline(a.Call.Tool, ex, behalf, why), channels.Verbatim(a.Text), a.ID, a.Expires.Format("15:04:05 MST"), who)
}

// The words that a button's data begins with, and those that end it.
const (
	pressMark = "approval/"
	allowOnce = "once"
	allowHere = "here"
	denyWord  = "deny"
)

func buttons(a *session.Approval) []channels.Button {
	data := func(word string) string { return pressMark + a.ID + "/" + word }
	all := []channels.Button{{Label: textAllowOnce, Data: data(allowOnce)}}
	if a.Grantable {
		all = append(all, channels.Button{Label: textAllowHere, Data: data(allowHere)})
	}
	return append(all, channels.Button{Label: textDeny, Data: data(denyWord)})
}
