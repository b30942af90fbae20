package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"parley/pkg/agent/approval"
	"parley/pkg/agent/task"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// A call that a person has to allow does not run: its question is stored with the
// call's result for now, and the turn ends. The decision is an item of its own,
// whose turn runs the stored call; see decision.go.

const (
	// How long a question may be answered.
	approvalTime = 10 * time.Minute
	// How long a grant lasts.
	grantTime = 24 * time.Hour
	// How many questions may wait in one chat.
	maxOpen = 10
)

// approvalGate is the [tools.Gate] of a turn's loop: it lets a call pass, or puts the
// question for it.
type approvalGate struct {
	r *run

	mu   sync.Mutex
	asks map[string]pendingApproval // questions whose call has not ended, by call key
	put  []session.Approval         // questions whose call has ended: it waits
}

var _ tools.Gate = (*approvalGate)(nil)

// Pass says whether a call may run, or a person has to be asked.
func (g *approvalGate) Pass(ctx context.Context, req tools.ToolRequest) error {
	r := g.r
	if r.in.check != nil {
		if err := r.in.check(ctx, &req); err != nil {
			return err
		}
	}
	late := req.Covered && r.provenance.TaintedSinceDecision(req.Invocation.CallID)
	g.marks(&req)
	if !req.Nested && g.isDecided(req.Invocation.Key) {
		if changed(r.in.decided, &req.Examination) {
			return tools.Fail(tools.ErrApprovalDenied, textCallChanged, nil)
		}
		return nil
	}
	if late && !g.isDecided(req.Invocation.Key) {
		return g.passLate(ctx, &req)
	}
	if req.Covered {
		return nil
	}
	deed := g.deed(req.Tool, &req.Annotations, &req.Examination)
	why := r.a.o.Approvals.Asks(deed)
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
	r := g.r
	if !req.Nested && len(req.Examination.Steps) > 0 && !req.Examination.Brings {
		r.provenance.BeginsComposed(req.Invocation.CallID, g.deed(req.Tool, &req.Annotations, &req.Examination))
	}
	if req.Examination.Taints || req.Examination.Brings {
		r.provenance.Brings(req.Invocation.CallID)
	}
	if req.Examination.Destination != "" {
		r.provenance.ChoosesAddress(req.Invocation.CallID)
	}
}

