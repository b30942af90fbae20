package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"parley/pkg/channels/console"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/attach"
)

func newChat(h *host) *cobra.Command {
	var session string
	var fresh bool
	c := &cobra.Command{
		Use: "chat", Short: textChat, Args: cobra.NoArgs, Long: textChatLong,
		RunE: func(cmd *cobra.Command, _ []string) error {
			chat, err := chatOf(session, fresh, homeChat)
			if err != nil {
				return err
			}
			return h.chat(cmd.Context(), chat)
		},
	}
	addSession(c, &session, &fresh)
	return c
}

// addSession adds the flags that choose a conversation.
func addSession(c *cobra.Command, session *string, fresh *bool) {
	c.Flags().StringVar(session, "session", "", textSessionFlag)
	c.Flags().BoolVar(fresh, "new", false, textNewFlag)
	c.MarkFlagsMutuallyExclusive("session", "new")
}

// chatOf is the chat that the flags name.
func chatOf(session string, fresh bool, usual string) (string, error) {
	switch {
	case fresh:
		return newChatID(), nil
	case session == "":
		return usual, nil
	case !attach.ValidChat(session):
		return "", admin.WithCode(admin.CodeUsage, fmt.Errorf(textBadSession, session))
	default:
		return session, nil
	}
}

// newChatID names a new conversation.
func newChatID() string { return "chat-" + strings.ToLower(rand.Text()[:6]) }

// chat talks to the gateway that runs, or to one of its own.
func (h *host) chat(ctx context.Context, chat string) error {
	t := &talk{host: h, chat: chat, introduce: h.introduce}
	if !h.terminal() {
		t.alone, t.trouble = true, endOnTrouble
	}
	t.open = func() (attach.View, func() bool) {
		screen := console.New(console.Options{
			In: h.in, Out: h.out, Err: h.err, Interactive: !t.alone, Busy: t.busy, Settled: t.settle,
		})
		if t.alone {
			return screen, leaves
		}
		return screen, screen.Interrupt
	}
	return t.run(ctx)
}

// leaves is for consoles that Ctrl-C ends.
func leaves() bool { return true }

func newAsk(h *host) *cobra.Command {
	var session string
	var fresh, asJSON bool
	var files []string
	c := &cobra.Command{
		Use: "ask TEXT...", Short: textAsk, Long: textAskLong, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			chat, err := chatOf(session, fresh, newChatID())
			if err != nil {
				return err
			}
			return askOnce(cmd.Context(), h, chat, strings.Join(words, " "), files, asJSON)
		},
	}
	addSession(c, &session, &fresh)
	c.Flags().StringArrayVarP(&files, "file", "f", nil, textFileFlag)
	c.Flags().BoolVar(&asJSON, "json", false, textJSON)
	return c
}

// askOnce asks once, and prints the answer.
//
//nolint:revive // flag-parameter: asJSON is a flag
func askOnce(ctx context.Context, h *host, chat, text string, files []string, asJSON bool) error {
	a := &attach.Answer{Chat: chat}
	t := &talk{
		host: h, chat: chat, alone: true, files: files, trouble: endOnTrouble,
		open: func() (attach.View, func() bool) { return attach.Asking(text, a), leaves },
	}
	err := t.run(ctx)
	if e, ok := errors.AsType[*admin.ExitError](err); err != nil && (!ok || !e.Silent) {
		return err
	}
	if asJSON {
		raw, failed := json.Marshal(a)
		if failed == nil {
			failed = h.printJSON(raw)
		}
		return errors.Join(failed, err)
	}
	if _, failed := fmt.Fprintln(h.out, console.Sanitize(a.Text())); failed != nil {
		return failed
	}
	if len(a.Questions) > 0 && err == nil {
		for _, q := range a.Questions {
			_, _ = fmt.Fprintf(h.err, textAskedOf, q, admin.Program(), q) // the exit code says it too
		}
		return &admin.ExitError{Code: admin.CodeFailed, Silent: true, Err: errUnanswered}
	}
	return err
}
