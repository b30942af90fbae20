package gateway

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"syscall"

	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/files"
	"parley/pkg/gateway/modelset"
	"parley/pkg/gateway/socket"
	"parley/pkg/gateway/toolset"
	"parley/pkg/policy"
	"parley/pkg/providers/kinds"
	toolfiles "parley/pkg/tools/files"
	"parley/pkg/tools/script"
	"parley/workspace"
)

// ConfigOptions check a configuration against the channels, tools and rules that this
// gateway has. The caller adds the place of the file.
func ConfigOptions(lookupEnv func(string) (string, bool)) config.Options {
	return config.Options{
		LookupEnv: lookupEnv, Built: built(),
		Owner: func(s string) error { return policy.CheckOwner(s, addressed()) },
		User:  policy.CheckUser, Group: policy.CheckGroup,
		Place: func(s string) error { return policy.CheckPlace(s, addressed()) },
		Kinds: kinds.Names(),
		Sees:  modelset.Sees, Unguided: modelset.Unguided,
		Prompt:  files.CheckChatPrompt,
		Pattern: toolfiles.CheckPattern,
		Tools:   toolset.Names(lookupEnv), CheckTools: toolset.Check(lookupEnv),
	}
}

// Check finds the faults of a configuration that was read that would keep a gateway from
// starting.
func Check(cfg *config.Config) error {
	if _, err := newPolicy(cfg); err != nil {
		return err
	}
	if err := files.CheckAgentFile(cfg.Workspace); err != nil {
		return admin.WithCode(admin.CodeUsage, err)
	}
	if err := socket.CheckGroup(cfg.Admin.Group); err != nil {
		return admin.WithCode(admin.CodeUsage, err)
	}
	return nil
}

// WrongPlace names the cure for a place that cannot be written. A full disk is no
// wrong setting.
func WrongPlace(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return admin.WithCode(admin.CodeFailed, err)
	}
	return admin.WithCode(admin.CodeUsage, fmt.Errorf("%w: make the folder writable, or name another place with --config", err))
}

// Version is the module's version, or the commit it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "development"
}

// CreateTool makes a folder for a tool of the operator's own in the workspace, and
// returns it.
func CreateTool(cfg *config.Config, name string, lookup func(string) (string, bool)) (dir string, err error) {
	if slices.Contains(toolset.BuiltIn(lookup), name) {
		return "", admin.WithCode(admin.CodeUsage, fmt.Errorf("%s is a built-in tool: choose another name", name))
	}
	if err := workspace.Prepare(cfg.Workspace); err != nil {
		return "", WrongPlace(err)
	}
	dir, err = script.Create(toolset.Folder(cfg), name)
	if err != nil {
		return "", admin.WithCode(admin.CodeUsage, err)
	}
	return dir, nil
}
