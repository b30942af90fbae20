package approval

import (
	"context"
	"fmt"
	"time"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/visible"
)

// maxOpen is how many questions may wait in one chat.
const maxOpen = 10

// Ask puts the question for a call. It leaves when the call's result is recorded.
func (g *gate) Ask(ctx context.Context, call tools.Call, ex tools.Examination) (*tools.ToolResult, error) {
	if w := turn.Wish(g.t); w != nil && w.NoQuestions {
		return nil, tools.Fail(tools.ErrApprovalDenied, "a person has to allow this call, and is not asked for this program; it was not run", nil)
	}
	all, err := g.approvals.o.Store.ApprovalList(ctx, g.t.Origin.Chat)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	open := 0
	for i := range all { // those of this turn may not be stored yet
		if all[i].State == session.ApprovalOpen && all[i].Call.Turn != g.t.Info.ID && !Lapsed(&all[i], now) {
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
		Task: taskID, Text: TextOf(&ex, arguments), Question: session.QuestionID(g.t.Info.ID, key),
		Principal: g.t.Principal.Stored(g.t.Provenance),
		Call: session.HeldCall{
			Turn: g.t.Info.ID, Round: call.Round, Index: call.Index, ID: call.ID,
			Tool: call.Name, Arguments: arguments, Fingerprint: ex.State,
		},
		Wish: turn.Wish(g.t).Lasting(), Tainted: g.t.Provenance.Tainted() || ex.Taints,
		Grantable: deed.Grantable() && !g.t.Provenance.SeveralPeople(),
		Asked:     now, Expires: now.Add(Time), State: session.ApprovalOpen,
	}
	text := g.question(a, &ex, g.approvals.o.Rules.Asks(deed))
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

// question is the person's text: all of the call, without invisible characters.
func (g *gate) question(a *session.Approval, ex *tools.Examination, why policy.Reason) string {
	who := named.Requester
	if a.Principal.Sender.Name != "" && !a.Principal.Direct {
		who = visible.Text(a.Principal.Sender.Name)
	}
	behalf := ""
	if g.t.Input.Task != nil {
		behalf = fmt.Sprintf(textForTask, g.approvals.o.TaskName(g.t.Input.Task))
	}
	return fmt.Sprintf(textQuestion,
		Headline(a.Call.Tool, ex, behalf, why), visible.Verbatim(a.Text), a.ID, a.Expires.Format("15:04:05 MST"), who)
}
