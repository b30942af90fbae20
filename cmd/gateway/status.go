package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/gateway/admin"
	"parley/pkg/session"
)

func newStatus(h *host) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "status", Short: textStatus, Args: cobra.NoArgs,
		Long: textStatusLong,
		RunE: func(cmd *cobra.Command, _ []string) error { return h.status(cmd.Context(), asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, textJSON)
	return c
}

func (h *host) status(ctx context.Context, asJSON bool) error { //nolint:revive // flag-parameter: it is the flag of the command
	var r admin.StatusReport
	err := h.operate(ctx, admin.Status(), admin.Request{}, func(raw json.RawMessage) error {
		if err := json.Unmarshal(raw, &r); err != nil {
			return fmt.Errorf("the answer cannot be read: %w", err)
		}
		if asJSON {
			return h.printJSON(raw)
		}
		table := tabwriter.NewWriter(plain{h.out}, 0, 0, 2, ' ', 0)
		_, err := io.WriteString(table, statusText(&r))
		return errors.Join(err, table.Flush())
	})
	switch {
	case err != nil:
		return err
	case len(r.Trouble) > 0:
		return &admin.ExitError{Code: admin.CodeFailed, Silent: true, Err: errors.New(textTrouble)}
	case r.PID == 0:
		return &admin.ExitError{Code: admin.CodeNotRunning, Silent: true, Err: admin.ErrNotRunning}
	}
	return nil
}

// statusText is the report as a table.
func statusText(r *admin.StatusReport) string {
	state := textStatusStore
	switch {
	case r.PID != 0:
		state = fmt.Sprintf(textStatusRuns, r.PID, r.Since.Format(time.DateTime))
	case r.Empty:
		state = textStatusNoStore
	case r.Store == nil:
		state = textStatusUnreadable
	}
	var b strings.Builder
	fmt.Fprintf(&b, "gateway\t%s\nversion\t%s\n", state, r.Version)
	if s := r.Store; s != nil {
		fmt.Fprintf(&b,
			"waiting\t%d\nsending\t%d\nbackground tasks\t%d\nambiguous\t%d\nunsettled\t%d\n"+
				"refused\t%d\nquarantined\t%d\ndamaged\t%d\nsuspects\t%d\n",
			s.Waiting, s.Sending, s.OpenTasks, s.Ambiguous, s.Unsettled, s.Refused, s.Quarantined, s.Corrupt, s.Suspects)
	}
	if r.Why != "" {
		fmt.Fprintf(&b, "model\t%s (%s)\n", r.Model, r.Why)
	}
	for _, c := range r.Channels {
		fmt.Fprintf(&b, "channel %s\t%s %s\n", strings.TrimSuffix(c.Name+"/"+c.Account, "/"), c.Health.State, inCell(c.Health.Reason))
	}
	for i := range r.Corpora {
		c := &r.Corpora[i]
		fmt.Fprintf(&b, "corpus %s\t%s\n", c.Corpus, strings.TrimSuffix(c.Words()+": "+inCell(c.Trouble), ": "))
	}
	if n := len(r.Forgetting); n > 0 {
		fmt.Fprintf(&b, textStatusForgetting, admin.Count(n, "chat", "chats"), r.Forgetting[0].Local().Format(time.DateTime))
	}
	for _, t := range r.Slow {
		fmt.Fprintf(&b, textSlowTurn,
			admin.PlaceOf(session.Info{Address: t.Address}), t.Since.Format(time.DateTime), t.Stage)
	}
	for _, trouble := range r.Trouble {
		fmt.Fprintf(&b, "trouble\t%s\n", inCell(trouble))
	}
	return b.String()
}
