package gateway

import (
	"slices"

	"parley/pkg/agent/command"
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

// wireCommand is a command that a message may be, for a client that completes it.
type wireCommand struct {
	Name string `json:"name"`
	// Does is what it does, in a line. Usage is how it is written, with its arguments.
	Does  string         `json:"does"`
	Usage string         `json:"usage"`
	Args  []wireArgument `json:"args"`
}

// wireArgument is a word behind a [wireCommand].
type wireArgument struct {
	Name string `json:"name"`
	// Kind says what the word names.
	Kind string `json:"kind"`
	// Values are the words that there are, as far as they are the same in all chats of the caller.
	Values   []string `json:"values,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// wireCommands are they for a client of an API, which may choose some models, or with a list of its
// own those.
func wireCommands(cfg *config.Config, channel string, models, own []string) []wireCommand {
	var all []wireCommand
	for _, c := range commandsOn(cfg, channel) {
		wire := wireCommand{Name: c.Name, Does: c.Does, Usage: c.Usage("/" + c.Name), Args: []wireArgument{}}
		for _, a := range c.Args {
			wire.Args = append(wire.Args, wireArgument{
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
