package slack

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxAppName is the longest name that Slack takes for an app.
const maxAppName = 35

// manifestScopes are the rights of the bot token, each for an action of the adapter. A
// test holds them against the methods that it calls.
func manifestScopes() []string {
	return []string{
		"app_mentions:read", "assistant:write", "channels:history", "chat:write", "commands", "files:read", "files:write",
		"groups:history", "im:history", "mpim:history", "reactions:write", "users:read",
	}
}

// manifestEvents are the events of the adapter.
func manifestEvents() []string {
	return []string{"app_mention", "assistant_thread_started", "message.channels", "message.groups", "message.im", "message.mpim"}
}

// manifestText is an app as Slack's manifests describe one, version 1
// (docs.slack.dev/reference/app-manifest). NAME is a quoted text, SCOPES and EVENTS
// are lists, and a line with URL is there only where Slack calls the gateway.
const manifestText = `display_information:
  name: NAME
  description: Answers with a language model and tools.
features:
  app_home:
    home_tab_enabled: false
    messages_tab_enabled: true
    messages_tab_read_only_enabled: false
  bot_user:
    display_name: NAME
    always_online: true
  assistant_view:
    assistant_description: Ask a question, or say what is to be done.
  slash_commands:
  - command: COMMAND
    url: URL
    description: Ask, or give one of the commands that help lists
    usage_hint: "[help | new | stop | a question]"
    should_escape: false
oauth_config:
  scopes:
    bot:
    - SCOPES
settings:
  event_subscriptions:
    request_url: URL
    bot_events:
    - EVENTS
  interactivity:
    is_enabled: true
    request_url: URL
  org_deploy_enabled: false
  socket_mode_enabled: SOCKETS
  token_rotation_enabled: false
`

// Manifest is the manifest of an app of that name, in YAML. With an address Slack
// calls it; without, the gateway opens sockets. The error names the flag at fault.
func Manifest(name, address string) (string, error) {
	if n := utf8.RuneCountInString(name); n == 0 || n > maxAppName || !utf8.ValidString(name) {
		return "", fmt.Errorf("--name: write a name of 1 to %d characters", maxAppName)
	}
	address, err := eventsAddress(address)
	if err != nil {
		return "", err
	}
	quoted, err := json.Marshal(name) // is YAML too
	if err != nil {
		return "", err
	}
	text := manifestText
	if address == "" {
		lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool { return strings.Contains(line, "URL") })
		text = strings.Join(lines, "")
	}
	const item = "\n    - "
	return strings.NewReplacer(
		"NAME", string(quoted), "COMMAND", SlashCommand, "URL", address,
		"SCOPES", strings.Join(manifestScopes(), item), "EVENTS", strings.Join(manifestEvents(), item),
		"SOCKETS", strconv.FormatBool(address == ""),
	).Replace(text), nil
}

// eventsAddress is the address for Slack's calls: one without a path gets that of the
// adapter.
func eventsAddress(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return "", errors.New(
			"--events-url: write the https address under which Slack reaches the gateway, such as https://bot.example.org" + EventsPath,
		)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = EventsPath
	}
	return u.String(), nil
}
