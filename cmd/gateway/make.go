package main

import (
	"github.com/spf13/cobra"

	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
)

func newToolNew(h *host) *cobra.Command {
	return &cobra.Command{
		Use: "new NAME", Short: textToolNew, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, words []string) error {
			cfg, err := h.load(true)
			if err != nil {
				return err
			}
			dir, err := gateway.CreateTool(cfg, words[0], h.lookupEnv)
			if err != nil {
				return err
			}
			return h.print("made %s\nnext: say in tool.yaml what it does, and let the program run do it; then try it:\n"+
				"  %s tool call %s '{\"who\": \"world\"}'\nA gateway that runs takes it up at its next start.\n", dir, admin.Program(), words[0])
		},
	}
}
