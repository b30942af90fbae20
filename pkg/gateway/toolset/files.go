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
func fileTools(cfg *config.Config, known Addresses, read files.Documents, secrets files.Secrets) []tools.Tool {
	o := fileOptions(cfg, known)
	o.Documents, o.Secrets = read, secrets
	return files.New(o)
}

// newSendFile is the tool that sends files of the chat's space.
func newSendFile(cfg *config.Config, known Addresses, to files.Sender) tools.Tool {
	return files.NewSend(fileOptions(cfg, known), to)
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

func fileOptions(cfg *config.Config, known Addresses) files.Options {
	const kilobyte, megabyte = 1 << 10, 1e6
	f := &cfg.Tools.Files
	return files.Options{
		Prepare: workspace.EnsureSpace, Outside: gatewayfiles.Inbox, Told: workspace.Notes(), Mode: f.Mode, Roots: fileRoots(cfg, known),
		Allow: f.Allow, Refuse: f.Refuse,
		Limits: files.Limits{
			MaxFile: int64(f.MaxFileKB) * kilobyte, MaxFiles: f.MaxFiles, MaxBytes: int64(f.MaxMB) * megabyte, MaxDepth: f.MaxDepth,
		},
	}
}

// fileRoots gives each call the folders of its chat.
func fileRoots(cfg *config.Config, known Addresses) func(tools.Invocation) []files.Root {
	if len(cfg.Tools.Files.Roots) == 0 {
		return nil
	}
	of := rootsOf(cfg, known)
	return func(inv tools.Invocation) []files.Root { return of(addressOf(inv)) }
}

// rootsOf gives each chat the folders that the configuration names for it.
func rootsOf(cfg *config.Config, known Addresses) func(channels.Address) []files.Root {
	roots := cfg.Tools.Files.Roots
	grants := grants[files.Root]{known: known}
	for _, name := range slices.Sorted(maps.Keys(roots)) {
		r := roots[name]
		grants.add(files.Root{Name: name, Dir: r.Path, Writable: r.Mode == files.ReadWrite, Outside: cfg.Outside(r)}, r.Chats)
	}
	return grants.of
}

// grants are things that the configuration gives to chats.
type grants[T any] struct {
	known  Addresses
	things []T
	places [][]policy.Place
}

func (g *grants[T]) add(thing T, chats []string) {
	var places []policy.Place
	for _, s := range chats {
		if place, err := policy.ParsePlace(s); err == nil { // the configuration was checked
			places = append(places, place)
		}
	}
	g.things, g.places = append(g.things, thing), append(g.places, places)
}

// of are those of a chat, under any of the addresses that it is known by.
func (g *grants[T]) of(a channels.Address) (out []T) {
	if len(g.things) == 0 {
		return nil
	}
	at := g.known(a)
	for i := range g.things {
		if slices.ContainsFunc(g.places[i], func(p policy.Place) bool { return slices.ContainsFunc(at, p.Governs) }) {
			out = append(out, g.things[i])
		}
	}
	return out
}

func addressOf(inv tools.Invocation) channels.Address {
	return channels.Address{Channel: inv.Channel, Account: inv.Account, Chat: inv.Chat, Thread: inv.Thread}
}
