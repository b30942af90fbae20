package toolset

import (
	"slices"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/providers"
	"parley/pkg/tools/script"
)

// View is the tools of a configuration for a look at them: no call is made.
type View struct {
	// Offered are the tools as a model takes them.
	Offered []providers.ToolDefinition
	// Broken are the operator's own tools that are switched on and cannot be used.
	Broken []Fault
	// Missing are programs of tools.shell.allow that are not there.
	Missing []string
	// Boxed are the tools that need the sandbox and Unsafe those that run without it, and
	// NoSandbox is the reason for which this system has none.
	Boxed, Unsafe []string
	NoSandbox     error
}

// Fault is a tool with the reason for which it cannot be used.
type Fault struct{ Name, Why string }

// Look makes the tools of a configuration for a look.
func Look(cfg *config.Config, lookup func(string) (string, bool)) View {
	t := &cfg.Tools
	s := New(cfg, Options{LookupEnv: lookup, Log: zerolog.Nop()})
	s.AddAgentTools(Ports{})
	v := View{Offered: s.Registry.ToProviderDefs()}
	if t.Shell.Enabled {
		_, v.Missing = newShell(cfg, s.boxes)
	}
	own := script.Names(Folder(cfg))
	if !t.On || !t.Scripts.Enabled {
		own = nil
	}
	for _, name := range own {
		off := slices.Contains(t.Disabled, name) || len(t.Enabled) > 0 && !slices.Contains(t.Enabled, name)
		if why := s.Registry.Reason(name); why != "" && !off && !switchedOff(cfg, name, s.boxes) {
			v.Broken = append(v.Broken, Fault{Name: name, Why: why})
		}
	}
	for name, run := range map[string]struct{ on, unsafe bool }{
		"run_command": {t.Shell.Enabled, t.Shell.Unsafe}, "run_code": {t.Code.Enabled, t.Code.Unsafe},
		"tools of your own": {len(own) > 0, false},
	} {
		switch {
		case !t.On || !run.on:
		case run.unsafe:
			v.Unsafe = append(v.Unsafe, name)
		default:
			v.Boxed = append(v.Boxed, name)
		}
	}
	slices.Sort(v.Boxed)
	slices.Sort(v.Unsafe)
	v.NoSandbox = s.boxes.safe.Available()
	return v
}

// switchedOff says that the tool.yaml of a tool switches it off.
func switchedOff(cfg *config.Config, name string, boxes sandboxes) bool {
	return slices.ContainsFunc(script.Load(Folder(cfg), scriptOptions(cfg, boxes.safe)), func(e script.Entry) bool {
		return e.Name == name && !e.Enabled
	})
}
