package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/channels/slack"
	"parley/pkg/channels/telegram"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// callReport is the answer to opCall: a result, or the question that has to be
// answered first.
type callReport struct {
	Result   string        `json:"result,omitempty"`
	IsError  bool          `json:"is_error,omitempty"`
	Question *callQuestion `json:"question,omitempty"`
}

// callQuestion is put to the operator before a call runs.
type callQuestion struct {
	// Chat is the place at which the tool would run.
	Chat string `json:"chat"`
	// Why says why a person is asked, Text is all of what would run.
	Why  string `json:"why"`
	Text string `json:"text"`
	// Shown is the fingerprint of the question: a call that brings it runs as long as
	// it would do what was shown.
	Shown string `json:"shown"`
}

// callTool calls a tool for the operator. Checks, rights and questions are those of
// a model's call in that chat. An error that is [tools.ErrAsk] says that the call did
// not run and that a question was emitted.
func (a *App) callTool(ctx context.Context, args deskArgs, emit emitter) error {
	input, err := providers.DecodeArguments(string(args.Input))
	if err != nil {
		return coded(exitUsage, fmt.Errorf("the arguments are not a JSON object: %w", err))
	}
	at, err := a.chatOf(ctx, args.Chat)
	if err != nil {
		return err
	}
	event, err := a.writer(ctx, at)
	if err != nil {
		return err
	}
	level, owner := a.policy.Rights(event)
	gate := &callGate{app: a, args: args, at: policy.Place(at).String()}
	ctx = tools.WithInvocation(tools.WithGate(ctx, gate), tools.Invocation{
		Channel: at.Channel, Account: at.Account, Chat: at.Chat, Thread: at.Thread, Sender: operatorID,
		Space: a.spaces.Of(at, owner && event.Direct), Level: tools.Level(level), CallID: "desk",
	})
	offered := offered(a.cfg.Tools.Chats, a.policy.Addresses)
	here := a.registry.Filter(func(name string, _ tools.Annotations) bool { return offered(at, name) })
	result := here.ExecuteAndWait(ctx, args.Tool, input, at.Channel, at.Chat)
	if gate.question != nil {
		return errors.Join(emit(callReport{Question: gate.question, IsError: true}), tools.ErrAsk)
	}
	return emit(callReport{Result: result.ForLLM, IsError: result.IsError})
}

// operatorID is the console's one person, and the id of its one chat.
const operatorID = "local"

// consolePlace is the place of the console.
const consolePlace = console.Name + ":" + operatorID

// chatOf finds the chat of a direct call: a session's id, or the place of a chat that
// the store knows; "" is the console, which is always there.
func (a *App) chatOf(ctx context.Context, name string) (channels.Address, error) {
	if name == "" || name == consolePlace {
		return channels.Address{Channel: console.Name, Chat: operatorID}, nil
	}
	info, err := a.findSession(ctx, name)
	if err == nil && info.Address.Channel == session.AgentChannel {
		err = fmt.Errorf("%s is the conversation of a background agent: name the chat that started it", name)
	}
	return info.Address, err
}

// writer is a message of the person who writes in a chat, as far as its address
// tells: it decides on the rights of the chat. A group has no such person.
func (a *App) writer(ctx context.Context, at channels.Address) (policy.Event, error) {
	e := policy.Event{Kind: policy.KindMessage, Address: at, Sender: channels.Sender{ID: at.Chat}, Direct: true, Mentioned: true}
	switch at.Channel {
	case telegram.Name:
		e.Direct = !strings.HasPrefix(at.Chat, "-")
	case slack.Name: // a direct chat has an id of its own there: only of a pair is it known whose it is
		e.Direct = strings.HasPrefix(at.Chat, "D")
		e.Sender.ID = ""
		pairs, _, err := a.engine.PairList(ctx)
		if err != nil {
			return e, err
		}
		for i := range pairs {
			if p := &pairs[i]; p.Address.Channel == at.Channel && p.Address.Account == at.Account && p.Address.Chat == at.Chat {
				e.Sender = p.Sender
			}
		}
	}
	if !e.Direct {
		e.Sender.ID = ""
	}
	return e, nil
}

// callGate asks the operator about a direct call.
type callGate struct {
	app      *App
	args     deskArgs
	at       string
	question *callQuestion
}

var _ tools.Gate = (*callGate)(nil)

// Pass implements [tools.Gate].
func (g *callGate) Pass(_ context.Context, req tools.ToolRequest) error {
	if req.Covered || g.args.Yes {
		return nil
	}
	why := g.why(req.Tool, &req.Annotations, &req.Examination)
	if why == "" || !req.Nested && g.args.Shown == g.fingerprint(&req.Examination) {
		return nil
	}
	return fmt.Errorf("%s: %w", why, tools.ErrAsk)
}

