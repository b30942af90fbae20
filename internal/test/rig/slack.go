package rig

import (
	"fmt"
	"strings"
)

// Slack is an app in a workspace on Slack, or a stand-in. Its sending rate is
// unlimited.
type Slack struct {
	// APIURL is the base of the Web API; it ends in a slash.
	APIURL, BotToken, AppToken string
	// Listen, when not empty, is where Slack's signed requests arrive, and
	// SigningSecret the secret of the signatures. Otherwise there are sockets.
	Listen, SigningSecret string
	// Team is the workspace's id, Chats the ids of the conversations that may use tools
	// with side effects.
	Team  string
	Chats []string
	// Owner is the id of a person of the workspace, and OwnerChat that of their direct
	// messages, where programs may run too; both may be empty.
	Owner, OwnerChat string
	// Stream is how an answer grows; empty is the gateway's default.
	Stream string
}

// Where the gateway finds Slack's tokens for the app.
const (
	botTokenVariable = "SLACK_BOT_TOKEN" //nolint:gosec // a name
	appTokenVariable = "SLACK_APP_TOKEN" //nolint:gosec // a name
	signingVariable  = "SLACK_SIGNING_SECRET"
)

// yaml is s's part below channels.
func (s *Slack) yaml() string {
	var b strings.Builder
	fmt.Fprintf(&b, `  slack:
    enabled: true
    bot_token: "env:%s"
    api_url: %q
    allow_everyone: true
    send_rate: {channel: 0}
`, botTokenVariable, s.APIURL)
	if s.Listen == "" {
		fmt.Fprintf(&b, "    app_token: \"env:%s\"\n", appTokenVariable)
	} else {
		fmt.Fprintf(&b, "    events: {listen: %q, signing_secret: \"env:%s\"}\n", s.Listen, signingVariable)
	}
	if s.Stream != "" {
		fmt.Fprintf(&b, "    stream: %s\n", s.Stream)
	}
	return b.String()
}

// owner is the owner as the configuration names them, or "".
func (s *Slack) owner() string {
	if s.Owner == "" {
		return ""
	}
	return "slack:" + s.Team + "/" + s.Owner
}

// levels puts the levels of the chats into all, by their places.
func (s *Slack) levels(all map[string]any) {
	place := func(id string) string { return "slack:" + s.Team + "/" + id }
	for _, id := range s.Chats {
		all[place(id)] = map[string]any{"level": "write"}
	}
	if s.OwnerChat != "" {
		all[place(s.OwnerChat)] = map[string]any{"level": "exec"}
	}
}

// env is the environment that the configuration refers to.
func (s *Slack) env() []string {
	return []string{botTokenVariable + "=" + s.BotToken, appTokenVariable + "=" + s.AppToken, signingVariable + "=" + s.SigningSecret}
}
