package toolset

import (
	"maps"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/config"
	gatewayfiles "parley/pkg/gateway/files"
	"parley/pkg/policy"
	"parley/pkg/tools"
	"parley/pkg/tools/files"
	"parley/workspace"
)

// fileTools read and write the files of a chat's space.
func fileTools(cfg *config.Config, known Addresses) []tools.Tool {
	return files.New(fileOptions(&cfg.Tools.Files, known))
}

// newSendFile is the tool that sends files of the chat's space.
func newSendFile(cfg *config.Config, known Addresses, to files.Sender) tools.Tool {
	return files.NewSend(fileOptions(&cfg.Tools.Files, known), to)
}

// switchWriters takes the tools that write files out of the offer where no file is written.
func switchWriters(r *tools.ToolRegistry, f *config.FileTools) {
	if f.Mode != files.ReadOnly {
		return
	}
	for _, name := range files.Writers() {
		r.SetEnabled(name, false)
	}
}

func fileOptions(f *config.FileTools, known Addresses) files.Options {
	const kilobyte, megabyte = 1 << 10, 1e6
	return files.Options{
		Prepare: workspace.EnsureSpace, Outside: gatewayfiles.Inbox, Mode: f.Mode, Roots: fileRoots(f.Roots,
			known), Allow: f.Allow, Refuse: f.Refuse,
		Limits: files.Limits{
			MaxFile: int64(f.MaxFileKB) * kilobyte, MaxFiles: f.MaxFiles, MaxBytes: int64(f.MaxMB) * megabyte, MaxDepth: f.MaxDepth,
		},
	}
}

// fileRoots gives each chat the folders that the configuration names for it,
// under any of the addresses that it is known by.
func fileRoots(roots map[string]config.FileRoot, known Addresses) func(tools.Invocation) []files.Root {
	if len(roots) == 0 {
		return nil
	}
	type grant struct {
		root   files.Root
		places []policy.Place
	}
	var grants []grant
	for _, name := range slices.Sorted(maps.Keys(roots)) {
		r := roots[name]
		g := grant{root: files.Root{Name: name, Dir: r.Path, Writable: r.Mode == files.ReadWrite}}
		for _, s := range r.Chats {
			if place, err := policy.ParsePlace(s); err == nil { // the configuration was checked
				g.places = append(g.places, place)
			}
		}
		grants = append(grants, g)
	}
	return func(inv tools.Invocation) []files.Root {
		at := known(channels.Address{Channel: inv.Channel, Account: inv.Account, Chat: inv.Chat, Thread: inv.Thread})
		var out []files.Root
		for i := range grants {
			if slices.ContainsFunc(grants[i].places, func(p policy.Place) bool { return slices.ContainsFunc(at, p.Governs) }) {
				out = append(out, grants[i].root)
			}
		}
		return out
	}
}
