package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// A call that a person has to allow does not run: its question is stored with the
// call's result for now, and the turn ends. The decision is an item of its own,
// whose turn runs the stored call; see decision.go.

const (
	// approvalTime is how long a question may be answered.
	approvalTime = 10 * time.Minute
	// grantTime is how long a grant lasts.
	grantTime = 24 * time.Hour
	// maxOpen bounds the questions that wait in one chat.
	maxOpen = 10
)

// A run is the [tools.Gate] of its loop.
var _ tools.Gate = (*run)(nil)

// Pass says whether a call may run, or a person has to be asked.
func (r *run) Pass(ctx context.Context, req tools.ToolRequest) error {
	// The place of a call is the loop's word; its id is the model's.
	if d := r.decided; d != nil && !req.Nested && req.Invocation.Key == r.info.ID+"/"+callKey(1, 0) {
		if req.Examination.State != d.Fingerprint {
			return tools.Fail(tools.ErrApprovalDenied, changedText, nil)
		}
		return nil
	}
	if req.Examination.Destination != "" {
		r.taint.reaches(req.Invocation.CallID)
	}
	if req.Covered {
		return nil
	}
	deed := r.deed(&req)
	why := r.a.o.Approvals.Asks(deed)
	if why == "" {
		return nil
	}
	if deed.Grantable() {
		granted, err := r.granted(ctx, req.Tool)
		if err != nil || granted {
			return err
		}
	}
	return fmt.Errorf("%s: %w", why, tools.ErrAsk)
}

// deed is a call in the words of policy.
func (r *run) deed(req *tools.ToolRequest) policy.Deed {
	an, ex := &req.Annotations, &req.Examination
	return policy.Deed{
		Tool:        req.Tool,
		Writes:      !an.ReadOnly && policy.Level(an.Level).Allows(policy.LevelWrite),
		Destructive: ex.Destructive, Destroys: an.Destructive, Executes: an.Executes, Always: ex.Always,
		NewDestination: ex.Destination != "" && !r.taint.knows(ex.Destination),
		Tainted:        r.taint.is() || ex.Taints,
	}
}

// granted says whether everybody for whom the turn runs has allowed the tool here.
func (r *run) granted(ctx context.Context, tool string) (bool, error) {
	if r.taint.several() {
		return false, nil
	}
	grants, err := r.a.o.Engine.Grants(ctx, r.info.Chat)
	if err != nil {
		return false, err
	}
	now := time.Now()
	for i := range grants {
		g := &grants[i]
		if g.Tool == tool && g.Person.ID == r.who.sender.ID && g.Address.Account == r.info.Address.Account &&
			!now.Before(g.Since) && now.Before(g.Expires) {
			return true, nil
		}
	}
	return false, nil
}

// Ask puts the question for a call. It leaves when the call's result is recorded.
func (r *run) Ask(ctx context.Context, call tools.Call, ex tools.Examination) (*tools.ToolResult, error) {
	all, err := r.a.o.Engine.ApprovalList(ctx, r.info.Chat)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	open := 0
	for i := range all {
		if all[i].State == session.ApprovalOpen && now.Before(all[i].Expires) {
			open++
		}
	}
	if open >= maxOpen {
		return nil, tools.Fail(tools.ErrApprovalDenied, fmt.Sprintf("%d questions wait in this chat already; this call was not run", open), nil)
	}
	arguments, err := exact(call)
	if err != nil {
		return nil, err
	}
	req := tools.ToolRequest{Tool: call.Name, Annotations: call.Annotations, Examination: ex}
	deed := r.deed(&req)
	key := callKey(call.Round, call.Index)
	a := &session.Approval{
		ID: policy.NewPairingCode(), Chat: r.info.Chat, Session: r.info.Session, Address: r.info.Address,
		Turn: r.info.ID, Round: call.Round, Index: call.Index, Call: call.ID,
		Tool: call.Name, Arguments: arguments, Text: ex.Text, Question: r.info.ID + "/" + key + "/ask", Fingerprint: ex.State,
		Requester: r.who.sender, Direct: r.who.direct, Level: string(r.who.level),
		Tainted: deed.Tainted, Grantable: deed.Grantable(),
		Asked: now, Expires: now.Add(approvalTime), State: session.ApprovalOpen,
	}
	if a.Text == "" {
		a.Text = indented(arguments)
	}
	text := r.question(a, r.a.o.Approvals.Asks(deed))
	if r.a.o.Redact(text) != text {
		return nil, tools.Fail(tools.ErrApprovalDenied, "a person has to allow this call, and would be shown a secret; it was not run", nil)
	}
	o := r.outbound(a.Question, text, "")
	o.Buttons = buttons(a)
	if err := r.a.o.CanAsk(o); err != nil {
		return nil, tools.Fail(tools.ErrApprovalDenied, "a person has to allow this call, and the question cannot be put: "+err.Error(), nil).Because(err)
	}
	r.mu.Lock()
	r.asks[key] = asking{approval: a, question: o}
	r.mu.Unlock()
	return tools.NewToolResult("waiting for approval " + a.ID + ": a person has been asked, and the call has not run. " +
		"The outcome will be told in this conversation; do not call it again."), nil
}

// asking is a question that is recorded with its call's result.
type asking struct {
	approval *session.Approval
	question channels.Outbound
}

// takeAsking gives the question of a call, nil for none.
func (r *run) takeAsking(key string) *asking {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.asks[key]
	if !ok {
		return nil
	}
	delete(r.asks, key)
	return &a
}

// exact are a call's arguments as they will run: the model's own bytes, where the
// call was decoded from them.
func exact(call tools.Call) (string, error) {
	if json.Valid([]byte(call.RawArguments)) {
		return call.RawArguments, nil
	}
	b, err := json.Marshal(call.Arguments)
	return string(b), err
}

func indented(raw string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(raw), "", "  ") != nil {
		return raw
	}
	return b.String()
}

// question is what the person reads: all of what would run, with nothing invisible in it.
func (r *run) question(a *session.Approval, why string) string {
	shown := channels.Visible(a.Text)
	fence := "```"
	for strings.Contains(shown, fence) {
		fence += "`"
	}
	who := "the person who asked"
	if a.Requester.Name != "" && !a.Direct {
		who = channels.Visible(a.Requester.Name)
	}
	return fmt.Sprintf("May I run `%s`? I ask because %s.\n\n%s\n%s\n%s\n\nApproval %s, until %s. Only %s or an owner can decide.",
		a.Tool, why, fence, shown, fence, a.ID, a.Expires.Format("15:04:05 MST"), who)
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
	all := []channels.Button{{Label: "Allow once", Data: data(allowOnce)}}
	if a.Grantable {
		all = append(all, channels.Button{Label: "Allow here", Data: data(allowHere)})
	}
	return append(all, channels.Button{Label: "Deny", Data: data(denyWord)})
}
