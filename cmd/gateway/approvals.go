package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
)

func newApprovals(h *host) *cobra.Command {
	arg := func(words []string) admin.Request { return admin.Request{Approval: words[0]} }
	c := group("approvals", "Decide on calls that wait for a person, and list or revoke what was allowed in advance",
		verb(h, "list", "List the calls that wait, and those that were decided", admin.ListApprovals(), cobra.NoArgs, noArgs, showApproval),
		verb(h, "approve ID", "Let one call run, once", admin.AllowApproval(), cobra.ExactArgs(1), arg, showApproval),
		verb(h, "deny ID", "Refuse one call", admin.DenyApproval(), cobra.ExactArgs(1), arg, showApproval),
		verb(h, "grants", "List what was allowed in advance", admin.ListGrants(), cobra.NoArgs, noArgs, showApproval),
		verb(h, "revoke ID", "Take back what was allowed in advance", admin.RevokeGrant(), cobra.ExactArgs(1), arg, showApproval))
	c.Long = `A call that overwrites, deletes or executes waits until a person has allowed it:
who asked for it or an owner, by a button below the question in the chat, or the
operator here. A question is good for ten minutes. What was allowed here for
24 hours is a grant: one tool, one person, one chat.`
	return c
}

func showApproval(w io.Writer, r admin.ApprovalReport) error {
	if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\tuntil %s\n", r.ID, r.State, inCell(r.Tool), inCell(r.Chat), inCell(r.Who),
		r.Until.Format(time.DateTime)); err != nil {
		return err
	}
	if r.Text == "" || r.State != "open" {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s\n", channels.Visible(r.Text))
	return err
}
