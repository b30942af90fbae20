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

const rootHelp = `Parley answers people on their chat channels with a language model and tools.

Start with: PROGRAM chat
It needs no configuration: without one it uses a key from the environment, a
model server on this machine, or the model that is built in.

Exit codes: 0 done; 1 failed, or a message was not answered; 2 wrong usage or
configuration; 3 the state folder is in use by another gateway; 4 status: no gateway
is running; 130 interrupted; 143 ended at once by a second SIGTERM.`

// named writes the program's name into a text that people read.
func named(text string) string { return strings.ReplaceAll(text, "PROGRAM", admin.Program()) }

func newRoot(h *host) *cobra.Command {
	root := &cobra.Command{
		Use: admin.Program(), Short: "A chat-bot gateway", Long: named(rootHelp),
		SilenceErrors: true, SilenceUsage: true, Args: cobra.NoArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&h.configPath, "config", "", "configuration file (default ~/.parley/parley.yaml)")
	flags.StringVar(&h.logLevel, "log", "", "log level, in place of the configuration's (chat logs nothing unless it is given)")
	root.SetHelpCommand(newHelp())
	root.AddCommand(
		newChat(h), newRun(h), newInit(h), newConfig(h), newSessions(h), newTool(h), newPair(h), newApprovals(h),
		newTasks(h), newJobs(h), newStore(h), newAudit(h), newStatus(h), newUsage(h), newVersion(h),
	)
	return root
}

// newHelp shows the help of a command; a command that is not there is wrong usage.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use: "help [VERB]", Short: "Help about any verb",
		RunE: func(cmd *cobra.Command, words []string) error {
			root := cmd.Root()
			c, rest, err := root.Find(words)
			if err != nil || len(rest) > 0 {
				return admin.WithCode(admin.CodeUsage, fmt.Errorf("there is no help on %q (%s --help shows what there is)", strings.Join(words, " "),
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
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
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
		Use: "check", Short: "Check the configuration, secrets included", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := h.load(false)
			if err != nil {
				return err
			}
			if err := gateway.Check(cfg); err != nil {
				return err
			}
			return h.print("the configuration is good\n")
		},
	}
	schema := &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the configuration", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			raw, err := config.Schema()
			if err != nil {
				return admin.WithCode(admin.CodeFailed, err)
			}
			return h.print("%s", raw)
		},
	}
	return group("config", "Check the configuration, or print its schema", check, schema)
}

func newInit(h *host) *cobra.Command {
	c := &cobra.Command{
		Use: "init", Short: "Write a first configuration and workspace", Args: cobra.NoArgs,
		Long: "Writes ~/.parley/parley.yaml (or --config) and the workspace. What is there already is left as it is.",
		RunE: func(*cobra.Command, []string) error {
			if h.home == "" && h.configPath == "" {
				return errNoHome()
			}
			written, err := gateway.WriteConfig(h.configFile())
			if err != nil {
				return err
			}
			told := "wrote %s\n"
			if !written {
				told = "%s is there already and stays as it is\n"
			}
			if err := h.print(told, h.configFile()); err != nil {
				return err
			}
			cfg, err := h.load(true)
			if err != nil {
				return err
			}
			if err := gateway.InitWorkspace(cfg); err != nil {
				return err
			}
			return h.print("the workspace is %s\nnext: %s chat\n", cfg.Workspace, admin.Program())
		},
	}
	c.AddCommand(newInitSlack(h))
	return c
}
