package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/files"
	"parley/pkg/sandbox"
	"parley/pkg/tools"
	"parley/pkg/tools/script"
	"parley/workspace"
)

func toolsFolder(cfg *config.Config) string { return filepath.Join(cfg.Workspace, workspace.Tools) }

// registerScripts adds the operator's own tools. It comes after all built-in ones,
// which keep their names. What is wrong with a tool is logged by the registry.
func registerScripts(r *tools.ToolRegistry, cfg *config.Config, runner sandbox.Runner) {
	const kilobyte = 1 << 10
	s := cfg.Tools.Scripts
	if !s.Enabled {
		return
	}
	for _, e := range script.Load(toolsFolder(cfg), script.Options{
		Runner: runner, Timeout: time.Duration(cfg.Tools.Timeout), MaxTimeout: time.Duration(s.MaxTimeout),
		MaxOutput: s.MaxOutput * kilobyte, Prepare: workspace.EnsureSpace, Outside: files.Inbox,
	}) {
		if _, taken := r.Get(e.Name); !taken && !e.Enabled {
			r.SetEnabled(e.Name, false)
		}
		_ = r.RegisterWith(e.Tool, tools.RegisterOptions{Community: true})
	}
}

func newToolNew(h *host) *cobra.Command {
	return &cobra.Command{
		Use: "new NAME", Short: "Make a tool of your own in the workspace", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, words []string) error {
			cfg, err := h.load(true)
			if err != nil {
				return err
			}
			name := words[0]
			if slices.Contains(builtInTools(h.lookupEnv), name) {
				return admin.WithCode(admin.CodeUsage, fmt.Errorf("%s is a built-in tool: choose another name", name))
			}
			if err := workspace.Prepare(cfg.Workspace); err != nil {
				return wrongPlace(err)
			}
			dir, err := script.Create(toolsFolder(cfg), name)
			if err != nil {
				return admin.WithCode(admin.CodeUsage, err)
			}
			return h.print("made %s\nnext: say in tool.yaml what it does, and let the program run do it; then try it:\n"+
				"  gateway tool call %s '{\"who\": \"world\"}'\nA gateway that runs takes it up at its next start.\n", dir, name)
		},
	}
}
