package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/audit"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/tools"
)

// auditDir holds the audit log.
func auditDir(stateDir string) string { return filepath.Join(stateDir, "audit") }

// openAudit opens the audit log. Whoever holds the store is its only writer.
func (a *App) openAudit() (err error) {
	a.audit, err = audit.Open(audit.Options{Dir: auditDir(a.cfg.StateDir), Redact: a.redactor.Redact, Log: a.log})
	if err != nil {
		return storeError(bolt.DirError(auditDir(a.cfg.StateDir), err))
	}
	return nil
}

// closeAudit writes down what waits, and says why rows are missing.
func (a *App) closeAudit() error {
	if a.audit == nil {
		return nil
	}
	if err := a.audit.Close(); err != nil {
		return coded(exitFailed, a.unaudited(err))
	}
	return nil
}

// unaudited is an error of writing the audit log with its cure.
func (a *App) unaudited(err error) error {
	return fmt.Errorf("the audit log cannot be written: %w", bolt.DirError(auditDir(a.cfg.StateDir), err))
}

// unwritable says why a gateway that started now could not write: "" for no reason.
func (a *App) unwritable() (store, log string) {
	if err := bolt.Writable(a.cfg.StateDir); err != nil {
		return err.Error(), "" // the log is in the same folder
	}
	if err := audit.Writable(auditDir(a.cfg.StateDir)); err != nil {
		return "", a.unaudited(err).Error()
	}
	return "", ""
}

// unreadable gives an error of reading the audit log its cure and its exit code.
func unreadable(stateDir string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR) {
		return storeError(bolt.LookError(auditDir(stateDir), err))
	}
	return coded(exitFailed, err)
}

// noted writes a row that nobody waits for. The log itself counts what it loses.
func (a *App) noted(row audit.Row) {
	if a.audit == nil {
		return
	}
	if err := a.audit.Append(row); err != nil {
		a.log.Debug().Err(err).Str("kind", string(row.Kind)).Msg("an audit row was not queued")
	}
}

// notedOperator writes down what somebody did on the command line. A pairing code
// is not written down: the person it let in is.
func (a *App) notedOperator(op string, args deskArgs, err error) {
	if looks(op) {
		return
	}
	row := audit.Row{Kind: audit.KindOperator, Tool: args.Tool, Outcome: "ok", Detail: op}
	switch {
	case errors.Is(err, tools.ErrAsk):
		row.Outcome = "asked"
	case err != nil:
		row.Outcome = "failed"
	}
	if args.Owner {
		row.Detail += " --owner"
	}
	if op == opForget || op == opRevoke || op == opApprove && err == nil {
		row.Detail += " " + args.Session + args.Pair
	}
	for _, id := range []string{args.Approval, args.Job, args.Task} {
		if id != "" {
			row.Detail += " " + id
		}
	}
	a.noted(row)
}

// auditor writes down what calls do.
type auditor struct{ app *App }

// Begins implements [tools.Auditor].
func (o auditor) Begins(ctx context.Context, call tools.Call) error {
	return o.app.audit.AppendSync(ctx, callRow(ctx, audit.KindBegin, &call))
}

// Ended implements [tools.Auditor].
func (o auditor) Ended(ctx context.Context, call tools.Call, end tools.Ending) {
	row := callRow(ctx, audit.KindCall, &call)
	row.Outcome, row.Detail = "ok", end.Reason
	switch {
	case end.Failure != "":
		row.Outcome = string(end.Failure)
	case end.Memory:
		row.Outcome = "memory"
	case end.Asked:
		row.Outcome = "asked"
	case end.Async:
		row.Outcome = "async"
	}
	switch {
	case !end.Ran && !end.Memory && !end.Asked:
		row.Kind = audit.KindRefused
	case end.Background:
		row.Detail = "work in the background ended"
	}
	o.app.noted(row)
}

// notedApproval writes down a question, or what was pressed below it.
func (a *App) notedApproval(q session.Approval, by channels.Sender, what string) {
	outcome, _, _ := strings.Cut(what, " ")
	a.noted(audit.Row{
		Kind: audit.KindApproval, Channel: q.Address.Channel, Account: q.Address.Account, Chat: q.Address.Chat, Thread: q.Address.Thread,
		Sender: by.ID, Turn: q.Turn, Tool: q.Tool, Call: q.Call, Outcome: strings.TrimSuffix(outcome, ":"), Detail: "approval " + q.ID + ": " + what,
	})
	if strings.HasPrefix(what, "allowed here") {
		a.notedGrant(&session.Grant{Address: q.Address, Tool: q.Tool, Person: q.Requester, Approval: q.ID}, "granted")
	}
}

// notedGrant writes down that a grant was given, or taken back.
func (a *App) notedGrant(g *session.Grant, what string) {
	a.noted(audit.Row{
		Kind: audit.KindGrant, Channel: g.Address.Channel, Account: g.Address.Account, Chat: g.Address.Chat, Thread: g.Address.Thread,
		Sender: g.Person.ID, Tool: g.Tool, Outcome: what, Detail: "approval " + g.Approval,
	})
}

func callRow(ctx context.Context, kind audit.Kind, call *tools.Call) audit.Row {
	inv := tools.InvocationFrom(ctx)
	return audit.Row{
		Kind: kind, Channel: inv.Channel, Account: inv.Account, Chat: inv.Chat, Thread: inv.Thread,
		Sender: inv.Sender, Turn: inv.Turn, Tool: call.Name, Call: call.ID,
	}
}

