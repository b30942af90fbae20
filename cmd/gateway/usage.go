package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/agent/budget"
	"parley/pkg/gateway/admin"
)

func newUsage(h *host) *cobra.Command {
	day := ""
	c := verb(h, "usage", textUsage, admin.Usage(), cobra.NoArgs,
		func([]string) admin.Request { return admin.Request{Day: day} },
		func(w io.Writer, r admin.UsageReport) error {
			var b strings.Builder
			for _, p := range budget.Purposes() {
				u, ok := r.Used[p]
				if !ok {
					continue
				}
				fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s read\t%d written", r.Chat, r.Day, p,
					admin.Count(u.Turns, "turn", "turns"), admin.Count(u.Input, "token", "tokens"), u.Output)
				if u.Money > 0 {
					b.WriteString("\t" + budget.Money(u.Money, r.Currency))
				}
				b.WriteString("\n")
			}
			_, err := io.WriteString(w, b.String())
			return err
		})
	c.PreRunE = func(*cobra.Command, []string) error {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return admin.WithCode(admin.CodeUsage, fmt.Errorf(textBadDay, day))
		}
		return nil
	}
	c.Flags().StringVar(&day, "day", "", textDayFlag)
	return c
}
