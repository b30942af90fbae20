package gateway

import (
	"slices"

	"parley/pkg/agent/command"
	"parley/pkg/api/native"
	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/channels/web"
	"parley/pkg/config"
)

// hasNeed says whether the channel of a chat has what a command needs: a page that shows it, or a
// client that reaches the clipboard.
func hasNeed(cfg *config.Config) func(at channels.Address, need command.Need) bool {
	return func(at channels.Address, need command.Need) bool {
		switch need {
		case command.NeedsPage:
			return cfg.HTTP.Listen != "" && at.Channel != web.Name
		case command.NeedsClipboard:
			return at.Channel == console.Name
		default:
			return false
		}
	}
}

// commandsOn are the commands of the chats of a channel.
func commandsOn(cfg *config.Config, channel string) []command.Command {
	has := hasNeed(cfg)
	return slices.DeleteFunc(command.List(), func(c command.Command) bool {
		return c.Needs != "" && !has(channels.Address{Channel: channel}, c.Needs)
	})
}

// wireCommands are they for a client of an API, which may choose some models, or with a list of its
// own those.
func wireCommands(cfg *config.Config, channel string, models, own []string) []native.Command {
	var all []native.Command
	for _, c := range commandsOn(cfg, channel) {
		wire := native.Command{Name: c.Name, Does: c.Does, Usage: c.Usage("/" + c.Name), Args: []native.Argument{}}
		for _, a := range c.Args {
			wire.Args = append(wire.Args, native.Argument{
				Name: a.Name, Kind: string(a.Kind), Values: slices.Clone(a.Values), Required: a.Required,
			})
			if last := &wire.Args[len(wire.Args)-1]; a.Kind == command.ArgModel {
				last.Values = append(last.Values, models...)
				if len(own) > 0 {
					last.Values = own
				}
			}
		}
		all = append(all, wire)
	}
	return all
}
