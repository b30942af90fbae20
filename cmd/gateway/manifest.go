package main

import (
	"errors"
	"fmt"
	"net/url"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
)

// slackCommand is the slash command of the app.
const slackCommand = "/parley"

// maxAppName is the longest name that Slack takes for an app.
const maxAppName = 35

// slackScopes are the rights of the bot token, each for something that the adapter
// does and none beside. A test holds them against the methods that it calls.
func slackScopes() []string {
	return []string{
		"app_mentions:read", "assistant:write", "channels:history", "chat:write", "commands", "files:read", "files:write",
		"groups:history", "im:history", "mpim:history", "reactions:write", "users:read",
	}
}

// slackEvents are what the adapter is told.
func slackEvents() []string {
	return []string{"app_mention", "assistant_thread_started", "message.channels", "message.groups", "message.im", "message.mpim"}
}

// slackManifest describes an app to Slack; the words are those of Slack's manifest,
// version 1.
type slackManifest struct {
	Display struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	} `yaml:"display_information"`
	Features struct {
		AppHome struct {
			Home     bool `yaml:"home_tab_enabled"`
			Messages bool `yaml:"messages_tab_enabled"`
			ReadOnly bool `yaml:"messages_tab_read_only_enabled"`
		} `yaml:"app_home"`
		Bot struct {
			Name   string `yaml:"display_name"`
			Online bool   `yaml:"always_online"`
		} `yaml:"bot_user"`
		Assistant struct {
			Description string `yaml:"assistant_description"`
		} `yaml:"assistant_view"`
		Commands []manifestCommand `yaml:"slash_commands"`
	} `yaml:"features"`
	OAuth struct {
		Scopes struct {
			Bot []string `yaml:"bot"`
		} `yaml:"scopes"`
	} `yaml:"oauth_config"`
	Settings struct {
		Events struct {
			URL string   `yaml:"request_url,omitempty"`
			Bot []string `yaml:"bot_events"`
		} `yaml:"event_subscriptions"`
		Interactivity struct {
			Enabled bool   `yaml:"is_enabled"`
			URL     string `yaml:"request_url,omitempty"`
		} `yaml:"interactivity"`
		Org     bool `yaml:"org_deploy_enabled"`
		Sockets bool `yaml:"socket_mode_enabled"`
		Rotate  bool `yaml:"token_rotation_enabled"`
	} `yaml:"settings"`
}

type manifestCommand struct {
	Command     string `yaml:"command"`
	URL         string `yaml:"url,omitempty"`
	Description string `yaml:"description"`
	Hint        string `yaml:"usage_hint"`
	Escape      bool   `yaml:"should_escape"`
}

// newManifest is the manifest of an app of that name. With an address Slack calls
// it; without, the gateway opens sockets.
func newManifest(name, address string) *slackManifest {
	m := &slackManifest{}
	m.Display.Name, m.Display.Description = name, "Answers with a language model and tools."
	m.Features.AppHome.Messages = true
	m.Features.Bot.Name, m.Features.Bot.Online = name, true
	m.Features.Assistant.Description = "Ask a question, or say what is to be done."
	m.Features.Commands = []manifestCommand{{
		Command: slackCommand, URL: address, Description: "Ask, or give one of the commands that help lists", Hint: "[help | new | stop | a question]",
	}}
	m.OAuth.Scopes.Bot = slackScopes()
	m.Settings.Events.Bot = slackEvents()
	m.Settings.Events.URL = address
	m.Settings.Interactivity.Enabled, m.Settings.Interactivity.URL = true, address
	m.Settings.Sockets = address == ""
	return m
}

func newInitSlack(h *host) *cobra.Command {
	var name, address string
	c := &cobra.Command{
		Use: "slack", Short: "Print the manifest of a Slack app", Args: cobra.NoArgs,
		Long: `Prints, as YAML, the manifest of a Slack app that may do what the gateway needs
and nothing else. At https://api.slack.com/apps choose Create New App, From a
manifest, and paste it there. Nothing is written here.`,
		RunE: func(*cobra.Command, []string) error {
			if n := utf8.RuneCountInString(name); n == 0 || n > maxAppName || !utf8.ValidString(name) {
				return coded(exitUsage, fmt.Errorf("--name: write a name of 1 to %d characters", maxAppName))
			}
			at, err := eventsAddress(address)
			if err != nil {
				return coded(exitUsage, err)
			}
			raw, err := yaml.Marshal(newManifest(name, at))
			if err != nil {
				return coded(exitFailed, err)
			}
			return h.print("%s", raw)
		},
	}
	c.Flags().StringVar(&name, "name", "Parley", "name of the app and its bot")
	c.Flags().StringVar(&address, "events-url", "", "https address under which Slack reaches the gateway (channels.slack.events); without it: Socket Mode")
	return c
}

// eventsPath is where the adapter answers. A proxy in front of it may have another
// path.
const eventsPath = "/slack/events"

// eventsAddress is what Slack calls: an address without a path gets that of the adapter.
func eventsAddress(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return "", errors.New("--events-url: write the https address under which Slack reaches the gateway, such as https://bot.example.org" + eventsPath)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = eventsPath
	}
	return u.String(), nil
}
