package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"parley/pkg/gateway/admin"
)

func newWeb(h *host) *cobra.Command {
	open := &cobra.Command{
		Use: "open", Short: textWebOpen, Long: textWebOpenLong, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !h.screen() {
				return admin.WithCode(admin.CodeUsage, errors.New(textWebNoScreen))
			}
			return h.operate(cmd.Context(), admin.OpenWeb(), admin.Request{}, func(raw json.RawMessage) error {
				var r admin.LinkReport
				if err := json.Unmarshal(raw, &r); err != nil {
					return fmt.Errorf("the answer cannot be read: %w", err)
				}
				return h.print(textWebLink, r.URL)
			})
		},
	}
	return group("web", textWeb, open)
}

// screen says whether a person reads standard output.
func (h *host) screen() bool {
	return isScreen(h.out)
}

// isScreen says whether an output is a terminal.
func isScreen(w io.Writer) bool {
	out, ok := w.(*os.File)
	return ok && term.IsTerminal(int(out.Fd()))
}
