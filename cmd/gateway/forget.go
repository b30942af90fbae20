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
	var yes, asJSON bool
	c := &cobra.Command{
		Use: "forget ID|CHANNEL:CHAT", Short: "Delete a conversation and all that waits in its chat", Args: cobra.ExactArgs(1),
		Long: `Deletes a conversation and all that waits in its chat, for good. It is asked about
on the terminal; without one it is deleted with --yes only.`,
		RunE: func(cmd *cobra.Command, words []string) error {
			args := sessionArg(words)
			if !yes {
				var err error
				if args.Session, err = h.confirmForget(cmd.Context(), args); err != nil {
					return err
				}
			}
			return h.operate(cmd.Context(), admin.ForgetSession(), args, func(raw json.RawMessage) error {
				if asJSON {
					return h.printJSON(raw)
				}
				var i session.Info
				if err := json.Unmarshal(raw, &i); err != nil {
					return err
				}
				return h.print("forgotten: %s\n", i.Session)
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "delete it without a question")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// confirmForget shows which conversation would go, and returns the id of the one that
// the person agreed to.
func (h *host) confirmForget(ctx context.Context, args admin.Request) (string, error) {
	var i session.Info
	if err := h.operate(ctx, admin.ShowSession(), args, func(raw json.RawMessage) error { return json.Unmarshal(raw, &i) }); err != nil {
		return "", err
	}
	gone := fmt.Sprintf("the conversation %s of %s (%s) and all that waits in its chat would be gone for good",
		i.Session, admin.PlaceOf(i), admin.Count(i.Entries, "entry", "entries"))
	if !h.terminal() {
		return "", admin.WithCode(admin.CodeUsage, errors.New("nothing was deleted: "+gone+": run it in a terminal to be asked, or give --yes"))
	}
	switch yes, err := h.ask("Delete it? T" + gone[1:] + "."); {
	case err != nil:
		return "", err
	case !yes:
		return "", admin.WithCode(admin.CodeFailed, errors.New("nothing was deleted"))
	}
	return i.Session, nil
}
