package toolset

import (
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/gateway/files"
	"parley/pkg/sandbox"
	"parley/pkg/tools"
	"parley/pkg/tools/shell"
	"parley/workspace"
)

// commandTools run commands in the sandbox.
func commandTools(cfg *config.Config, boxes sandboxes, log zerolog.Logger) []tools.Tool {
	tool, missing := newShell(cfg, boxes)
	if cfg.Tools.Shell.Enabled && len(missing) > 0 {
		log.Warn().Strs("programs", missing).Msg("tools.shell.allow names programs that are not there")
	}
	return []tools.Tool{tool}
}

// newShell makes run_command; it also returns the programs of its list that are missing.
func newShell(cfg *config.Config, boxes sandboxes) (tool tools.Tool, missing []string) {
	c := cfg.Tools.Shell
	return shell.New(shell.Options{
		Runner: boxes.of(c.Unsafe), Prepare: workspace.EnsureSpace, Allow: c.Allow, Shell: c.Mode == "shell",
		Timeout: time.Duration(c.Timeout), MaxTimeout: time.Duration(c.MaxTimeout),
		Background: boxes.behind(c.Unsafe), BackgroundLimit: time.Duration(c.BackgroundLimit),
		Network: c.Network, Readable: c.Readable, Outside: files.Inbox,
	})
}

// sandboxes are where programs run: in the sandbox, or, where the configuration
// says so for a tool, without.
type sandboxes struct {
	safe, unsafe sandbox.Runner
	// A program in the background, running for an hour perhaps, keeps no other from
	// running.
	safeBehind, unsafeBehind sandbox.Runner
	groups                   Groups
}

// Groups are the control groups for programs, or the reason for which the gateway has
// no delegated one.
type Groups struct {
	of  *sandbox.Groups
	why error
}

// ClaimGroups takes the control group over that was delegated to the gateway, where
// programs may run.
func ClaimGroups(t *config.Tools) (g Groups) {
	if t.Shell.Enabled || t.Code.Enabled || t.Scripts.Enabled {
		g.of, g.why = sandbox.Claim()
	}
	return g
}

// log tells the operator how the memory of programs is counted.
func (g Groups) log(t *config.Tools, log zerolog.Logger) {
	switch {
	case g.of != nil:
		log.Info().Msg("each program runs in a control group of its own, which counts all of its memory")
	case g.why != nil:
		level := zerolog.DebugLevel
		if t.Shell.Enabled || t.Code.Enabled { // the operator chose them
			level = zerolog.InfoLevel
		}
		log.WithLevel(level).Str("reason", g.why.Error()).Msg("programs run without control groups: they get no shared memory without a " +
			"file; see docs/operating.md")
	}
}

// newSandboxes hides the gateway's own files from programs.
func newSandboxes(cfg *config.Config, g Groups) sandboxes {
	const behind = 16 // background runs hold their places for long
	const megabyte = 1e6
	o := sandbox.Options{
		Groups: g.of,
		Hidden: []string{cfg.StateDir, cfg.Workspace}, Disk: int64(cfg.Tools.Files.MaxMB) * megabyte, DiskFiles: cfg.Tools.Files.MaxFiles,
	}
	background := o
	background.Parallel = behind
	return sandboxes{
		groups: g,
		safe:   sandbox.New(o), unsafe: sandbox.New(sandbox.Options{Unsafe: true}),
		safeBehind:   sandbox.New(background),
		unsafeBehind: sandbox.New(sandbox.Options{Unsafe: true, Parallel: behind}),
	}
}

func (s sandboxes) of(unsafe bool) sandbox.Runner { //nolint:revive // flag-parameter: a key of the configuration
	if unsafe {
		return s.unsafe
	}
	return s.safe
}

// behind is where programs run in the background.
func (s sandboxes) behind(unsafe bool) sandbox.Runner { //nolint:revive // flag-parameter: a key of the configuration
	if unsafe {
		return s.unsafeBehind
	}
	return s.safeBehind
}

// switchPrograms switches off tools of programs that are not enabled, or have no
// sandbox.
func switchPrograms(r *tools.ToolRegistry, cfg *config.Config, boxes sandboxes, log zerolog.Logger) {
	for _, t := range []struct {
		name            string
		enabled, unsafe bool
	}{
		{"run_command", cfg.Tools.Shell.Enabled, cfg.Tools.Shell.Unsafe},
		{"run_code", cfg.Tools.Code.Enabled, cfg.Tools.Code.Unsafe},
	} {
		if !t.enabled {
			r.SetEnabled(t.name, false)
			continue
		}
		if t.unsafe {
			log.Warn().Str("tool", t.name).Msg("UNSAFE: programs run without a sandbox and with all rights of the gateway, as the configuration " +
				"says")
		}
		if err := boxes.of(t.unsafe).Available(); err != nil {
			log.Error().Err(err).Str("tool", t.name).Msg("the tool is off: programs cannot be run safely here; unsafe: true in its part of the " +
				"configuration runs them without a sandbox")
			r.SetEnabled(t.name, false)
		}
	}
}
