package gateway

import (
	"slices"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/policy"
	"parley/pkg/tools"
	"parley/pkg/tools/calc"
	"parley/pkg/tools/clock"
	"parley/pkg/tools/message"
	"parley/pkg/tools/script"
)

// newRegistry holds the built-in tools; those that send come later, when there is
// an agent to queue messages.
func newRegistry(cfg *config.Config, places addresses, boxes sandboxes, lookup func(string) (string, bool), redact func(string) string, book tools.Auditor, log zerolog.Logger) *tools.ToolRegistry {
	r := tools.NewToolRegistryWith(tools.Options{
		Log: log, Authorizer: levelAuthorizer{}, Timeout: time.Duration(cfg.Tools.Timeout), Redact: redact, Auditor: book,
		MaxDepth: cfg.Tools.MaxDepth, Levels: toolLevels(&cfg.Tools),
	})
	r.Register(calc.New())
	r.Register(clock.New(time.Now))
	for _, t := range slices.Concat(fileTools(cfg, places), commandTools(cfg, boxes, log), codeTools(cfg, boxes), webTools(cfg), dataTools()) {
		r.Register(t)
	}
	for _, t := range testTools(lookup) {
		r.Register(t)
	}
	switchPrograms(r, cfg, boxes, log)
	switchWriters(r, &cfg.Tools.Files)
	return r
}

// switchTools applies tools.on, enabled and disabled to everything registered.
func switchTools(r *tools.ToolRegistry, t config.Tools) {
	for _, name := range r.List() {
		if !t.On || len(t.Enabled) > 0 && !slices.Contains(t.Enabled, name) || slices.Contains(t.Disabled, name) {
			r.SetEnabled(name, false)
		}
	}
}

// toolNames are the tools there are, for the check of the configuration.
func toolNames(lookup func(string) (string, bool)) func(*config.Config) []string {
	return func(cfg *config.Config) []string {
		names := builtInTools(lookup)
		if cfg.Tools.Scripts.Enabled {
			names = append(names, script.Names(toolsFolder(cfg))...)
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
}

// builtInTools are the names that no other tool can have.
func builtInTools(lookup func(string) (string, bool)) []string {
	return described(config.Default(""), lookup).List()
}

// described holds the built-in tools for what they say of themselves: nothing is
// called there.
func described(cfg *config.Config, lookup func(string) (string, bool)) *tools.ToolRegistry {
	r := newRegistry(cfg, nil, newSandboxes(cfg, groups{}), lookup, nil, nil, zerolog.Nop())
	r.Register(newSchedule(nil, 0))
	r.Register(newMessage(nil))
	r.Register(newTasksTool(nil))
	r.Register(newSendFile(cfg, nil, nil))
	for _, t := range spawnTools(cfg, nil) {
		r.Register(t)
	}
	return r
}

// newMessage is the tool that lets the model speak before its answer is done.
func newMessage(q message.Queue) tools.Tool { return message.New(q) }

// addresses are all by which a chat is or was known, the given one among them.
type addresses func(channels.Address) []channels.Address

// offered narrows the tools by what tools.chats says of a chat, under any of the
// addresses that it is known by.
func offered(chats map[string]config.ChatTools, known addresses) func(channels.Address, string) bool {
	type rule struct {
		place policy.Place
		tools config.ChatTools
	}
	var rules []*rule
	for s, t := range chats {
		if place, err := policy.ParsePlace(s); err == nil { // the configuration was checked
			rules = append(rules, &rule{place, t})
		}
	}
	return func(a channels.Address, tool string) bool {
		if len(rules) == 0 {
			return true
		}
		at := known(a)
		for _, r := range rules {
			if !slices.ContainsFunc(at, r.place.Matches) {
				continue
			}
			if len(r.tools.Enabled) > 0 && !slices.Contains(r.tools.Enabled, tool) || slices.Contains(r.tools.Disabled, tool) {
				return false
			}
		}
		return true
	}
}
