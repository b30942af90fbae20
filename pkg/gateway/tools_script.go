package gateway

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

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

// CreateTool makes a folder for a tool of the operator's own in the workspace, and
// returns it.
func CreateTool(cfg *config.Config, name string, lookup func(string) (string, bool)) (dir string, err error) {
	if slices.Contains(builtInTools(lookup), name) {
		return "", admin.WithCode(admin.CodeUsage, fmt.Errorf("%s is a built-in tool: choose another name", name))
	}
	if err := workspace.Prepare(cfg.Workspace); err != nil {
		return "", WrongPlace(err)
	}
	dir, err = script.Create(toolsFolder(cfg), name)
	if err != nil {
		return "", admin.WithCode(admin.CodeUsage, err)
	}
	return dir, nil
}
