package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/agent/budget"
	"parley/pkg/gateway/admin"
)

func newUsage(h *host) *cobra.Command {
	var ask admin.UsageAsk
	day := ""
	c := verb(h, "usage", textUsage, admin.Usage(), cobra.NoArgs,
		func([]string) admin.Request { return admin.Request{Usage: ask} }, showUsage)
	c.PreRunE = func(*cobra.Command, []string) error {
		if day != "" && (ask.From != "" || ask.To != "") {
			return admin.WithCode(admin.CodeUsage, errors.New(textDayAndDays))
		}
		if day != "" {
			ask.From, ask.To = day, day
		}
		return nil
	}
	f := c.Flags()
	f.StringVar(&day, "day", "", textDayFlag)
	f.StringVar(&ask.From, "from", "", textFromFlag)
	f.StringVar(&ask.To, "to", "", textToFlag)
	f.StringVar(&ask.Chat, "chat", "", textUsageChat)
	f.StringVar(&ask.Person, "person", "", textUsagePerson)
	f.StringVar(&ask.Model, "model", "", textUsageModel)
	f.StringVar(&ask.Purpose, "purpose", "", textUsagePurpose)
	f.StringSliceVar(&ask.By, "by", nil, fmt.Sprintf(textUsageBy, strings.Join(admin.UsageColumns(), ", ")))
	return c
}

// showUsage writes a row: its columns, and its use in words.
func showUsage(w io.Writer, r admin.UsageRow) error {
	var cells []string
	for i, cell := range r.Cells() {
		if cell == "" {
			cell = fmt.Sprintf(textNoColumn, r.By[i])
		}
		cells = append(cells, inCell(cell))
	}
	if r.Turn != "" {
		cells = append(cells, r.Ended.Local().Format(time.DateTime), string(r.Outcome))
	}
	if r.Turns > 0 && r.Turn == "" {
		cells = append(cells, admin.Count(r.Turns, "turn", "turns"))
	} else if r.Turn == "" || slices.Contains(r.By, "model") {
		cells = append(cells, admin.Count(r.Answers, "answer", "answers"))
	}
	read := admin.Count(r.Input, "token", "tokens") + " read" + part(r.Cached, "cached")
	cells = append(cells, read, fmt.Sprintf("%d written", r.Output)+part(r.Reasoning, "reasoning"))
	if r.Money > 0 {
		cells = append(cells, budget.Money(r.Money, r.Currency))
	}
	_, err := io.WriteString(w, strings.Join(cells, "\t")+"\n")
	return err
}

// part tells a part of the tokens, if there is one.
func part(n int, of string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d %s)", n, of)
}