// passLate decides on a step of a call that has brought content from outside since
// nobody was asked about it: where its examination had known, a person would have been.
func (g *approvalGate) passLate(ctx context.Context, req *tools.ToolRequest) error {
	r := g.r
	step := DeedOf(req.Tool, &req.Annotations, &req.Examination, true, r.provenance.Named)
	whole := r.provenance.Composed(req.Invocation.CallID)
	why := r.a.o.Approvals.Asks(step)
	if !why.Asks() || !r.a.o.Approvals.Asks(whole).Asks() {
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

// isDecided says whether a call is the one that was allowed: the one of the first
// answer of its turn, which the model did not write. A model may give any call any id.
func (g *approvalGate) isDecided(key string) bool {
	r := g.r
	return r.in.decided != nil && key == session.CallID(r.info.ID, session.CallKey(1, 0))
}

// changed says whether a call would not do any more what was shown to the person.
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
	r := g.r
	return DeedOf(tool, an, ex, r.provenance.Tainted(), r.provenance.Named)
}

// DeedOf is a call in the words of policy. Tainted says that untrusted content came
// in before it, and named whether a person has named an address.
func DeedOf(tool string, an *tools.Annotations, ex *tools.Examination, tainted bool, named func(address string) bool) policy.Deed {
	d := policy.Deed{
		Tool: tool, Writes: !an.ReadOnly && !an.Speaks,
		Destructive: ex.Destructive, Destroys: an.Destructive, Executes: an.Executes, Always: ex.Always,
		NewDestination: ex.Destination != "" && !named(ex.Destination),
		Tainted:        tainted || ex.Taints,
	}
	for i := range ex.Steps {
		s := &ex.Steps[i]
		d.Steps = append(d.Steps, DeedOf(s.Tool, &s.Annotations, &s.Examination, tainted, named))
	}
	return d
}

// granted says whether everybody for whom the turn runs has allowed the tool here.
func (g *approvalGate) granted(ctx context.Context, tool string) (bool, error) {
	r := g.r
	if r.provenance.SeveralPeople() {
		return false, nil
	}
	grants, err := r.a.o.Engine.Approvals().Grants(ctx, r.chat)
	if err != nil {
		return false, err
	}
	now := time.Now()
	for i := range grants {
		g := &grants[i]
		if g.Tool == tool && g.Person.ID == r.principal.Sender.ID && g.Address.Account == r.home.Account &&
			!now.Before(g.Since) && now.Before(g.Expires) {
			return true, nil
		}
	}
	return false, nil
}

// Ask puts the question for a call. It leaves when the call's result is recorded.
func (g *approvalGate) Ask(ctx context.Context, call tools.Call, ex tools.Examination) (*tools.ToolResult, error) {
	r := g.r
	all, err := r.a.o.Engine.Approvals().ApprovalList(ctx, r.chat)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	open := 0
	for i := range all { // those of this turn may not be stored yet
		if all[i].State == session.ApprovalOpen && all[i].Call.Turn != r.info.ID && !lapsed(&all[i], now) {
			open++
		}
	}
	stored := providers.ToolCall{Arguments: call.Arguments, RawArguments: call.RawArguments}
	arguments, err := stored.Spelled() // what is shown is what the stored call is decoded from
	if err != nil {
		return nil, err
	}
	deed, task := g.deed(call.Name, &call.Annotations, &ex), ""
	if r.in.task != nil {
		task = r.in.task.ID
	}
	key := session.CallKey(call.Round, call.Index)
	a := &session.Approval{
		ID: policy.NewPairingCode(), Chat: r.chat, Session: r.session, Address: r.home,
		Task: task, Text: TextOf(&ex, arguments), Question: session.QuestionID(r.info.ID, key), Principal: r.principal.Stored(),
		Call: session.HeldCall{
			Turn: r.info.ID, Round: call.Round, Index: call.Index, ID: call.ID,
			Tool: call.Name, Arguments: arguments, Fingerprint: ex.State,
		},
		Tainted: deed.Tainted, Grantable: deed.Grantable() && !r.provenance.SeveralPeople(),
		Asked: now, Expires: now.Add(approvalTime), State: session.ApprovalOpen,
	}
	text := g.question(a, &ex, r.a.o.Approvals.Asks(deed))
	if r.a.o.Redact(text) != text {
		return nil, tools.Fail(tools.ErrApprovalDenied, "a person has to allow this call, and would be shown a secret; it was not run", nil)
	}
	o := r.outbound(a.Question, text, "")
	o.Buttons = buttons(a)
	surface := r.a.o.Surfaces.At(o.Address)
	if err := surface.canAsk(o); err != nil {
		return nil, tools.Fail(tools.ErrApprovalDenied, "a person has to allow this call, and the question cannot be put: "+err.Error(), nil).Because(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if open += len(g.put) + len(g.asks); open >= maxOpen {
		return nil, tools.Fail(tools.ErrApprovalDenied, fmt.Sprintf("%d questions wait in this chat already; this call was not run", open), nil)
	}
	g.asks[key] = pendingApproval{approval: a, question: o}
	return tools.NewToolResult("waiting for approval " + a.ID + ": a person has been asked, and the call has not run. " +
		"The outcome will be told in this conversation; do not call it again."), nil
}

// pendingApproval is a question that is recorded with its call's result.
type pendingApproval struct {
	approval *session.Approval
	question channels.Outbound
}

// take gives the question of a call, nil for none.
func (g *approvalGate) take(key string) *pendingApproval {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, ok := g.asks[key]
	if !ok {
		return nil
	}
	delete(g.asks, key)
	g.put = append(g.put, *a.approval)
	return &a
}

// stained are the turn's questions that were put before content from outside came
// in: whoever goes on from the decision has read it.
func (g *approvalGate) stained() []session.Approval {
	r := g.r
	if !r.provenance.Tainted() {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []session.Approval
	for i := range g.put {
		if a := &g.put[i]; !a.Tainted {
			a.Tainted = true
			out = append(out, *a)
		}
	}
	return out
}

// lapsed says whether the time to answer a question is over. A clock that was put
// back gives it no more.
func lapsed(a *session.Approval, now time.Time) bool {
	return now.Before(a.Asked) || !now.Before(a.Expires)
}

func indented(raw string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(raw), "", "  ") != nil {
		return raw
	}
	return b.String()
}

// question is what the person reads: all of what would run, with nothing invisible in it.
func (g *approvalGate) question(a *session.Approval, ex *tools.Examination, why policy.Reason) string {
	r := g.r
	who := textRequester
	if a.Principal.Sender.Name != "" && !a.Principal.Direct {
		who = channels.Visible(a.Principal.Sender.Name)
	}
	behalf := ""
	if r.in.task != nil {
		behalf = fmt.Sprintf(textForTask, task.Name(r.in.task))
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
