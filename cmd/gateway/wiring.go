package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/slack"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/policy"
	"parley/pkg/tools"
	"parley/pkg/tools/calc"
	"parley/pkg/tools/clock"
	"parley/pkg/tools/message"
	"parley/pkg/tools/script"
)

// built names the channels that this gateway can run.
func built() []string {
	return slices.AppendSeq([]string{"console", "telegram", "slack"}, maps.Keys(testRules()))
}

// newPolicy turns the configuration's words into rules.
func newPolicy(cfg *config.Config) (*policy.Policy, error) {
	o := policy.Options{
		Owners: append([]string{"console:"}, cfg.Owners...),
		Channels: map[string]policy.ChannelRules{
			slack.Name: slackRules(&cfg.Channels.Slack),
		},
		Chats: map[string]policy.Level{},
	}
	maps.Copy(o.Channels, telegramRules(&cfg.Channels.Telegram))
	maps.Copy(o.Channels, testRules())
	for place, chat := range cfg.Tools.Chats {
		if chat.Level != "" {
			o.Chats[place] = policy.Level(chat.Level)
		}
	}
	p, err := policy.New(o)
	if err != nil {
		return nil, admin.WithCode(admin.CodeUsage, err)
	}
	return p, nil
}

func texts(ids []config.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}

// gatekeeper lets the ingress ask the policy.
type gatekeeper struct{ policy *policy.Policy }

// Authorize implements [channels.Authorizer].
func (g gatekeeper) Authorize(ctx context.Context, in channels.Inbound) channels.Decision {
	return decision(g.verdict(ctx, in))
}

func decision(v policy.Verdict) channels.Decision {
	return channels.Decision{Allow: v.Allow, Overheard: v.Overheard, Reason: v.Reason}
}

func (g gatekeeper) verdict(ctx context.Context, in channels.Inbound) policy.Verdict {
	return g.policy.Authorize(ctx, policy.Event{
		Kind: policy.Kind(in.Kind), Address: in.Address, Sender: in.Sender, Direct: in.Direct, Mentioned: in.Mentioned,
	})
}

// levels holds every call against the level of its turn.
type levels struct{}

// AuthorizeTool implements [tools.Authorizer].
func (levels) AuthorizeTool(_ context.Context, req tools.ToolRequest) error {
	have, need := policy.Level(req.Invocation.Level), policy.Level(req.Annotations.Level)
	if !have.Allows(need) {
		return fmt.Errorf("%s needs the right %s; this chat has %s", req.Tool, need, orNone(have))
	}
	return nil
}

func orNone(l policy.Level) policy.Level {
	if l == "" {
		return policy.LevelNone
	}
	return l
}

// newRegistry holds the built-in tools; those that send come later, when there is
// an agent to queue messages.
func newRegistry(cfg *config.Config, places addresses, boxes sandboxes, lookup func(string) (string, bool), redact func(string) string, book tools.Auditor, log zerolog.Logger) *tools.ToolRegistry {
	r := tools.NewToolRegistryWith(tools.Options{
		Log: log, Authorizer: levels{}, Timeout: time.Duration(cfg.Tools.Timeout), Redact: redact, Auditor: book,
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
	r := newRegistry(cfg, nil, newSandboxes(cfg, nil), lookup, nil, nil, zerolog.Nop())
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
