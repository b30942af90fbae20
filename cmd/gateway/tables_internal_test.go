package main

import (
	"io"
	"strings"
	"testing"
	"text/tabwriter"

	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
	"parley/pkg/session"
)

// TestRowsOfTables: a name or a reason that comes from outside stays in its cell, and
// shows its hidden characters.
func TestRowsOfTables(t *testing.T) {
	t.Parallel()
	const outside = "Ann\tpaired\nroot\u202e\x1b[1m"
	const shown = "Ann␉paired␊root<U+202E>␛[1m"
	for name, c := range map[string]struct {
		show func(io.Writer) error
		rows int
	}{
		"pair list":      {func(w io.Writer) error { return showPair(w, admin.PairReport{Name: outside}) }, 1},
		"jobs list":      {func(w io.Writer) error { return showJobLine(w, admin.JobReport{Name: outside}) }, 1},
		"jobs show":      {func(w io.Writer) error { return showJob(w, admin.JobReport{Reason: outside}) }, 10},
		"tasks list":     {func(w io.Writer) error { return showTaskLine(w, admin.TaskReport{Name: outside}) }, 1},
		"approvals list": {func(w io.Writer) error { return showApproval(w, admin.ApprovalReport{Who: outside}) }, 1},
		"sessions show": {func(w io.Writer) error {
			return showSession(w, session.Info{Failed: []session.FailedItem{{Reason: outside}}})
		}, 7},
		"status": {func(w io.Writer) error {
			r := admin.StatusReport{PID: 1, Channels: []admin.ChannelReport{{Health: channels.Health{Reason: outside}}}, Slow: []turn.SlowTurn{}}
			_, err := io.WriteString(w, statusText(&r))
			return err
		}, 3},
	} {
		var out strings.Builder
		table := tabwriter.NewWriter(plain{&out}, 0, 0, 2, ' ', 0)
		if err := c.show(table); err != nil {
			t.Fatal(err)
		}
		if err := table.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, shown) || strings.Count(got, "\n") != c.rows {
			t.Errorf("%s prints, want %d rows with %s:\n%s", name, c.rows, shown, got)
		}
	}
}
