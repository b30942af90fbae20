package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/gateway/admin"
	"parley/pkg/policy"
)

func newToken(h *host) *cobra.Command {
	var asked admin.TokenRequest
	create := verb(h, "create web:NAME", textTokenCreate, admin.CreateToken(), cobra.ExactArgs(1),
		func(words []string) admin.Request {
			asked.Person = words[0]
			return admin.Request{Token: &asked}
		}, showNewToken)
	create.Long = textTokenCreateLong
	flags := create.Flags()
	flags.StringVar(&asked.Level, "level", string(policy.LevelRead), textTokenLevel)
	flags.StringSliceVar(&asked.Models, "model", nil, textTokenModels)
	flags.StringSliceVar(&asked.Rights, "right", nil, textTokenRights)
	flags.StringVar(&asked.Expires, "expires", "90d", textTokenExpires)
	flags.StringVar(&asked.Note, "note", "", textTokenNote)
	return group("token", textToken, create,
		verb(h, "list", textTokenList, admin.ListTokens(), cobra.NoArgs, noArgs, showToken),
		verb(h, "revoke ID", textTokenRevoke, admin.RevokeToken(), cobra.ExactArgs(1), func(words []string) admin.Request {
			return admin.Request{Token: &admin.TokenRequest{ID: words[0]}}
		}, showToken))
}

func showNewToken(w io.Writer, r admin.TokenReport) error {
	if err := showToken(w, r); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, r.Secret)
	return err
}

func showToken(w io.Writer, r admin.TokenReport) error {
	until := textNever
	if !r.Expires.IsZero() {
		until = r.Expires.Local().Format(time.DateTime)
	}
	gives := strings.Join(append([]string{r.Level}, r.Rights...), "+")
	if r.Page {
		gives = textTokenPage
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\tuntil %s\t%s\n", r.ID, r.State, inCell(r.Person), gives,
		inCell(strings.Join(r.Models, ",")), until, inCell(r.Note))
	return err
}
