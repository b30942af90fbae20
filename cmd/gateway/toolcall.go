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

	"parley/pkg/gateway/admin"
	"parley/pkg/visible"
)

func newToolCall(h *host) *cobra.Command {
	var chat string
	var yes bool
	c := &cobra.Command{
		Use: "call NAME JSON", Short: textToolCall, Args: cobra.RangeArgs(1, 2),
		Long: textToolCallLong,
		RunE: func(cmd *cobra.Command, words []string) error {
			args := admin.Request{Tool: words[0], Input: json.RawMessage("{}"), Chat: chat, Yes: yes}
			if len(words) > 1 {
				args.Input = json.RawMessage(words[1])
			}
			if !json.Valid(args.Input) {
				return admin.WithCode(admin.CodeUsage, errors.New(textArgumentsNotJSON))
			}
			return h.callTool(cmd.Context(), args)
		},
	}
	c.Flags().StringVar(&chat, "chat", "", textChatFlag)
	c.Flags().BoolVar(&yes, "yes", false, textYesFlag)
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
		text := fmt.Sprintf(textRunIt, r.Question.Headline, visible.Verbatim(r.Question.Text))
		switch yes, err := h.ask(text); {
		case err != nil:
			return err
		case !yes:
			return admin.WithCode(admin.CodeFailed, fmt.Errorf(textNotCalled, args.Tool))
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
		return &admin.ExitError{Code: admin.CodeFailed, Silent: true, Err: errors.New(textCallFailed)}
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
