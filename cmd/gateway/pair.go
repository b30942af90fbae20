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
	approve := verb(h, "approve CODE", "Let in the person who was told this code", admin.ApprovePair(), cobra.ExactArgs(1),
		func(words []string) admin.Request { return admin.Request{Pair: words[0], Owner: owner} }, showPair)
	approve.Flags().BoolVar(&owner, "owner", false, "give the rights of an owner in direct chats: yourself, that is")
	c := group("pair", "Let in strangers who were told a code, or list or revoke them",
		verb(h, "list", "List who waits to be let in, and who was", admin.ListPairs(), cobra.NoArgs, noArgs, showPair),
		approve,
		verb(h, "revoke CHANNEL:[ACCOUNT/]ID", "Take it back, at once", admin.RevokePairs(), cobra.ExactArgs(1), arg, showPair))
	c.Long = `A stranger who writes to a bot in a direct chat gets a code, good for one hour,
and nothing else. The operator approves it here. Paired people may use direct chats
with this bot as if they were on its allow list, or with --owner as if they were
among owners in the configuration: in these chats the bot reads and writes the files
of the console and remembers. Pairing covers no groups: there a paired person is told
so, once a day. To change the rights of a pair, revoke it and approve a new code.`
	return c
}

func showPair(w io.Writer, r admin.PairReport) error {
	state, when := r.State, "since "
	if r.Code != "" {
		when = "until "
	}
	if r.Owner {
		state += " as owner"
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", state, r.Code, inCell(r.Who), inCell(r.Name), when+r.Time.Format(time.DateTime))
	return err
}
