package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"parley/pkg/agent/approval"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// CallTool calls a tool for the operator. Checks, rights and questions are those of
// a model's call in that chat. It emits one [CallReport]. An error that is
// [tools.ErrAsk] says that the call did not run and that a question was emitted.
func CallTool() Operation { return Operation{Name: "tool call", Audited: true, Handle: callTool} }

// CallReport is the answer to [CallTool]: a result, or the question that has to be
// answered first.
type CallReport struct {
	Result   string        `json:"result,omitempty"`
	IsError  bool          `json:"is_error,omitempty"`
	Question *CallQuestion `json:"question,omitempty"`
}

// CallQuestion is put to the operator before a call runs.
type CallQuestion struct {
	// Chat is the place at which the tool would run.
	Chat string `json:"chat"`
	// Headline is the question in a sentence, Why is its reason, Text is all of the call.
	Headline string `json:"headline"`
	Why      string `json:"why"`
	Text     string `json:"text"`
	// Shown is the fingerprint of the question: a call that brings it runs as long as
	// it would do the same.
	Shown string `json:"shown"`
}

func callTool(ctx context.Context, g *Gateway, r *Request, emit Emit) error {
	input, err := providers.DecodeArguments(string(r.Input))
	if err != nil {
		return WithCode(CodeUsage, fmt.Errorf("the arguments are not a JSON object: %w", err))
	}
	at, err := chatOf(ctx, g, r.Chat)
	if err != nil {
		return err
	}
	event, err := g.Writer(ctx, at)
	if err != nil {
		return err
	}
	level, owner := g.Policy.Rights(event)
	gate := &callGate{gateway: g, request: r, at: policy.Place(at).String()}
	ctx = tools.WithInvocation(tools.WithGate(ctx, gate), tools.Invocation{
		Channel: at.Channel, Account: at.Account, Chat: at.Chat, Thread: at.Thread, Sender: g.Home.Chat,
		Space: g.Spaces.Of(at, owner && event.Direct), Level: tools.Level(level), CallID: "desk",
	})
	here := g.Tools.Registry.Filter(func(name string, _ tools.Annotations) bool { return g.Tools.Offered(at, name) })
	result := here.ExecuteAndWait(ctx, r.Tool, input, at.Channel, at.Chat)
	if gate.question != nil {
		return errors.Join(emit(CallReport{Question: gate.question, IsError: true}), tools.ErrAsk)
	}
	return emit(CallReport{Result: result.ForLLM, IsError: result.IsError})
}

// chatOf finds the chat of a direct call: a session's id, or the place of a chat that
// the store knows; "" is the home chat, which the store need not know.
func chatOf(ctx context.Context, g *Gateway, name string) (channels.Address, error) {
	if name == "" || name == policy.Place(g.Home).String() {
		return g.Home, nil
	}
	info, err := findSession(ctx, g, name)
	if err == nil && info.Address.Channel == session.AgentChannel {
		err = fmt.Errorf("%s is the conversation of a background agent: name the chat that started it", name)
	}
	return info.Address, err
}

// callGate asks the operator about a direct call.
type callGate struct {
	gateway  *Gateway
	request  *Request
	at       string
	question *CallQuestion
}

var _ tools.Gate = (*callGate)(nil)

// Pass implements [tools.Gate].
func (g *callGate) Pass(_ context.Context, req tools.ToolRequest) error {
	if req.Covered || g.request.Yes {
		return nil
	}
	why := g.why(req.Tool, &req.Annotations, &req.Examination)
	if !why.Asks() || !req.Nested && g.request.Shown == g.fingerprint(&req.Examination) {
		return nil
	}
	return fmt.Errorf("%s: %w", why.Text, tools.ErrAsk)
}

// Ask implements [tools.Gate].
func (g *callGate) Ask(_ context.Context, call tools.Call, ex tools.Examination) (*tools.ToolResult, error) {
	text := g.text(&ex)
	if g.gateway.Redact(text) != text {
		return nil, tools.Fail(tools.ErrApprovalDenied, "a person has to allow this call, and would be shown a secret; --yes runs it without "+
			"a question", nil)
	}
	why := g.why(call.Name, &call.Annotations, &ex)
	g.question = &CallQuestion{
		Chat: g.at, Headline: approval.Headline(call.Name, &ex, fmt.Sprintf(textInChat, g.at), why), Why: why.Text,
		Text: text, Shown: g.fingerprint(&ex),
	}
	return tools.NewToolResult("a person is asked"), nil
}

// why is the reason to ask a person. Addresses that the operator wrote are no new ones.
func (g *callGate) why(tool string, an *tools.Annotations, ex *tools.Examination) policy.Reason {
	written := strings.ToLower(string(g.request.Input))
	return g.gateway.Approvals.Asks(approval.DeedOf(tool, an, ex, false, func(address string) bool {
		return strings.Contains(written, strings.ToLower(address))
	}))
}

func (g *callGate) text(ex *tools.Examination) string {
	return approval.TextOf(ex, string(g.request.Input))
}

// fingerprint stands for all effects of a call, and for the state that it relies on.
func (g *callGate) fingerprint(ex *tools.Examination) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{g.at, g.request.Tool, string(g.request.Input), g.text(ex), ex.State}, "\x00")))
	return hex.EncodeToString(sum[:])
}
