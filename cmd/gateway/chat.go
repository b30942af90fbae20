package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley/pkg/channels/console"
	"parley/pkg/config"
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
	addPlain(c, &h.plain)
	return c
}

// addPlain adds the flag for a console of lines.
func addPlain(c *cobra.Command, plain *bool) { c.Flags().BoolVar(plain, "plain", false, textPlainFlag) }

// addSession adds the flags that choose a conversation.
func addSession(c *cobra.Command, session *string, fresh *bool) {
	c.Flags().StringVar(session, "session", "", textSessionFlag)
	c.Flags().BoolVar(fresh, "new", false, textNewFlag)
}

// chatOf is the chat that the flags name.
func chatOf(session string, fresh bool, usual string) (string, error) {
	switch {
	case fresh && session != "":
		return "", admin.WithCode(admin.CodeUsage, errors.New(textSessionOrNew))
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

// newChatID names a new conversation. No two have the same name, or they would read each other.
func newChatID() string { return "chat-" + strings.ToLower(rand.Text()[:16]) }

// chat talks to the gateway that runs, or to one of its own.
func (h *host) chat(ctx context.Context, chat string) error {
	t := &talk{host: h, chat: chat, introduce: h.introduce}
	if !h.terminal() {
		t.alone, t.trouble = true, endOnTrouble
	}
	t.open, h.talks = t.terminalView, !t.alone && h.logLevel != ""
	return t.run(ctx)
}

// leaves is for consoles that Ctrl-C ends.
func leaves() signals { return signals{interrupt: func() bool { return true }} }

func newAsk(h *host) *cobra.Command {
	var session string
	var fresh, asJSON bool
	var files []string
	c := &cobra.Command{
		Use: "ask [TEXT...]", Short: textAsk, Long: textAskLong, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			chat, err := chatOf(session, fresh, newChatID())
			if err != nil {
				return err
			}
			q := question{chat: chat, files: files, asJSON: asJSON}
			if q.text, err = h.question(words, &q.files); err != nil {
				return err
			}
			return askOnce(cmd.Context(), h, &q)
		},
	}
	addSession(c, &session, &fresh)
	c.Flags().StringArrayVarP(&files, "file", "f", nil, textFileFlag)
	c.Flags().BoolVar(&asJSON, "json", false, textJSON)
	return c
}

// question is one question of the command line.
type question struct {
	chat, text string
	files      []string
	asJSON     bool
}

// stdin stands for standard input among the arguments of a command.
const stdin = "-"

// question is the text of the words, or of standard input without any, or for "-".
func (h *host) question(words []string, files *[]string) (string, error) {
	text := strings.Join(words, " ")
	if text == stdin || text == "" && !h.terminal() {
		raw, err := io.ReadAll(io.LimitReader(h.in, maxQuestion+1))
		if err != nil {
			return "", admin.WithCode(admin.CodeFailed, fmt.Errorf(textNoInput, err))
		}
		if len(raw) > maxQuestion {
			return "", admin.WithCode(admin.CodeUsage, fmt.Errorf(textLongQuestion, maxQuestion>>10))
		}
		text = string(raw)
	}
	if text = strings.TrimSpace(text); text == "" && len(*files) == 0 {
		return "", admin.WithCode(admin.CodeUsage, errors.New(textNoQuestion))
	}
	for _, path := range *files {
		if err := attach.Sendable(path); err != nil {
			return "", admin.WithCode(admin.CodeUsage, fmt.Errorf(textNoSuchFile, path, err))
		}
	}
	return text, nil
}

// maxQuestion is the longest question in bytes: a request takes 1 MiB, in which each of its bytes may be escaped.
const maxQuestion = 512 << 10

// askOnce asks once, and prints the answer.
func askOnce(ctx context.Context, h *host, q *question) error {
	a := &attach.Answer{Chat: q.chat}
	t := &talk{
		host: h, chat: q.chat, alone: true, files: q.files, trouble: endOnTrouble,
		open: func(*config.Config) (attach.View, signals) { return attach.Asking(q.text, a), leaves() },
	}
	err := t.run(ctx)
	if e, ok := errors.AsType[*admin.ExitError](err); err != nil && (!ok || !e.Silent) {
		return err
	}
	a.Failed = err != nil
	if q.asJSON {
		raw, failed := json.Marshal(a)
		if failed == nil {
			failed = h.printJSON(raw)
		}
		return cmp.Or(failed, err, unanswered(a))
	}
	if text := a.Text(); text != "" {
		if _, failed := fmt.Fprintln(h.out, console.Sanitize(text)); failed != nil {
			return failed
		}
	}
	for _, id := range a.Questions {
		_, _ = fmt.Fprintf(h.err, textAskedOf, id, admin.Program(), id) // the exit code says it too
	}
	return cmp.Or(err, unanswered(a))
}

// unanswered is the end of a command whose call waits for a person.
func unanswered(a *attach.Answer) error {
	if len(a.Questions) == 0 {
		return nil
	}
	return &admin.ExitError{Code: admin.CodeFailed, Silent: true, Err: errUnanswered}
}
