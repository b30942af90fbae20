package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/pkg/gateway/admin"
)

func newIndex(h *host) *cobra.Command {
	return group("index", textIndex, verb(h, "rebuild", textIndexRebuild, admin.RebuildIndex(), cobra.NoArgs, noArgs, showIndex))
}

// showIndex shows a line for each corpus, with the bounds that it met.
func showIndex(w io.Writer, r admin.IndexReport) error {
	if len(r.Corpora) == 0 {
		_, err := fmt.Fprintln(w, textNoCorpora)
		return err
	}
	for i := range r.Corpora {
		c := &r.Corpora[i]
		files, unread := admin.Count(c.Files, "file", "files"), len(c.Unread)+c.MoreUnread
		told := strings.Join(slices.Concat([]string{c.Trouble}, c.Notes), "; ")
		if _, err := fmt.Fprintf(w, "%s\t%s\t%d not read\t%s\n", c.Corpus, files, unread, strings.TrimPrefix(told, "; ")); err != nil {
			return err
		}
	}
	return nil
}
