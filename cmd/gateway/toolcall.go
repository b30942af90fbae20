package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
)

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
			args := admin.Request{Tool: words[0], Input: json.RawMessage("{}"), Chat: chat, Yes: yes}
			if len(words) > 1 {
				args.Input = json.RawMessage(words[1])
			}
			if !json.Valid(args.Input) {
				return admin.WithCode(admin.CodeUsage, errors.New(`the arguments are not JSON: write an object such as '{"path": "."}'`))
			}
			return h.callTool(cmd.Context(), args)
		},
	}
	c.Flags().StringVar(&chat, "chat", "", "the chat: CHANNEL:[ACCOUNT/]CHAT, or a session's id (default: the console)")
	c.Flags().BoolVar(&yes, "yes", false, "run it without a question")
	return c
}

// callTool calls a tool, and puts the questions that have to be answered first.
func (h *host) callTool(ctx context.Context, args admin.Request) error {
	for {
		var r admin.CallReport
		err := h.operate(ctx, admin.CallTool(), args, func(raw json.RawMessage) error { return json.Unmarshal(raw, &r) })
		if r.Question == nil {
			return h.showCall(r, err)
		}
		if !h.terminal() {
			return admin.WithCode(admin.CodeUsage, fmt.Errorf("%s was not called: a person has to allow it, because %s: call it in a terminal, "+
				"or give --yes", args.Tool, r.Question.Why))
		}
		text := fmt.Sprintf("%s\n\n%s\n\nRun it?", r.Question.Headline, channels.Verbatim(r.Question.Text))
		switch yes, err := h.ask(text); {
		case err != nil:
			return err
		case !yes:
			return admin.WithCode(admin.CodeFailed, fmt.Errorf("%s was not called", args.Tool))
		}
		args.Shown = r.Question.Shown
	}
}

func (h *host) showCall(r admin.CallReport, err error) error {
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
		return &admin.ExitError{Code: admin.CodeFailed, Silent: true, Err: errors.New("the call failed")}
	}
	return nil
}

// ask puts a question on the terminal and waits for the answer: everything but a yes
// is a no, the end of the input too.
func (h *host) ask(question string) (bool, error) {
	if _, err := fmt.Fprintf(plain{h.err}, "%s [y/n] ", question); err != nil {
		return false, admin.WithCode(admin.CodeFailed, err)
	}
	line, err := bufio.NewReader(h.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, admin.WithCode(admin.CodeFailed, err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	default:
		return false, nil
	}
}
