package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/channels/console"
	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/telemetry"
	"parley/pkg/session"
)

// operate does an operation in the running gateway, or on the store without one.
func (h *host) operate(ctx context.Context, op admin.Operation, r admin.Request, take func(json.RawMessage) error) error {
	cfg, err := h.load(true)
	if err != nil {
		return err
	}
	return admin.Ask(ctx, cfg.StateDir, op, r, take, func(ctx context.Context, take func(json.RawMessage) error) error {
		return h.operateHere(ctx, op, r, take)
	})
}

func (h *host) operateHere(ctx context.Context, op admin.Operation, r admin.Request, take func(json.RawMessage) error) error {
	cfg, err := h.load(false)
	if err != nil { // the secrets may be out of reach here; the work goes on without them
		if cfg, err = h.load(true); err != nil {
			return err
		}
	}
	h.redactor = h.newRedactor(cfg)
	log, err := h.logger(cfg, "warn")
	if err != nil {
		return err
	}
	return gateway.Operate(ctx, cfg, gateway.Options{LookupEnv: h.lookupEnv, Log: log, Redactor: h.redactor}, op, &r, take)
}

// verb is a command that shows the answer of an operation: each value by show, or as a
// line of JSON.
func verb[T any](h *host, use, short string, op admin.Operation, args cobra.PositionalArgs, read func([]string) admin.Request,
	show func(io.Writer, T) error,
) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, words []string) error {
			table := tabwriter.NewWriter(plain{h.out}, 0, 0, 2, ' ', 0)
			err := h.operate(cmd.Context(), op, read(words), func(raw json.RawMessage) error {
				if asJSON {
					return h.printJSON(raw)
				}
				var v T
				if err := json.Unmarshal(raw, &v); err != nil {
					return fmt.Errorf("the answer cannot be read: %w", err)
				}
				return show(table, v)
			})
			return errors.Join(table.Flush(), err)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, textJSONLines)
	return c
}

// plain writes a text without characters that control a terminal.
type plain struct{ w io.Writer }

// Write implements [io.Writer].
func (p plain) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.w, console.Sanitize(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// inCell is a text for a table, where a tab or a line end would begin the next cell or
// row: [console.Sanitize] shows all else that is invisible.
func inCell(s string) string {
	return strings.NewReplacer("\r\n", "␊", "\n", "␊", "\t", "␉").Replace(s)
}

func noArgs([]string) admin.Request { return admin.Request{} }

// sessionArg is the optional session: an id, or a place.
func sessionArg(words []string) admin.Request {
	if len(words) == 0 {
		return admin.Request{}
	}
	return admin.Request{Session: words[0]}
}

func newSessions(h *host) *cobra.Command {
	const which = " [ID or CHANNEL:CHAT]"
	export := &cobra.Command{
		Use: "export" + which, Short: textSessionsExport, Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			return h.operate(cmd.Context(), admin.ExportSession(), sessionArg(words), func(raw json.RawMessage) error { return h.printJSON(raw) })
		},
	}
	return group("sessions", textSessions,
		verb(h, "list", textSessionsList, admin.ListSessions(), cobra.NoArgs, noArgs, showSessionLine),
		verb(h, "show"+which, textSessionsShow, admin.ShowSession(),
			cobra.MaximumNArgs(1), sessionArg, showSession),
		export,
		newForget(h),
	)
}

func showSessionLine(w io.Writer, i session.Info) error {
	state := "current"
	switch {
	case i.Suspended:
		state = "suspended"
	case !i.Current:
		state = "left"
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d failed\t%s\n",
		i.Session, admin.PlaceOf(i), state, admin.Count(i.Entries, "entry", "entries"), len(i.Failed), i.Active.Format(time.DateTime))
	return err
}

func showSession(w io.Writer, i session.Info) error {
	_, err := fmt.Fprintf(w, "session\t%s\nchat\t%s\ncurrent\t%t\nentries\t%d\nstarted\t%s\nactive\t%s\n",
		i.Session, admin.PlaceOf(i), i.Current, i.Entries, i.Created.Format(time.DateTime), i.Active.Format(time.DateTime))
	if err == nil && i.Model != "" {
		_, err = fmt.Fprintf(w, "model\t%s\n", inCell(i.Model))
	}
	for _, f := range i.Failed {
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\t%s  %s  %s\n", f.Outcome, f.Time.Format(time.DateTime), f.ID, inCell(f.Reason))
		}
	}
	return err
}

func newTool(h *host) *cobra.Command {
	return group("tool", textTools,
		verb(h, "list", textToolsList, admin.ListTools(), cobra.NoArgs, noArgs, func(w io.Writer, t admin.ToolReport) error {
			state := t.Level
			if t.Disabled != "" {
				state = "disabled: " + t.Disabled
			}
			calls := ""
			if t.Stats != nil {
				calls = "\t" + t.Stats.String()
			}
			_, err := fmt.Fprintf(w, "%s\t%s\t%s%s\n", t.Name, inCell(state), inCell(t.Description), calls)
			return err
		}),
		verb(h, "show [NAME]", textToolsShow, admin.ShowTools(), cobra.MaximumNArgs(1),
			func(words []string) admin.Request {
				return admin.Request{Tool: strings.Join(words, "")}
			}, func(w io.Writer, t admin.ToolReport) error {
				_, err := io.WriteString(w, t.Page)
				return err
			}),
		newToolStats(h),
		newToolCall(h), newToolNew(h))
}

func newToolStats(h *host) *cobra.Command {
	days := telemetry.UsualDays
	asked := func([]string) admin.Request { return admin.Request{Days: days} }
	c := verb(h, "stats", textToolsStats, admin.ToolStats(), cobra.NoArgs, asked, func(w io.Writer, r telemetry.Row) error {
		_, err := fmt.Fprintf(w, "%s\t%s\t%s\n", cmp.Or(r.Tool, textNoSuchTool), cmp.Or(inCell(r.Model), "-"), r.String())
		return err
	})
	c.Flags().IntVar(&days, "days", days, textToolsDays)
	return c
}