// Ask implements [tools.Gate].
func (g *callGate) Ask(_ context.Context, call tools.Call, ex tools.Examination) (*tools.ToolResult, error) {
	text := g.text(&ex)
	if g.app.redactor.Redact(text) != text {
		return nil, tools.Fail(tools.ErrApprovalDenied, "a person has to allow this call, and would be shown a secret; --yes runs it without a question", nil)
	}
	g.question = &callQuestion{Chat: g.at, Why: g.why(call.Name, &call.Annotations, &ex), Text: text, Shown: g.fingerprint(&ex)}
	return tools.NewToolResult("a person is asked"), nil
}

// why says why a person is asked, "" for not at all. Addresses that the operator
// wrote are no new ones.
func (g *callGate) why(tool string, an *tools.Annotations, ex *tools.Examination) string {
	written := strings.ToLower(string(g.args.Input))
	return g.app.approvals.Asks(agent.DeedOf(tool, an, ex, false, func(address string) bool {
		return strings.Contains(written, strings.ToLower(address))
	}))
}

func (g *callGate) text(ex *tools.Examination) string { return agent.TextOf(ex, string(g.args.Input)) }

// fingerprint stands for all of what a call would do, and for what it relies on.
func (g *callGate) fingerprint(ex *tools.Examination) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{g.at, g.args.Tool, string(g.args.Input), g.text(ex), ex.State}, "\x00")))
	return hex.EncodeToString(sum[:])
}

func newToolCall(h *host) *cobra.Command {
	var chat string
	var yes bool
	c := &cobra.Command{
		Use: "call NAME JSON", Short: "Call a tool directly, in a chat and under its checks", Args: cobra.RangeArgs(1, 2),
		Long: `Calls a tool without a model: at the console, or with --chat in another chat, with
the files, the tools and the level of that chat. A call that a person would have to
allow in a chat is shown here, and runs after a yes; without a terminal it runs with
--yes only.`,
		RunE: func(cmd *cobra.Command, words []string) error {
			args := deskArgs{Tool: words[0], Input: json.RawMessage("{}"), Chat: chat, Yes: yes}
			if len(words) > 1 {
				args.Input = json.RawMessage(words[1])
			}
			if !json.Valid(args.Input) {
				return coded(exitUsage, errors.New(`the arguments are not JSON: write an object such as '{"path": "."}'`))
			}
			return h.callTool(cmd.Context(), args)
		},
	}
	c.Flags().StringVar(&chat, "chat", "", "the chat: CHANNEL:[ACCOUNT/]CHAT, or a session's id (default: the console)")
	c.Flags().BoolVar(&yes, "yes", false, "run it without a question")
	return c
}

// callTool calls a tool, and puts the questions that have to be answered first.
func (h *host) callTool(ctx context.Context, args deskArgs) error {
	for {
		var r callReport
		err := h.operate(ctx, opCall, args, func(raw json.RawMessage) error { return json.Unmarshal(raw, &r) })
		if r.Question == nil {
			return h.showCall(r, err)
		}
		if !h.terminal() {
			return coded(exitUsage, fmt.Errorf("%s was not called: a person has to allow it, because %s: call it in a terminal, or give --yes", args.Tool, r.Question.Why))
		}
		text := fmt.Sprintf("May I run %#q in %s? I ask because %s.\n\n%s\n\nRun it?", args.Tool, r.Question.Chat, r.Question.Why, channels.Verbatim(r.Question.Text))
		switch yes, err := h.ask(text); {
		case err != nil:
			return err
		case !yes:
			return coded(exitFailed, fmt.Errorf("%s was not called", args.Tool))
		}
		args.Shown = r.Question.Shown
	}
}

func (h *host) showCall(r callReport, err error) error {
	if err != nil {
		return err
	}
	show := func() error { return h.print("%s\n", r.Result) }
	if raw := json.RawMessage(r.Result); json.Valid(raw) {
		show = func() error { return h.printJSON(raw) }
	}
	if err := show(); err != nil {
		return err
	}
	if r.IsError {
		return &exitError{code: exitFailed, silent: true, err: errors.New("the call failed")}
	}
	return nil
}

// ask puts a question on the terminal and waits for the answer: everything but a yes
// is a no, the end of the input too.
func (h *host) ask(question string) (bool, error) {
	if _, err := fmt.Fprintf(plain{h.err}, "%s [y/n] ", question); err != nil {
		return false, coded(exitFailed, err)
	}
	line, err := bufio.NewReader(h.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, coded(exitFailed, err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	default:
		return false, nil
	}
}
