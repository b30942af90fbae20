package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"parley/pkg/config"
	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
)

const rootHelp = textRootLong

// named writes the program's name into a text that people read.
func named(text string) string { return strings.ReplaceAll(text, "PROGRAM", admin.Program()) }

func newRoot(h *host) *cobra.Command {
	root := &cobra.Command{
		Use: admin.Program(), Short: textRoot, Long: named(rootHelp),
		SilenceErrors: true, SilenceUsage: true, Args: cobra.NoArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&h.configPath, "config", "", textConfigFlag)
	flags.StringVar(&h.logLevel, "log", "", textLogFlag)
	root.SetHelpCommand(newHelp())
	root.AddCommand(
		newChat(h), newAsk(h), newRun(h), newInit(h), newConfig(h), newModels(h), newSessions(h), newTool(h), newPair(h), newToken(h), newWeb(h),
		newApprovals(h), newTasks(h), newJobs(h), newStore(h), newIndex(h), newAudit(h), newStatus(h), newDoctor(h), newUsage(h), newVersion(h),
	)
	return root
}

// newHelp shows the help of a command; a command that is not there is wrong usage.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use: "help [VERB]", Short: textHelp,
		RunE: func(cmd *cobra.Command, words []string) error {
			root := cmd.Root()
			c, rest, err := root.Find(words)
			if err != nil || len(rest) > 0 {
				return admin.WithCode(admin.CodeUsage, fmt.Errorf(textNoHelp, strings.Join(words, " "),
					root.CommandPath()))
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// group is a command that only holds others.
func group(use, short string, sub ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(sub...)
	return c
}

func newVersion(h *host) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: textVersion, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return h.print("%s %s\n", admin.Program(), gateway.Version()) },
	}
}

// print writes text to standard output and shows hidden characters in it, so that the
// text cannot control a terminal.
func (h *host) print(format string, args ...any) error {
	if _, err := fmt.Fprintf(plain{h.out}, format, args...); err != nil {
		return admin.WithCode(admin.CodeFailed, err)
	}
	return nil
}

// printJSON writes a value as a line to standard output. It is equal data with no
// character in it that hides others or turns them around.
func (h *host) printJSON(raw json.RawMessage) error {
	if _, err := fmt.Fprintf(plainJSON{h.out}, "%s\n", raw); err != nil {
		return admin.WithCode(admin.CodeFailed, err)
	}
	return nil
}

func newConfig(h *host) *cobra.Command {
	check := &cobra.Command{
		Use: "check", Short: textConfigCheck, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := h.load(false)
			if err != nil {
				return err
			}
			if err := gateway.Check(cfg); err != nil {
				return err
			}
			for _, note := range cfg.Notes() {
				if err := h.print(textConfigNote, note); err != nil {
					return err
				}
			}
			return h.print(textConfigGood)
		},
	}
	schema := &cobra.Command{
		Use: "schema", Short: textConfigSchema, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			raw, err := config.Schema()
			if err != nil {
				return admin.WithCode(admin.CodeFailed, err)
			}
			return h.print("%s", raw)
		},
	}
	return group("config", textConfig, check, schema)
}
