package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/gateway/admin"
	"parley/pkg/visible"
)

func newApprovals(h *host) *cobra.Command {
	arg := func(words []string) admin.Request { return admin.Request{Approval: words[0]} }
	c := group("approvals", textApprovals,
		verb(h, "list", textApprovalsList, admin.ListApprovals(), cobra.NoArgs, noArgs, showApproval),
		verb(h, "approve ID", textApprovalsApprove, admin.AllowApproval(), cobra.ExactArgs(1), arg, showApproval),
		verb(h, "deny ID", textApprovalsDeny, admin.DenyApproval(), cobra.ExactArgs(1), arg, showApproval),
		verb(h, "grants", textGrants, admin.ListGrants(), cobra.NoArgs, noArgs, showApproval),
		verb(h, "revoke ID", textGrantsRevoke, admin.RevokeGrant(), cobra.ExactArgs(1), arg, showApproval))
	c.Long = textApprovalsLong
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
	_, err := fmt.Fprintf(w, "%s\n", visible.Text(r.Text))
	return err
}
