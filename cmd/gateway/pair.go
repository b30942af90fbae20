package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/gateway/admin"
)

func newPair(h *host) *cobra.Command {
	arg := func(words []string) admin.Request { return admin.Request{Pair: words[0]} }
	owner := false
	approve := verb(h, "approve CODE", textPairApprove, admin.ApprovePair(), cobra.ExactArgs(1),
		func(words []string) admin.Request { return admin.Request{Pair: words[0], Owner: owner} }, showPair)
	approve.Flags().BoolVar(&owner, "owner", false, textPairOwner)
	c := group("pair", textPair,
		verb(h, "list", textPairList, admin.ListPairs(), cobra.NoArgs, noArgs, showPair),
		approve,
		verb(h, "revoke CHANNEL:[ACCOUNT/]ID", textPairRevoke, admin.RevokePairs(), cobra.ExactArgs(1), arg, showPair))
	c.Long = textPairLong
	return c
}

func showPair(w io.Writer, r admin.PairReport) error {
	state, when := r.State, "since "
	if r.Code != "" {
		when = "until "
	}
	if r.Owner {
		state += textAsOwner
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", state, r.Code, inCell(r.Who), inCell(r.Name), when+r.Time.Format(time.DateTime))
	return err
}
