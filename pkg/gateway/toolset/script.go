package toolset

import (
	"path/filepath"
	"time"

	"parley/pkg/config"
	"parley/pkg/gateway/files"
	"parley/pkg/sandbox"
	"parley/pkg/tools"
	"parley/pkg/tools/script"
	"parley/workspace"
)

// Folder holds the operator's own tools.
func Folder(cfg *config.Config) string { return filepath.Join(cfg.Workspace, workspace.Tools) }

// registerScripts adds the operator's own tools. It comes after all built-in ones,
// which keep their names. A mistake in a tool is logged by the registry.
func registerScripts(r *tools.ToolRegistry, cfg *config.Config, runner sandbox.Runner) {
	if !cfg.Tools.Scripts.Enabled {
		return
	}
	for _, e := range script.Load(Folder(cfg), scriptOptions(cfg, runner)) {
		if _, taken := r.Get(e.Name); !taken && !e.Enabled {
			r.SetEnabled(e.Name, false)
		}
		_ = r.RegisterWith(e.Tool, tools.RegisterOptions{Community: true})
	}
}

func scriptOptions(cfg *config.Config, runner sandbox.Runner) script.Options {
	const kilobyte = 1 << 10
	s := cfg.Tools.Scripts
	return script.Options{
		Runner: runner, Timeout: time.Duration(cfg.Tools.Timeout), MaxTimeout: time.Duration(s.MaxTimeout),
		MaxOutput: s.MaxOutput * kilobyte, Prepare: workspace.EnsureSpace, Outside: files.Inbox,
	}
}
