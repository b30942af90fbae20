package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"parley/pkg/gateway/admin"
	"parley/pkg/session"
)

func newForget(h *host) *cobra.Command {
	var yes, wait, asJSON bool
	c := &cobra.Command{
		Use: "forget ID|CHANNEL:CHAT", Short: textForget, Args: cobra.ExactArgs(1),
		Long: textForgetLong,
		RunE: func(cmd *cobra.Command, words []string) error {
			args := sessionArg(words)
			if !yes {
				var err error
				if args.Session, err = h.confirmForget(cmd.Context(), args); err != nil {
					return err
				}
			}
			args.Wait = wait
			return h.operate(cmd.Context(), admin.ForgetSession(), args, func(raw json.RawMessage) error {
				if asJSON {
					return h.printJSON(raw)
				}
				var f admin.Forgotten
				if err := json.Unmarshal(raw, &f); err != nil {
					return err
				}
				return h.print("%s", forgottenText(&f))
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, textForgetYes)
	c.Flags().BoolVar(&wait, "wait", false, textForgetWait)
	c.Flags().BoolVar(&asJSON, "json", false, textJSON)
	return c
}

// forgottenText tells what became of a forget.
func forgottenText(f *admin.Forgotten) string {
	said := fmt.Sprintf(textForgotten, f.Session)
	if !f.Done {
		return said + textForgetUnderWay
	}
	said += textForgetDone
	if len(f.Copies) > 0 {
		said += textForgetCopies
	}
	for _, path := range f.Copies {
		said += fmt.Sprintf(textForgetCopy, path)
	}
	return said + textForgetBackups
}

// confirmForget shows which conversation would go, and returns the id of the one that
// the person agreed to.
func (h *host) confirmForget(ctx context.Context, args admin.Request) (string, error) {
	var i session.Info
	if err := h.operate(ctx, admin.ShowSession(), args, func(raw json.RawMessage) error { return json.Unmarshal(raw, &i) }); err != nil {
		return "", err
	}
	gone := textForgetGone
	if !i.Current {
		gone = textForgetGoneLeft
	}
	gone = fmt.Sprintf(gone, i.Session, admin.PlaceOf(i), admin.Count(i.Entries, "entry", "entries"))
	if !h.terminal() {
		return "", admin.WithCode(admin.CodeUsage, errors.New(textNotDeletedBecause+gone+textTerminalOrYes))
	}
	switch yes, err := h.ask("Delete it? T" + gone[1:] + "."); {
	case err != nil:
		return "", err
	case !yes:
		return "", admin.WithCode(admin.CodeFailed, errors.New(textNotDeleted))
	}
	return i.Session, nil
}
