package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/audit"
	"parley/pkg/gateway/admin"
)

func newAudit(h *host) *cobra.Command {
	var from uint64
	verify := &cobra.Command{
		Use: "verify", Short: textAuditVerify, Args: cobra.NoArgs,
		Long: textAuditVerifyLong,
		RunE: func(cmd *cobra.Command, _ []string) error { return h.auditVerify(cmd.Context(), from) },
	}
	verify.Flags().Uint64Var(&from, "from", 0, textAuditFrom)
	var q auditFlags
	show := &cobra.Command{
		Use: "show", Short: textAuditShow, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return h.auditShow(cmd.Context(), q) },
	}
	f := show.Flags()
	f.StringVar(&q.since, "since", "", textAuditSince)
	f.StringVar(&q.chat, "chat", "", textAuditChat)
	f.StringVar(&q.tool, "tool", "", textAuditTool)
	f.StringVar(&q.kind, "kind", "", textAuditKind+strings.Join(admin.AuditKinds(), ", "))
	f.IntVarP(&q.last, "last", "n", 50, textAuditLast)
	f.BoolVar(&q.asJSON, "json", false, textAuditJSON)
	return group("audit", textAudit, verify, show)
}

// auditFlags are the flags of audit show.
type auditFlags struct {
	since, chat, tool, kind string
	last                    int
	asJSON                  bool
}

func (h *host) auditVerify(ctx context.Context, from uint64) error {
	cfg, err := h.load(true)
	if err != nil {
		return err
	}
	r, err := admin.VerifyAudit(ctx, cfg.StateDir, from)
	if err != nil {
		return err
	}
	if r.Rows == 0 {
		return h.print(textAuditEmpty)
	}
	text := fmt.Sprintf(textAuditWhole, r.First, r.Last, admin.Count(r.Segments, "file", "files"))
	if r.OwnTroubles > 0 {
		text += fmt.Sprintf(textAuditItself,
			admin.Count(r.OwnTroubles, "row", "rows"), admin.Program())
	}
	if r.Unfinished {
		text += textAuditUnfinished
	}
	return h.print(textAuditHash, text, r.Last, r.LastHash)
}

func (h *host) auditShow(ctx context.Context, f auditFlags) error {
	cfg, err := h.load(true)
	if err != nil {
		return err
	}
	since, err := sinceTime(f.since, time.Now())
	switch kinds := admin.AuditKinds(); {
	case err != nil:
	case f.kind != "" && !slices.Contains(kinds, f.kind):
		err = fmt.Errorf(textAuditBadKind, f.kind, strings.Join(kinds, ", "))
	case f.last < 0:
		err = fmt.Errorf(textAuditBadLast, f.last)
	}
	if err != nil {
		return admin.WithCode(admin.CodeUsage, err)
	}
	rows, err := admin.ReadAudit(ctx, cfg.StateDir, admin.AuditQuery{Since: since, Chat: f.chat, Tool: f.tool, Kind: f.kind, Last: f.last})
	return admin.Failed(errors.Join(showRows(h.out, rows, f.asJSON), err))
}

// sinceTime reads a duration before now, a day or a time.
func sinceTime(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil {
		return now.Add(-d.Abs()), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil { //nolint:gosmopolitan // the operator's own zone
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf(textAuditBadSince, s)
}

func showRows(out io.Writer, rows []audit.Row, asJSON bool) error { //nolint:revive // flag-parameter: it is the flag of the command
	if asJSON {
		enc := json.NewEncoder(plainJSON{out})
		for i := range rows {
			if err := enc.Encode(&rows[i]); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i := range rows {
		r := &rows[i]
		//nolint:gosmopolitan // the operator's own zone
		_, err := fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Seq, r.Time.Local().Format(time.DateTime), r.Kind,
			printable(r.Outcome), printable(admin.PlaceOfRow(r)), printable(r.Sender), printable(r.Tool), printable(r.Detail))
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// printable escapes characters that would control the terminal.
func printable(s string) string {
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}