func newAudit(h *host) *cobra.Command {
	var from uint64
	verify := &cobra.Command{
		Use: "verify", Short: "Check that no row of the audit log was changed, deleted, inserted or moved", Args: cobra.NoArgs,
		Long: `Reads the whole audit log and checks each row and the chain. The first bad row is
named, with exit code 1. It works beside a running gateway and without one.
The hashes have no key: whoever can write the state folder can make a whole new
chain. Keep the last line of this command elsewhere to notice even that.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return h.auditVerify(cmd.Context(), from) },
	}
	verify.Flags().Uint64Var(&from, "from", 0, "begin at the row of this number, where earlier segments were archived")
	var q auditQuery
	show := &cobra.Command{
		Use: "show", Short: "Show the newest rows of the audit log", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return h.auditShow(cmd.Context(), q) },
	}
	f := show.Flags()
	f.StringVar(&q.since, "since", "", "only rows since then: a duration such as 2h, or a time such as 2026-01-31 or 2026-01-31T12:00:00Z")
	f.StringVar(&q.chat, "chat", "", "only rows of this chat: its id, or CHANNEL:CHAT")
	f.StringVar(&q.tool, "tool", "", "only rows of this tool")
	f.StringVar(&q.kind, "kind", "", "only rows of this kind: "+auditKinds)
	f.IntVarP(&q.last, "last", "n", 50, "how many rows at most; 0: all")
	f.BoolVar(&q.asJSON, "json", false, "print JSON, one row a line")
	return group("audit", "Show the audit log, or check that it is whole", verify, show)
}

// auditKinds are the kinds of rows that there are.
const auditKinds = "start, stop, begin, call, refused, approval, grant, operator, audit"

func (h *host) auditVerify(ctx context.Context, from uint64) error {
	cfg, err := h.load(true)
	if err != nil {
		return err
	}
	r, err := audit.Verify(ctx, auditDir(cfg.StateDir), from)
	if err != nil {
		return unreadable(cfg.StateDir, err)
	}
	if r.Rows == 0 {
		there, err := bolt.Exists(cfg.StateDir)
		switch {
		case err != nil:
			return storeError(err)
		case there: // each start writes a row
			return coded(exitFailed, fmt.Errorf("the audit log is gone: the store in %s was used, and no row of it is in %s; put the folder back, "+
				"or keep in mind that what was done before the next row is not on record", cfg.StateDir, auditDir(cfg.StateDir)))
		}
		return h.print("the audit log is empty\n")
	}
	text := fmt.Sprintf("rows %d to %d are whole, in %s", r.First, r.Last, count(r.Segments, "file", "files"))
	if r.OwnTroubles > 0 {
		text += fmt.Sprintf("; in %s the log tells of itself: gateway audit show --kind audit", count(r.OwnTroubles, "row", "rows"))
	}
	if r.Unfinished {
		text += "; a row is being written, or was when the gateway ended"
	}
	return h.print("%s\nrow %d has the hash %s\n", text, r.Last, r.LastHash)
}

// auditQuery are the flags of audit show.
type auditQuery struct {
	since, chat, tool, kind string
	last                    int
	asJSON                  bool
}

func (h *host) auditShow(ctx context.Context, q auditQuery) error {
	cfg, err := h.load(true)
	if err != nil {
		return err
	}
	since, err := sinceTime(q.since, time.Now())
	switch kinds := strings.Split(auditKinds, ", "); {
	case err != nil:
	case q.kind != "" && !slices.Contains(kinds, q.kind):
		err = fmt.Errorf("--kind %s: write one of %s", q.kind, auditKinds)
	case q.last < 0:
		err = fmt.Errorf("--last %d: write how many rows, or 0 for all", q.last)
	}
	if err != nil {
		return coded(exitUsage, err)
	}
	var rows []audit.Row
	var bad error
	err = audit.Read(ctx, auditDir(cfg.StateDir), func(r audit.Row, err error) error {
		if err != nil {
			bad = errors.Join(bad, err)
			return nil
		}
		if q.takes(&r, since) {
			rows = append(rows, r)
		}
		if q.last > 0 && len(rows) >= 2*q.last {
			rows = append(rows[:0], rows[len(rows)-q.last:]...)
		}
		return nil
	})
	if q.last > 0 && len(rows) > q.last {
		rows = rows[len(rows)-q.last:]
	}
	err = errors.Join(err, showRows(h.out, rows, q.asJSON), bad)
	if err != nil {
		return unreadable(cfg.StateDir, err)
	}
	return nil
}

func (q *auditQuery) takes(r *audit.Row, since time.Time) bool {
	return !r.Time.Before(since) &&
		(q.chat == "" || q.chat == r.Chat || q.chat == r.Channel+":"+r.Chat) &&
		(q.tool == "" || q.tool == r.Tool) &&
		(q.kind == "" || q.kind == string(r.Kind))
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
	return time.Time{}, fmt.Errorf("--since %s: write a duration such as 2h, or a time such as 2026-01-31 or 2026-01-31T12:00:00Z", s)
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
		_, err := fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Seq, r.Time.Local().Format(time.DateTime), r.Kind, //nolint:gosmopolitan // the operator's own zone
			printable(r.Outcome), printable(placeOf(r)), printable(r.Sender), printable(r.Tool), printable(r.Detail))
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// placeOf names the chat of a row.
func placeOf(r *audit.Row) string {
	s := r.Channel
	if r.Account != "" {
		s += "/" + r.Account
	}
	if r.Chat != "" {
		s += ":" + r.Chat
	}
	if r.Thread != "" {
		s += "#" + r.Thread
	}
	return s
}

// printable shows what would control the terminal.
func printable(s string) string {
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// processRow is the row of a gateway's start or stop.
func processRow(kind audit.Kind) audit.Row {
	return audit.Row{Kind: kind, Detail: fmt.Sprintf("gateway %s, process %d", version(), os.Getpid())}
}
